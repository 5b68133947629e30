import DeviceSDK
import Timebase

/// A key that an event's caller or the dynamic super properties give a value at times only: what
/// validation refuses is not there, and the source of the next lower priority shows.
///
/// Sources: sa-sdk-ios v4.9.1 (`SACustomPropertyPlugin.m properties`, `SADynamicSuperPropertyPlugin.m
/// buildDynamicSuperProperties`: both validate before the sources are merged, and validation leaves
/// `NSNull`, NaN and infinity out) and v1.10.17 (`track:withProperties:withType:` gives up the whole
/// dictionary of dynamic super properties for one bad value, and the whole event for one of the
/// caller's).
///
/// A super property with the name of a dynamic one does not come back: the first good value has
/// unregistered it.
struct SensorsUncertainKey {
    let key: Int
    /// The caller's, if it may be refused.
    var own: SensorsMember?
    /// The dynamic super property of that name, if there is one.
    var dynamic: SensorsMember?
}

/// The keys that an event does without.
struct SensorsMissingKeys {
    /// The caller's value is refused.
    var own: [Int] = []
    /// Neither the caller nor the dynamic super properties give one.
    var all: [Int] = []
}

extension SensorsEventEncoder {
    /// What an event's draws leave out. Draws as writing does.
    func missingKeys(
        _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws
    ) -> SensorsMissingKeys {
        var missing = SensorsMissingKeys()
        guard !template.uncertain.isEmpty else { return missing }
        let refusesDynamics = refusesDynamics(event)
        for uncertain in template.uncertain {
            if let own = uncertain.own {
                guard isRefused(own, event) else { continue }
                missing.own.append(uncertain.key)
            }
            if let dynamic = uncertain.dynamic, !refusesDynamics {
                guard catalogue.isVersion4, isRefused(dynamic, event) else { continue }
            }
            missing.all.append(uncertain.key)
        }
        return missing
    }

    /// Whether 1.x gives up the dynamic super properties of an event.
    func refusesDynamics(_ event: borrowing SensorsEventDraws) -> Bool {
        guard !catalogue.isVersion4, catalogue.dynamicsDepend else { return false }
        for member in catalogue.dynamics where isRefused(member, event) { return true }
        return false
    }

    private func isRefused(_ member: SensorsMember, _ event: borrowing SensorsEventDraws) -> Bool {
        var own = event.stream.child(member.ordinal)
        return member.value.isRefused(&own, subject: event.context.subject)
    }
}
