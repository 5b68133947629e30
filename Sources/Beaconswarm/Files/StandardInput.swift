#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard input, for which `-` stands in the place of a file's name.
enum StandardInput {
    /// What messages call it.
    static let name = "<stdin>"

    static func isMeant(by path: String) -> Bool { path == "-" }

    /// Reads it to its end, which can be done once.
    ///
    /// - Parameters:
    ///   - what: What is read, for somebody at a terminal.
    ///   - limit: The most bytes that it may have.
    /// - Throws: ``CommandFailure`` with the given code.
    static func read(
        _ what: String, failing code: CommandStatus, limit: Int
    ) throws(CommandFailure) -> [UInt8] {
        if isatty(STDIN_FILENO) == 1 {
            Console.error("reading \(what) from the terminal; Ctrl-D on a line of its own ends it")
        }
        return try OutputFile.read(descriptor: STDIN_FILENO, name: name, failing: code, limit: limit)
    }
}
