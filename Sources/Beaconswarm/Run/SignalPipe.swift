import Dispatch
import Glibc
import Synchronization
import Timebase

/// Signals as notes in a pipe, heard from the moment on that this exists. Several may listen to one signal: each of
/// them hears it, whoever began or ends first.
///
/// Not a `DispatchSourceSignal`: that one is armed by another thread some time after it was asked for, and until then
/// the signal has to be ignored. On a busy machine, a process that was ended as soon as it said that it was ready lost
/// the signal so, and went on for ever.
final class SignalPipe: Sendable {
    /// Who is told of a signal, and where.
    private struct Listener: Sendable {
        var queue: DispatchQueue
        var received: @Sendable (HeardSignal) -> Void
    }

    /// What a handler writes: a pipe takes it as a whole.
    private struct Note: BitwiseCopyable {
        var number: Int32 = 0
        /// By the clock of ``Host/monotonic``: however late the note is read, this is when the signal came.
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
    }

    /// A signal that is listened to.
    private struct Hearing: Sendable {
        /// What was there before anybody listened.
        var before: sigaction
        var listeners: [ObjectIdentifier: Listener] = [:]
    }

    /// By signal.
    private static let hearings = Mutex<[Int32: Hearing]>([:])
    /// All that a handler may read: where it writes its note. It stays open, since a handler may be about to
    /// write in any thread.
    private static let writeEnd = Atomic<Int32>(-1)
    /// Reads the notes; once for all that ever listen.
    // SAFETY: made once and never touched again.
    private nonisolated(unsafe) static let source: (any DispatchSourceRead)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: ends[0], queue: DispatchQueue(label: "beaconswarm.signal-pipe"))
        source.setEventHandler { [descriptor = ends[0]] in
            var note = Note()
            while read(descriptor, &note, MemoryLayout<Note>.size) == MemoryLayout<Note>.size {
                passOn(note)
            }
        }
        source.resume()
        return source
    }()

    /// Tells all who listen of a signal that came.
    private static func passOn(_ note: Note) {
        let listeners = hearings.withLock { $0[note.number].map { Array($0.listeners.values) } ?? [] }
        let heard = HeardSignal(
            number: note.number, at: .seconds(note.seconds) + Interval(nanoseconds: note.nanoseconds),
            isShared: listeners.count > 1)
        for listener in listeners { listener.queue.async { listener.received(heard) } }
    }

    private let numbers: [Int32]

    /// Listens to some signals, beside whoever listens to them already.
    ///
    /// - Parameters:
    ///   - numbers: The signals. SIGHUP is left alone where it is ignored already: `nohup` wants the process to outlive
    ///     its terminal.
    ///   - queue: Where `received` runs, once for each signal.
    init(_ numbers: [Int32], on queue: DispatchQueue, received: @escaping @Sendable (HeardSignal) -> Void) {
        self.numbers = SignalPipe.source == nil ? [] : numbers
        let (key, listener) = (ObjectIdentifier(self), Listener(queue: queue, received: received))
        SignalPipe.hearings.withLock { [numbers = self.numbers] hearings in
            // A signal that comes meanwhile is told of when this is done.
            for number in numbers {
                if hearings[number] == nil {
                    hearings[number] = SignalPipe.install(number).map { Hearing(before: $0) }
                }
                hearings[number]?.listeners[key] = listener
            }
        }
    }

    /// Signals to which nobody listens any more are again what they were.
    deinit {
        let key = ObjectIdentifier(self)
        SignalPipe.hearings.withLock { [numbers] hearings in
            for number in numbers {
                hearings[number]?.listeners[key] = nil
                guard let hearing = hearings[number], hearing.listeners.isEmpty else { continue }
                _ = withUnsafePointer(to: hearing.before) { sigaction(number, $0, nil) }
                hearings[number] = nil
            }
        }
    }

    /// Installs the handler, and returns what it replaced.
    private static func install(_ number: Int32) -> sigaction? {
        var old = sigaction()
        sigaction(number, nil, &old)
        if number == SIGHUP, unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 1 {
            return nil
        }
        var new = sigaction()
        // What waits in a system call goes on afterwards.
        new.sa_flags = SA_RESTART
        new.__sigaction_handler.sa_handler = { SignalPipe.tell(of: $0) }
        return sigaction(number, &new, &old) == 0 ? old : nil
    }

    /// Within a signal handler: nothing but what POSIX allows there, and `errno` is left as it was.
    private static func tell(of number: Int32) {
        let code = errno
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        var note = Note(number: number, seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        _ = write(writeEnd.load(ordering: .acquiring), &note, MemoryLayout<Note>.size)
        errno = code
    }
}
