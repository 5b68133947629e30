import ArgumentParser
import Beaconswarm

extension BeaconswarmCommand {
    /// The verbs as they are typed.
    static var verbs: [String] { configuration.subcommands.map { $0._commandName } }

    /// What is wrong with the first word of a command line, or with that of which help is wanted, if it is to be a verb
    /// and is none.
    static func verbProblem(of arguments: [String]) -> String? {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-"), word != "help", !verbs.contains(word) else {
            return nil
        }
        let meant = Beaconswarm.nearestName(to: word, among: verbs + ["help"])
        let known = "the verbs are \(verbs.joined(separator: ", ")); see beaconswarm --help"
        return "there is no verb \"\(word)\"" + (meant.map { "; did you mean \"\($0)\"?" } ?? "")
            + "\n\(known)"
    }
}
