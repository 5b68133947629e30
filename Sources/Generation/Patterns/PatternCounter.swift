import Accounting
import AppModel
import DeviceSDK
import Scenario
import Timebase
import Wire

/// What a dataset's truth says of one planted pattern: the rows of its answer, and how large it came out.
package final class PatternCounter {
    let pattern: ScenarioPattern
    /// Its index in the scenario.
    let number: Int
    /// The numbers of the answer's rows, by the values before them.
    private(set) var rows: [[Answer.Value]: [Int]] = [:]
    /// How large it came out.
    private(set) var sizes: [(name: String, count: Int)]
    /// By population and label: what an event is to the pattern.
    private let roles: [[Role]]
    /// By population and label: whether the tables tell such an event by its name. One that shares its name with others
    /// is counted in the pattern's size alone.
    private let isNamed: [[Bool]]
    /// By population and label: what stands in the column of the pattern's property, whichever pattern made it so.
    private let values: [[Value]]

    /// What an event of some label is to a pattern.
    enum Role: UInt8 {
        case none
        /// The pattern's event, as it should be.
        case event
        /// The same, as the pattern made it.
        case affected
        /// Of the funnel's step before.
        case before
    }

    /// What an event of some label has in the column of a property.
    enum Value: UInt8 {
        case sound
        /// Nothing.
        case absent
        /// What is not of the property's type: nothing, in a column that has one.
        case wrong
    }

    /// - Parameter patterns: All of the scenario.
    init(number: Int, of patterns: [ScenarioPattern], _ facts: DatasetFacts, _ plans: [PopulationPlan]) {
        let pattern = patterns[number]
        self.pattern = pattern
        self.number = number
        sizes = pattern.change.sizes.map { ($0, 0) }
        let variants = plans.map { facts.variants(of: $0) }
        roles = plans.map { plan in
            let labels = facts.labels[plan.index]
            return labels.indices.map { label in
                let isVariant = variants[plan.index][label]?.variant?.pattern == number
                return pattern.change.role(of: labels[label], isVariant: isVariant)
            }
        }
        values = variants.map { variants in
            variants.map { variant in
                guard let variant, let maker = variant.variant?.pattern else { return .sound }
                return pattern.change.value(in: variant, madeBy: patterns[maker].change)
            }
        }
        let names = Set(
            pattern.change.events.flatMap { facts.names(of: $0, in: pattern.populations) }.map(ExactText.init)
        )
        isNamed = facts.labels.map { $0.map { names.contains(ExactText($0.name)) } }
    }

    func role(of event: TruthEvent) -> Role { roles[event.population][event.label] }

    func value(of event: TruthEvent) -> Value { values[event.population][event.label] }

    /// Adds to the answer's rows what an event counts there.
    func add(_ counts: [Int], of event: TruthEvent, to key: [Answer.Value]) {
        if isNamed[event.population][event.label] { add(counts, to: key) }
    }

    func add(_ counts: [Int], to key: [Answer.Value]) {
        var sums = rows[key] ?? counts.map { _ in 0 }
        for index in counts.indices { sums[index] += counts[index] }
        rows[key] = sums
    }

    /// What it counts, apart from what it is.
    package struct Totals {
        /// The numbers of the answer's rows, by the values before them.
        var rows: [[Answer.Value]: [Int]]
        /// In the order of ``PatternCounter/sizes``.
        var sizes: [Int]
    }

    package var totals: Totals { Totals(rows: rows, sizes: sizes.map(\.count)) }

    /// Adds what was counted of other devices of the same dataset.
    ///
    /// - Returns: whether it is about the same pattern.
    package func add(_ other: Totals) -> Bool {
        guard other.sizes.count == sizes.count else { return false }
        for (key, counts) in other.rows { add(counts, to: key) }
        for index in sizes.indices { sizes[index].count += other.sizes[index] }
        return true
    }

    func add(_ count: Int, to size: String) {
        guard let index = sizes.firstIndex(where: { $0.name == size }) else { return }
        sizes[index].count += count
    }
}

extension ScenarioPattern.Change {
    /// What its size consists of.
    fileprivate var sizes: [String] {
        switch self {
        case .release: ["devices", "with_version"]
        case .chance, .campaign: ["expected", "counted"]
        case .bots: ["users", "bots", "events_of_bots"]
        case .duplicateEvent: ["expected", "counted"]
        case .missingProperty, .wrongType: ["events", "affected", "affected_arrived"]
        }
    }

    /// The app's events that it is about.
    fileprivate var events: [String] {
        switch self {
        case .release, .campaign, .bots: []
        case .chance(let event, let before): [event] + (before.map { [$0] } ?? [])
        case .duplicateEvent(let event), .missingProperty(let event, _), .wrongType(let event, _): [event]
        }
    }

    /// The key of the property that a mistake is about.
    private var property: String? {
        switch self {
        case .missingProperty(_, let key), .wrongType(_, let key): key
        case .release, .campaign, .bots, .chance, .duplicateEvent: nil
        }
    }

    /// What an event that a pattern made has in the column of this one's property.
    fileprivate func value(
        in variant: BusinessEvent, madeBy maker: ScenarioPattern.Change
    ) -> PatternCounter.Value {
        guard let own = property, let key = maker.property, own.isExactly(key) else { return .sound }
        guard case .wrongType = maker,
            let generator = variant.properties.first(where: { $0.key.isExactly(key) })?.generator
        else { return .absent }
        if case .constant(.null) = generator { return .absent }
        return .wrong
    }

    fileprivate func role(of label: EventLabel, isVariant: Bool) -> PatternCounter.Role {
        let names = [label.ownName, label.name]
        return switch self {
        case .release, .campaign, .bots: .none
        case .chance(let event, let before):
            if names.containsExactly(event) {
                .event
            } else {
                before.map { names.containsExactly($0) } ?? false ? .before : .none
            }
        case .duplicateEvent(let event), .missingProperty(let event, _), .wrongType(let event, _):
            isVariant ? .affected : names.containsExactly(event) ? .event : .none
        }
    }
}
