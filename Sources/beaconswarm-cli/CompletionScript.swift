import ArgumentParser
import Beaconswarm

extension CompletionKind {
    /// Files of scenarios, with those that come with the program (``CompletionScript``).
    static var scenario: CompletionKind { .file(extensions: CompletionScript.extensions) }
}

/// The scripts with which shells complete command lines.
///
/// The parser's own complete an argument by files or by words. A scenario is a file or a name, so the names are put into the
/// finished script, wherever it looks for files of scenarios.
enum CompletionScript {
    /// What files of scenarios end in. No other argument has both: by that its place in a script is found.
    static let extensions = ["json", "jsonc"]
    private static let option = "--generate-completion-script"

    /// The script that a command line asks for; `nil` if it asks for none, or says no shell that is known.
    static func asked(by arguments: [String]) -> String? {
        var words = arguments[...]
        guard let first = words.popFirst(), first.hasPrefix(option) else { return nil }
        let name = first == option ? words.popFirst() : String(first.dropFirst(option.count + 1))
        let shell = name.map(CompletionShell.init(rawValue:)) ?? CompletionShell.autodetected()
        guard words.isEmpty, first == option || first.hasPrefix("\(option)="), let shell else { return nil }
        return text(for: shell)
    }

    private static func text(for shell: CompletionShell) -> String {
        let script = BeaconswarmCommand.completionScript(for: shell)
        let names = Beaconswarm.exampleNames.map { "'\($0)'" }
        switch shell {
        case .bash: return bash(script, names)
        case .zsh: return zsh(script, names)
        case .fish: return fish(script, names.map { $0.filter { $0 != "'" } })
        default: return script
        }
    }

    /// A second line of completions after each one of files.
    private static func bash(_ script: String, _ names: [String]) -> String {
        let files = "-o plusdirs -fX '!*.@(\(extensions.joined(separator: "|")))'"
        let words = names.joined(separator: "$'\\n'")
        return script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasSuffix(files) else { return String(line) }
            return "\(line)\n\(line.dropLast(files.count))-W \(words)"
        }.joined(separator: "\n")
    }

    /// A function of its own in the place of that for files.
    private static func zsh(_ script: String, _ names: [String]) -> String {
        let patterns = extensions.map { "*.\($0)" }.joined(separator: " ")
        let function = "__beaconswarm_scenarios"
        let parts = script.split(separator: "\n", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return script }
        return """
            \(parts[0])

            \(function)() {
                _files -g '\(patterns)'
                __beaconswarm_complete \(names.joined(separator: " "))
            }

            \(replaced("_files -g '\\''\(patterns)'\\''", by: "{\(function)}", in: parts[1]))
            """
    }

    /// One more command among those that list files.
    private static func fish(_ script: String, _ names: [String]) -> String {
        let list = extensions.map { "\\'\($0)\\'" }.joined(separator: " ")
        let end = ")'"
        return script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.contains("set -l exts \(list);"), line.hasSuffix(end) else { return String(line) }
            return "\(line.dropLast(end.count));printf %s\\n \(names.joined(separator: " "))\(end)"
        }.joined(separator: "\n")
    }

    private static func replaced(_ text: String, by other: String, in script: String) -> String {
        var (rest, result) = (script[...], "")
        while let range = rest.firstRange(of: text) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
