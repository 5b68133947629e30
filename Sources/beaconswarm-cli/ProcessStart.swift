#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a process has to have in order before anything of the program begins.
enum ProcessStart {
    static func prepare() {
        keepStandardDescriptors()
        endOnQuit()
    }

    /// Takes the numbers of standard input, output and error where the caller closed them: the next file or socket to be
    /// opened would have them, and be written into. They cannot be used, so that what gets lost is told.
    private static func keepStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Swift's runtime takes SIGQUIT for a crash, writes a backtrace, and goes on; who sends it wants an end. Whoever started
    /// the program with the signal ignored does not.
    private static func endOnQuit() {
        if let former = signal(SIGQUIT, SIG_DFL),
            unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        {
            signal(SIGQUIT, SIG_IGN)
        }
    }
}
