import Rendering

/// A command as a shell takes it.
struct ShellCommand: Hashable, Sendable {
    /// Quoted where a shell would take them apart or replace them.
    let words: [String]

    /// - Parameter words: As a program gets them.
    init(_ words: [String]) { self.words = words.map { Escaping.shell(Escaping.line($0)) } }

    /// On one line.
    var text: String { words.joined(separator: " ") }

    /// Over as many lines as it needs, each but the last with the backslash that makes a shell go on reading. A word that is
    /// longer than a line stays whole: cut, it would be another.
    func lines(width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in words {
            if !line.isEmpty, line.count + 1 + word.count + 2 > width {
                lines.append(line + " \\")
                line = ""
            }
            line += line.isEmpty ? word : " " + word
        }
        return lines + [line]
    }
}
