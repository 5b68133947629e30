import AppModel
import Timebase

// Rules that a new version of the app brings.

extension FleetCore {
    /// Puts the rules that a device follows in force for what is asked of its system next.
    @inline(__always)
    mutating func useRules(of slot: Int) {
        guard !editions.isIdle, let edition = editions.change(for: slot) else { return }
        system.follow(rulesByEdition[edition])
    }

    /// Before a process starts: it is one of the version of the app that has reached the device.
    mutating func noteLaunch(_ planned: PlannedAction, slot: Int) {
        guard case .launch = planned.action else { return }
        editions.launch(slot, at: planned.at)
        useRules(of: slot)
    }

    /// The number of the roll-out whose rules a device follows, 0 for the population's own.
    mutating func edition(of slot: Int) -> Int { editions[slot] }

    /// Devices that run the latest of the roll-outs that have begun; `nil` without any.
    mutating func updatedCount(at now: Instant) -> Int? {
        editions.isIdle ? nil : editions.updatedCount(at: now)
    }
}
