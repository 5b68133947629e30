import Glibc

/// Remembers the input at hand, so that it outlives a trap, a hang or a lack of memory.
///
/// A plain build has no sanitizer to write it down. The signal's handler may neither allocate nor lock, so
/// everything that it says is made ready beforehand.
enum CrashRecord {
    private static let capacity = 1 << 20

    // SAFETY: written by the one thread that tries inputs, before it tries them; the handler only reads, on
    // that thread or while it hangs.
    nonisolated(unsafe) private static let input = UnsafeMutableRawPointer.allocate(
        byteCount: capacity, alignment: 16)
    nonisolated(unsafe) private static var count = 0
    nonisolated(unsafe) private static var path = strdup("")
    nonisolated(unsafe) private static var message = strdup("")
    nonisolated(unsafe) private static var timeout: UInt32 = 0

    /// How much longer an input may wait than compute.
    private static let patience: UInt32 = 60

    /// Prepares for the inputs of a target.
    ///
    /// - Parameter seconds: The processor time that one input may take. It is not the time that passes, since a
    ///   process may be stopped, or wait for a busy machine; what only waits has ``patience`` times as long.
    static func begin(target: String, artifacts: String, timeout seconds: UInt32) {
        _ = input
        timeout = seconds
        let file = "\(artifacts)/\(target)-\(getpid())"
        free(path)
        free(message)
        path = strdup(file)
        let text = """
            fuzz: \(target): this input ends the process; it is kept in \(file)
            fuzz: again: swift run beaconswarm-fuzz \(target) --input \(file)

            """
        message = strdup(text)
        installHandlers()
    }

    /// Notes the input that is tried next, and gives it its time.
    static func note(_ bytes: [UInt8]) {
        count = min(bytes.count, capacity)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { input.copyMemory(from: base, byteCount: count) }
        }
        limit(seconds: timeout)
    }

    /// No input is at hand any more.
    static func end() { limit(seconds: 0) }

    /// Ends the process after so many seconds of its own work, or when it has waited far longer; 0 takes the limits off.
    private static func limit(seconds: UInt32) {
        var timer = itimerval()
        timer.it_value.tv_sec = Int(seconds)
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
        alarm(seconds * patience)
    }

    /// Keeps an input that broke a rule, and says where.
    static func keep(_ bytes: [UInt8]) {
        note(bytes)
        end()
        save()
    }

    /// Writes the input and the message; safe in a signal's handler.
    private static func save() {
        if let path {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            _ = write(file, input, count)
            close(file)
        }
        if let message { _ = write(STDERR_FILENO, message, strlen(message)) }
    }

    private static func installHandlers() {
        // A stack that is used up has no room for a handler.
        var stack = stack_t()
        stack.ss_size = 64 << 10
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stack.ss_size, alignment: 16)
        sigaltstack(&stack, nil)
        for signal in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGPROF] {
            var action = sigaction()
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_ONSTACK
            action.__sigaction_handler.sa_handler = { signal in
                CrashRecord.save()
                if signal == SIGALRM || signal == SIGPROF { _exit(2) }
                raise(signal)
            }
            sigaction(signal, &action, nil)
        }
    }
}
