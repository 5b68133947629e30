package import Accounting
import AppModel
import DeviceSDK
import Wire

/// What the answers know of a dataset before anything is played.
package struct DatasetFacts: Sendable {
    /// Of each population, the system's events.
    package let labels: [[EventLabel]]
    let systems: [String]
    /// The columns of the apps' own properties.
    let propertyColumns: PropertyColumns
    /// The steps of the funnel: names of events, each once.
    let funnel: [String]
    /// Of each population, what brings revenue there: the app's events that have a price of their own.
    let prices: [[RevenueKey]]
    /// Of each population, its name in the tables.
    private let populationNames: [String]
    /// Of each population, the columns that its events may have values in.
    private let columns: [Set<String>]
    /// By population and label. One name may stand for several, where SDKs exchange them.
    private let steps: [[[Int]]]

    package init(_ all: DatasetPlans) {
        let plans = all.populations
        systems = all.systems
        let labels = plans.map { plan in
            var single = plan
            single.deviceCount = 1
            return makeFleet(plan: single, share: .whole).labels
        }
        let funnel = plans.first.map { DatasetFacts.funnel(of: $0.app) } ?? []
        let isStep = funnel.map { DatasetFacts.names(of: $0, in: labels) }
        steps = labels.map { labels in
            labels.map { label in isStep.indices.filter { isStep[$0].containsExactly(label.name) } }
        }
        populationNames = all.names
        let propertyColumns = all.propertyColumns
        self.propertyColumns = propertyColumns
        prices = plans.map { DatasetFacts.prices(of: $0.app, propertyColumns) }
        columns = plans.map { Set(EventField.fields(of: $0, propertyColumns).map(\.column)) }
        self.labels = labels
        self.funnel = funnel
    }

    /// By label of a population: the app's event that it stands for, where that is a pattern's mistake.
    func variants(of plan: PopulationPlan) -> [BusinessEvent?] {
        var variants = labels[plan.index].map { _ in BusinessEvent?.none }
        let events = plan.app.events
        // A system's labels have the app's events one after the other, if it is told of them at all.
        let names = labels[plan.index].map(\.ownName)
        guard !events.isEmpty, names.count >= events.count,
            let first = (0...names.count - events.count).first(where: { first in
                events.indices.allSatisfy { names[first + $0].isExactly(events[$0].name) }
            })
        else { return variants }
        for (index, event) in events.enumerated() where event.variant != nil {
            variants[first + index] = event
        }
        return variants
    }

    /// The steps that an event is, as the funnel's query tells them: by its name in the tables.
    func steps(ofLabel label: Int, population: Int) -> [Int] { steps[population][label] }

    /// The names by which some populations' tables tell one of the app's events: its own, and those under which described
    /// SDKs send it, unless something else is called so, too.
    ///
    /// - Parameter populations: By default all.
    /// - Returns: At least one.
    func names(of event: String, in populations: [Int]? = nil) -> [String] {
        DatasetFacts.names(of: event, in: populations?.map { labels[$0] } ?? labels)
    }

    private static func names(of event: String, in labels: [[EventLabel]]) -> [String] {
        var own: Set<ExactText> = []
        var others: Set<ExactText> = []
        for label in labels.joined() {
            let isOwn = label.ownName.isExactly(event)
            if isOwn || label.name.isExactly(event) { own.insert(ExactText(label.name)) }
            if !isOwn { others.insert(ExactText(label.name)) }
        }
        others.remove(ExactText(event))
        let told = own.subtracting(others)
        return told.isEmpty ? [event] : told.sorted().map(\.text)
    }

    /// What an app's events bring: of those of one name, the first that has a price.
    private static func prices(of app: AppDescription, _ columns: PropertyColumns) -> [RevenueKey] {
        var prices: [RevenueKey] = []
        for event in app.events where event.variant == nil {
            guard let price = EventField.price(of: event), let column = columns[price] else { continue }
            let key = RevenueKey(name: event.name, column: column)
            if !prices.contains(where: { $0.name.isExactly(key.name) }) { prices.append(key) }
        }
        return prices
    }

    /// The populations in which something brings revenue; `nil` where all that have values in its column are.
    ///
    /// In others, the column is that of the same property of something else: one that the app registers for all events,
    /// or that another event of the same name has.
    func populations(with key: RevenueKey) -> [String]? {
        let isOwn = prices.map { $0.contains(key) }
        let others = columns.indices.filter { !isOwn[$0] && columns[$0].contains(key.column) }
        return others.isEmpty ? nil : isOwn.indices.filter { isOwn[$0] }.map { populationNames[$0] }
    }

    /// The way to what an app is about: known for the preset apps; for others, the first events of their description.
    private static func funnel(of app: AppDescription) -> [String] {
        let known = [
            ["ViewProduct", "AddToCart", "SubmitOrder", "PayOrder"],
            ["ViewFeed", "OpenArticle", "ReadArticle", "ShareArticle"],
            ["LevelStart", "LevelEnd", "Purchase"],
        ]
        let names = app.events.map(\.name)
        if let steps = known.first(where: { $0.allSatisfy(names.containsExactly) }) { return steps }
        var steps: [String] = []
        // Events of one name are one step: nothing in the tables tells them apart.
        for event in app.events where !event.isWeb && event.variant == nil {
            if !steps.containsExactly(event.name) { steps.append(event.name) }
        }
        return Array(steps.prefix(4))
    }
}
