import Scenario

/// The warnings of several runs of one scenario, each told once: those of the scenario itself as they are, and those
/// that only some of its variants, or points of a sweep, have behind the first of these.
struct SeriesWarnings {
    /// The most warnings of variants or points that are told one by one: values in the texts may tell all points of a
    /// sweep apart.
    static let limit = 50

    /// A warning that the scenario itself does not have.
    private struct Other {
        var text: String
        /// The first that has it.
        var first: String
        /// How many have it besides.
        var more = 0
    }

    /// What one of the runs is called, such as `variant`.
    private let noun: String
    private var own: [String] = []
    private var others: [Other] = []
    /// Where a text stands among the others.
    private var places: [String: Int] = [:]

    /// - Parameter noun: What one of the runs is called, in the singular; its plural ends with "s".
    init(calling noun: String) { self.noun = noun }

    /// Takes the scenario's own.
    init(of document: ScenarioDocument, calling noun: String) {
        self.init(calling: noun)
        addOwn(document.warnings.map(\.placedText))
    }

    /// Takes what is to be told of the scenario as a whole, before all that is told of one of the runs.
    mutating func addOwn(_ texts: [String]) {
        for text in texts where !own.contains(text) { own.append(text) }
    }

    /// Takes the warnings of a variant or a point, without secrets, as its name is.
    mutating func add(_ texts: [String], of name: String) {
        var seen: Set<String> = []
        for text in texts where !own.contains(text) && seen.insert(text).inserted {
            if let place = places[text] {
                others[place].more += 1
            } else {
                places[text] = others.count
                others.append(Other(text: text, first: name))
            }
        }
    }

    /// Takes what the scenario of a variant or a point has to say.
    mutating func add(of document: ScenarioDocument, as name: String) {
        add(document.warnings.map(\.placedText), of: name)
    }

    /// A line for each, those of the scenario first.
    var lines: [String] {
        let told = others.prefix(SeriesWarnings.limit).map { other in
            let rest = other.more > 0 ? " and \(other.more.of("more \(noun)"))" : ""
            return "\(noun) \(other.first)\(rest): \(other.text)"
        }
        let left = others.count - told.count
        return own + told + (left > 0 ? ["\(noun)s: \(left.of("more such warning"))"] : [])
    }
}
