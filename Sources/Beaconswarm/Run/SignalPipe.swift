import Dispatch
import Glibc
import Synchronization

/// Signals as bytes of a pipe, heard from the moment on that this exists.
///
/// Not a `DispatchSourceSignal`: that one is armed by another thread some time after it was asked for, and until then
/// the signal has to be ignored. On a busy machine, a process that was ended as soon as it said that it was ready lost
/// the signal so, and went on for ever.
final class SignalPipe: Sendable {
    /// Where the handler writes. It stays open: a handler may be about to write in any thread.
    private static let ends: (read: Int32, write: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        return (ends[0], ends[1])
    }()
    /// All that a handler may read.
    private static let writeEnd = Atomic<Int32>(-1)

    private let before: [(number: Int32, action: sigaction)]
    // SAFETY: made in the initialiser and only cancelled in the deinitialiser.
    private nonisolated(unsafe) let source: (any DispatchSourceRead)?

    /// Listens to some signals.
    ///
    /// - Parameters:
    ///   - numbers: The signals. SIGHUP is left alone where it is ignored already: `nohup` wants the process to outlive
    ///     its terminal.
    ///   - queue: Where `received` runs, once for each signal.
    init(_ numbers: [Int32], on queue: DispatchQueue, received: @escaping @Sendable () -> Void) {
        guard let ends = SignalPipe.ends else {
            (before, source) = ([], nil)
            return
        }
        before = numbers.compactMap(SignalPipe.install)
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.read, queue: queue)
        source.setEventHandler {
            var byte: UInt8 = 0
            while read(ends.read, &byte, 1) == 1 { received() }
        }
        source.resume()
        self.source = source
    }

    /// The signals are again what they were.
    deinit {
        for (number, action) in before { _ = withUnsafePointer(to: action) { sigaction(number, $0, nil) } }
        source?.cancel()
    }

    /// Installs the handler, and returns what it replaced.
    private static func install(_ number: Int32) -> (number: Int32, action: sigaction)? {
        var old = sigaction()
        sigaction(number, nil, &old)
        if number == SIGHUP, unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 1 {
            return nil
        }
        var new = sigaction()
        // What waits in a system call goes on afterwards.
        new.sa_flags = SA_RESTART
        new.__sigaction_handler.sa_handler = { _ in SignalPipe.tell() }
        return sigaction(number, &new, &old) == 0 ? (number, old) : nil
    }

    /// Within a signal handler: nothing but `write`, which leaves `errno` as it was.
    private static func tell() {
        let code = errno
        var byte: UInt8 = 0
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = code
    }
}
