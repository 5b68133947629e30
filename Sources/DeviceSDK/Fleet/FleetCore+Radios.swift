import Timebase
import World

// The radios of the fleet's phones, as far as networks are not ideal.

extension FleetCore {
    /// How long radios were awake; `nil` where networks are ideal. Mutating, for it is asked for at every second of a run,
    /// and would be handed the fleet by a copy otherwise, which is most of the work of a fleet that sleeps.
    var radioTime: TotalTime? { mutating get { radios.isIdle ? nil : radios.timeAwake - ahead.radioTime } }

    /// How often requests woke radios; `nil` where networks are ideal.
    var radioWakeups: UInt64? {
        mutating get { radios.isIdle ? nil : UInt64(Int64(radios.wakeups) - ahead.radioWakeups) }
    }

    /// Tells a device of the radio that it is on by now: before everything else of that moment.
    @inline(__always)
    mutating func followRadio(of slot: Int, through now: Instant, effects: inout DeviceEffects) {
        guard !radios.isIdle, let kind = radios.change(of: slot, through: now) else { return }
        system.setNetwork(kind, of: &devices[slot], at: now, effects: &effects)
    }

    /// Notes the requests that a step asked for; a death in it ended those before.
    @inline(__always)
    mutating func noteRequests(
        of slot: Int, hasDied: Bool, at now: Instant, effects: inout DeviceEffects
    ) {
        guard !radios.isIdle else { return }
        if hasDied { radios.endAll(of: slot, at: now) }
        for index in effects.requests.indices
        where effects.requests[index].radio == nil && effects.requests[index].network != .none {
            effects.requests[index].radio = radios.begin(
                of: slot, on: effects.requests[index].network, at: now)
        }
    }

    @inline(__always)
    mutating func noteEnd(of slot: Int, _ outcome: RequestOutcome, at now: Instant) {
        guard !radios.isIdle, outcome != .failed(.offline) else { return }
        let isWhole = if case .answered = outcome { true } else { false }
        radios.end(of: slot, isWhole: isWhole, at: now)
    }
}
