package import Timebase
package import World

/// What was true on a device when an event was captured, beyond the event itself. Events between two changes share one
/// entry of the device's epoch log.
package struct DeclaredEpoch: Hashable, Sendable {
    /// The start of the session, and of the one before.
    package var sessionStart: Instant
    package var previousStart: Instant
    /// When the anonymous id was made.
    package var anonymousSince: Instant
    /// The account that is logged in.
    package var account: UInt32?
    /// Counts the sessions from 1; 0 before the first.
    package var session: UInt32 = 0
    /// The first session of this installation.
    package var firstSession: UInt32 = 1
    /// The sequence of the session's first event.
    package var sessionFirst: UInt32 = 0
    /// Which anonymous id is in use.
    package var anonymousGeneration: UInt16 = 0
    /// Counts the installations of the app from 0.
    package var installation: UInt8 = 0
    /// Index into the app's versions.
    package var appVersion: UInt16 = 0
    /// How often the app came to the foreground and left it; 0 where no event tells.
    package var foregrounds: UInt16 = 0
    package var backgrounds: UInt16 = 0
    package var network: NetworkKind

    package init(start: Instant, network: NetworkKind) {
        sessionStart = start
        previousStart = start
        anonymousSince = start
        self.network = network
    }
}
