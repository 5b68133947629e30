package import Scenario
package import VirtualEngine

extension VirtualConfiguration {
    /// The run that a scenario's plans describe.
    ///
    /// - Parameter sizes: Of uploads whose bytes are neither made nor read; `nil` writes and reads each one.
    package init(_ plans: ScenarioPlans, sizes: BodySizes? = nil) {
        self.init(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector,
            server: plans.server)
        self.sizes = sizes
    }
}
