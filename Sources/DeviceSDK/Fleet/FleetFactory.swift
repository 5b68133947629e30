import Accounting
import Timebase
import Wire
import World

/// Makes the devices of a population, or of a shard's share of it, with their stores in memory,
/// whatever backend the plan names.
///
/// The one place that turns the closed set of systems into their own types.
package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
    switch plan.system {
    case .sensors(let rules):
        SensorsMemoryFleet(
            SystemFleet(
                plan: plan, share: share,
                system: SensorsSystem(plan: plan, rules: rules) { _ in
                    MemoryStore(marksInFile: rules.marksInFile)
                }))
    case .growing(let rules):
        GrowingFleet(SystemFleet(plan: plan, share: share, system: GrowingSystem(plan: plan, rules: rules)))
    case .trackingSDK(let rules):
        TrackingSDKFleet(
            SystemFleet(plan: plan, share: share, system: TrackingSDKSystem(plan: plan, rules: rules)))
    case .kit(let rules):
        KitFleet(SystemFleet(plan: plan, share: share, system: KitSystem(plan: plan, rules: rules)))
    case .codeless(let rules):
        CodelessFleet(SystemFleet(plan: plan, share: share, system: CodelessSystem(plan: plan, rules: rules)))
    }
}

extension SensorsRules {
    /// Whether the store's table has a column for the marks of uploads.
    package var marksInFile: Bool { version == .v4 }
}

/// Devices whose stores are in memory.
private final class SensorsMemoryFleet: FleetFront {
    let fleet: SystemFleet<SensorsSystem<MemoryStore>>
    init(_ fleet: SystemFleet<SensorsSystem<MemoryStore>>) { self.fleet = fleet }
}

private final class GrowingFleet: FleetFront {
    let fleet: SystemFleet<GrowingSystem<GrowingMemoryTable>>
    init(_ fleet: SystemFleet<GrowingSystem<GrowingMemoryTable>>) { self.fleet = fleet }
}

private final class TrackingSDKFleet: FleetFront {
    let fleet: SystemFleet<TrackingSDKSystem>
    init(_ fleet: SystemFleet<TrackingSDKSystem>) { self.fleet = fleet }
}

private final class CodelessFleet: FleetFront {
    let fleet: SystemFleet<CodelessSystem>
    init(_ fleet: SystemFleet<CodelessSystem>) { self.fleet = fleet }
}

private final class KitFleet: FleetFront {
    let fleet: SystemFleet<KitSystem>
    init(_ fleet: SystemFleet<KitSystem>) { self.fleet = fleet }
}
