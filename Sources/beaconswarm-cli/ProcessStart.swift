#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a process has to have in order before anything of the program begins.
enum ProcessStart {
    static func prepare() {
        keepStandardDescriptors()
        // Swift's runtime takes it for a crash, writes a backtrace, and goes on; who sends it wants an end.
        signal(SIGQUIT, SIG_DFL)
    }

    /// Puts the null device where the caller closed standard input, output or error: the next file or socket to be opened
    /// would take that number, and be written into.
    private static func keepStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
