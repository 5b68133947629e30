/// Something that a draft says without knowing it.
package struct Guess: Hashable, Sendable {
    package enum Sureness: String, Sendable {
        /// The capture shows it.
        case sure
        /// Its name and its values say so.
        case likely
        /// It has to be looked at.
        case unsure
    }

    /// The pointer in the draft; empty for the whole.
    package var pointer: String
    package var text: String
    package var sureness: Sureness
    /// The environment variable that a secret comes from, if it is about one.
    private var variable: String?

    init(_ pointer: String, _ text: String, _ sureness: Sureness) {
        self.pointer = pointer
        self.text = text
        self.sureness = sureness
    }

    /// That a secret is not kept.
    ///
    /// - Parameter what: What it is, in words.
    static func secret(_ pointer: String, _ what: String, _ variable: String, _ sureness: Sureness) -> Guess {
        var guess = Guess(pointer, "\(what), from the environment variable \(variable)", sureness)
        guess.variable = variable
        return guess
    }

    /// A line for each variable that stands in several places: it has one value, and these may have had several.
    static func shared(_ guesses: [Guess]) -> [Guess] {
        var variables: [String] = []
        var places: [String: [String]] = [:]
        var seen: Set<[String]> = []
        for guess in guesses {
            guard let variable = guess.variable, seen.insert([variable, guess.pointer]).inserted else {
                continue
            }
            if places[variable] == nil { variables.append(variable) }
            places[variable, default: []].append(guess.pointer)
        }
        return variables.compactMap { variable in
            guard let own = places[variable], own.count > 1 else { return nil }
            let others = own.count > 4 ? ", …" : ""
            return Guess(
                "",
                "\(variable) stands in \(own.count) places: \(own.prefix(4).joined(separator: ", "))\(others); if these "
                    + "have secrets of their own, give each its own name", .unsure)
        }
    }

    /// `/events/key: … (likely)`: a text without variables, as a draft keeps it.
    package var line: String {
        CapturedText.words((pointer.isEmpty ? "" : pointer + ": ") + "\(text) (\(sureness.rawValue))")
    }
}
