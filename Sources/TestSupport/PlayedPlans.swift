package import DeviceSDK
package import Scenario
package import Timebase
import World

extension ScenarioDocument {
    /// The scenario on the run's clock, as each world that is compared with others plays it.
    ///
    /// Networks that ask for the sizes of uploads work with a model's, as in runs with enough uploads to fit one to,
    /// where the scenario's seed is even; with what is written for their lengths where it is odd.
    package func playedPlans(
        start: Instant, embedded: PopulationPlan.Target = embeddedTarget()
    ) -> ScenarioPlans {
        var plans = plans(start: start, embedded: embedded)
        guard seed.isMultiple(of: 2) else { return plans }
        for index in plans.populations.indices where plans.populations[index].network.links.needSizes {
            plans.populations[index].uploadSizes = .typical
        }
        return plans
    }
}
