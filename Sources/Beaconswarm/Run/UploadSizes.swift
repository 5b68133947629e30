import DeviceSDK
import Scenario
import VirtualEngine
import World

/// How many bytes a scenario's uploads have on the way: what networks work with in every run of it, so that each of
/// its events meets the same whether bytes are made or not, by whichever verb, and live as simulated.
struct UploadSizes: Sendable {
    /// `nil` where nobody asks.
    let fitted: BodySizes?

    /// Plays a sample of the scenario, where its networks ask for sizes, or where `bodies` are to be measured.
    ///
    /// - Complexity: Bounded, however large the scenario is; see ``BodySizes/fitted(to:fewest:)``.
    init(of document: ScenarioDocument, for bodies: Bodies = .encode) {
        let plans = document.plans(start: document.simulatedStart)
        let isAsked = plans.populations.contains { $0.network.links.needSizes }
        fitted = isAsked || bodies == .measure ? .fitted(to: VirtualConfiguration(plans)) : nil
    }
}

extension ScenarioPlans {
    /// Lets networks work with the sizes of the scenario's uploads.
    mutating func take(_ sizes: UploadSizes) { sizes.fitted?.tell(&populations) }
}
