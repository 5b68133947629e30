import AppModel
import Timebase

// Rules that a new version of the app brings, and configurations that get around among devices.

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

    /// What a device makes of the answer to a fetch: the collector's, unless that has not reached it yet.
    mutating func answer(
        _ outcome: RequestOutcome, to request: RequestNumber, of slot: Int, at now: Instant
    ) -> RequestOutcome {
        guard case .answered(let status, _, _, _) = outcome, status == 200 || status == 304,
            let asked = system.askedConfig(request, of: devices[slot])
        else { return outcome }
        return configs.answer(to: asked, slot: slot, at: now) ?? outcome
    }

    /// Devices that follow the latest of the roll-outs that have begun, of the app or of a configuration; `nil` without any.
    mutating func updatedCount(at now: Instant) -> Int? {
        guard !editions.isIdle || !configs.isIdle else { return nil }
        let latest = [editions.latest(at: now), configs.latest(at: now)].compactMap { $0 }
        return latest.max { $0.from < $1.from }?.devices ?? 0
    }
}
