import DeviceSDK
package import World

/// What was true on a device when an event was captured, beyond the event itself. Events between
/// two changes share one entry of the device's epoch log.
package struct SensorsEpoch: Hashable, Sendable {
    /// The account that is logged in; `nil` while the anonymous id is in use.
    package var account: UInt32?
    /// Which anonymous id is in use: 0 the device's own, 1 the app's of the device, from 2 on one that the
    /// app passed to `identify:` once.
    package var anonymousGeneration: UInt16 = 0
    package var network = NetworkKind.wifi
    /// The installation whose IDFV the device's own anonymous id is.
    package var ownInstallation: UInt8 = 0
    /// Index into the app's versions.
    package var appVersion: UInt16 = 0
    /// Bit n: the app's binding n is among the identities (4.x).
    package var bindings: UInt32 = 0
    /// Bit n: group n of the app's super properties is registered (64 groups at most).
    package var superGroups: UInt64 = 0
    /// The process was started by the system in the background (`$app_state`).
    package var startedPassively = false
    /// Counts the installations of the app from 0.
    package var installation: UInt8 = 0
    /// New ids that the app has passed to `identify:`. Here, because the room is.
    package var identifications: UInt16 = 0

    package init() {}
}

/// Bits of ``EventRecord/flags`` in a Sensors fleet.
package struct SensorsEventFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `$is_first_day`: captured on the local date of the first launch.
    package static let firstDay = SensorsEventFlags(rawValue: 1 << 0)
    /// `$is_first_time` of `$AppStart`.
    package static let firstTime = SensorsEventFlags(rawValue: 1 << 1)
    /// `$resume_from_background` of `$AppStart`.
    package static let resumed = SensorsEventFlags(rawValue: 1 << 2)
    /// ``EventRecord/detail`` is a duration in milliseconds (`event_duration`).
    package static let timed = SensorsEventFlags(rawValue: 1 << 3)
    /// Captured in debug mode.
    package static let debug = SensorsEventFlags(rawValue: 1 << 4)
    /// The app's code sent the event before once more: its values are those of that one.
    package static let repeated = SensorsEventFlags(rawValue: 1 << 5)
    /// Timed, with a subject that takes the duration's place; see ``TimedSubject``.
    package static let wide = SensorsEventFlags(rawValue: 1 << 6)
    /// An `$AppEnd` that the handler of exceptions tracks.
    package static let crashed = SensorsEventFlags(rawValue: 1 << 7)
}
