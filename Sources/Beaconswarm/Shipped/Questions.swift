import Glibc

/// Questions to whoever sits at a terminal; where standard input is none, every answer is the default.
struct Questions {
    /// Whether there is somebody to be asked.
    let isTerminal = isatty(STDIN_FILENO) == 1

    /// Asks until the answer can be used.
    ///
    /// - Parameters:
    ///   - question: A sentence.
    ///   - usual: What an empty answer stands for, shown in brackets.
    ///   - read: Makes a value of an answer; fails with what is allowed.
    /// - Throws: ``CommandFailure`` with code 105 when the input ends (Ctrl-D): whoever leaves wants nothing written;
    ///   what `read` throws of the default itself.
    func ask<Value>(
        _ question: String, usual: String, _ read: (String) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        guard isTerminal else { return try read(usual) }
        while true {
            Console.status("\(question) [\(usual)] ")
            guard let line = readLine() else {
                throw CommandFailure(.interrupted, "no answer; nothing was written")
            }
            let words = line.split(separator: " ").joined(separator: " ")
            do throws(CommandFailure) {
                return try read(words.isEmpty ? usual : words)
            } catch {
                Console.error("  \(error.message)")
            }
        }
    }
}
