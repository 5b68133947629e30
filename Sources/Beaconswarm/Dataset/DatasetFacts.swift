import Accounting
import AppModel
import DeviceSDK

/// What the answers know of a dataset before anything is played.
struct DatasetFacts: Sendable {
    /// Of each population, the system's events.
    let labels: [[EventLabel]]
    let systems: [String]
    /// The steps of the funnel: names of events.
    let funnel: [String]
    /// By population and label.
    private let steps: [[Int?]]

    init(_ plans: [PopulationPlan]) {
        systems = plans.map(\.system.systemName)
        let labels = plans.map { plan in
            var single = plan
            single.deviceCount = 1
            return makeFleet(plan: single, share: .whole).labels
        }
        let funnel = plans.first.map { DatasetFacts.funnel(of: $0.app) } ?? []
        steps = labels.map { $0.map { label in funnel.firstIndex(of: label.name) } }
        self.labels = labels
        self.funnel = funnel
    }

    func step(ofLabel label: Int, population: Int) -> Int? { steps[population][label] }

    /// The way to what an app is about: known for the preset apps; for others, the first events of their description.
    private static func funnel(of app: AppDescription) -> [String] {
        let known = [
            ["ViewProduct", "AddToCart", "SubmitOrder", "PayOrder"],
            ["ViewFeed", "OpenArticle", "ReadArticle", "ShareArticle"],
            ["LevelStart", "LevelEnd", "Purchase"],
        ]
        let names = app.events.map(\.name)
        if let steps = known.first(where: { Set(names).isSuperset(of: $0) }) { return steps }
        return Array(app.events.filter { !$0.isWeb }.map(\.name).prefix(4))
    }
}
