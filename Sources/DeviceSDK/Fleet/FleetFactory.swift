/// Makes the devices of a population, or of a shard's share of it, with their stores in memory.
///
/// The one place that turns the closed set of systems into their own types.
package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
    switch plan.system {
    case .sensors(let rules):
        SystemFleet(
            plan: plan, share: share,
            system: SensorsSystem(plan: plan, rules: rules) { _ in EventLog() })
    }
}
