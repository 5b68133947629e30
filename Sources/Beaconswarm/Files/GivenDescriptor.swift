import Glibc

/// Writing to a descriptor that somebody else opened, such as standard output.
///
/// Whoever shares it may have made it non-blocking, which holds for all who have it: a full pipe then fails at once, and
/// is waited for here as a blocking one waits by itself.
enum GivenDescriptor {
    /// What became of a write.
    struct Outcome {
        /// Bytes that were written: all of them, unless there is an ``error``.
        var count = 0
        /// The system's number of what ended it, such as `EPIPE` where nobody reads any more; 0 for nothing.
        var error: Int32 = 0
    }

    /// Writes bytes, however long their reader takes.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Outcome {
        var outcome = Outcome()
        while outcome.count < bytes.count, outcome.error == 0 {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[outcome.count...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                outcome.count += count
            } else {
                outcome.error = count < 0 ? passing(errno, of: descriptor) : EIO
            }
        }
        return outcome
    }

    /// The error of a write, or 0 if it may be tried again: at once after a signal, and else when there is room.
    private static func passing(_ error: Int32, of descriptor: Int32) -> Int32 {
        guard error == EAGAIN else { return error == EINTR ? 0 : error }
        var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A descriptor with an error is ready as well: the next write tells which.
        return poll(&waited, 1, -1) >= 0 || errno == EINTR ? 0 : errno
    }
}
