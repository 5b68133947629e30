import DeviceSDK
package import Timebase
package import World

/// What was true on a device when an event was captured, beyond the event itself. Events between two
/// changes share one entry of the device's epoch log.
package struct GrowingEpoch: Hashable, Sendable {
    /// When the screen's own view controller, and the last container around one, appeared: 3.x tells it
    /// with every click.
    package var pageShownAt = Instant.distantFuture
    package var containerShownAt = Instant.distantFuture
    /// The account that is logged in.
    package var account: UInt32?
    package var appVersion: UInt16 = 0
    /// Counts the device's sessions from 0.
    package var session: UInt32 = 0
    /// The process' number, if it decides the order of interceptors; else 0.
    package var process: UInt32 = 0
    /// Bit n: group n of the app's general properties is set (4.x; 64 groups at most).
    package var generalProperties: UInt64 = 0
    /// The page of the last PAGE that was built, screen << 16 | node (4.x with `customEventWithPath`);
    /// ``GrowingTemplates/none`` before the process has built one.
    package var lastPage = GrowingTemplates.none
    package var network = NetworkKind.wifi
    /// The app has told the SDK its location.
    package var hasLocation = false
    /// Counts the installations of the app from 0.
    package var installation: UInt8 = 0

    package init() {}
}

/// Bits of ``EventRecord/flags`` in a GrowingIO fleet.
package struct GrowingEventFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `appState` is BACKGROUND.
    package static let background = GrowingEventFlags(rawValue: 1 << 0)
    /// ``EventRecord/detail`` is a duration in milliseconds (`event_duration`).
    package static let timed = GrowingEventFlags(rawValue: 1 << 1)
    /// Timed, with a subject that takes the duration's place; see ``TimedSubject``.
    package static let wide = GrowingEventFlags(rawValue: 1 << 2)
}
