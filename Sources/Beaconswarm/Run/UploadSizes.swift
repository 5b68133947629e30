import DeviceSDK
import Generation
import Scenario
import VirtualEngine
import World

/// How many bytes a scenario's uploads have on the way: what networks work with in every run of it, so that each of
/// its events meets the same whether bytes are made or not, by whichever verb, and live as simulated.
struct UploadSizes: Sendable {
    /// `nil` where nobody asks.
    let fitted: BodySizes?
    /// Those of uploads whose bytes are neither made nor read; `nil` where all are.
    let byReference: BodySizes?

    /// Plays a sample of the scenario, where its networks ask for sizes, or where `bodies` are to be measured.
    ///
    /// - Complexity: Bounded, however large the scenario is; see ``BodySizes/fitted(to:fewest:)``.
    init(of document: ScenarioDocument, for bodies: Bodies = .encode) {
        let isAsked = bodies == .measure || document.populations.contains { $0.network.links.needSizes }
        fitted =
            isAsked
            ? .fitted(to: VirtualConfiguration(document.plans(start: document.simulatedStart))) : nil
        byReference = bodies == .measure ? fitted : nil
    }
}

extension ScenarioPlans {
    /// Lets networks work with the sizes of the scenario's uploads.
    mutating func take(_ sizes: UploadSizes) { sizes.fitted?.tell(&populations) }
}
