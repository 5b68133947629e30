package import Accounting
package import Timebase

/// A captured event in 32 bytes: what its JSON is made from, whenever it is sent.
///
/// Everything that does not fit in here is either a pure function of the record (property values,
/// `_track_id`: drawn from streams keyed by device and sequence) or an entry of the device's epoch
/// log, which holds what was true at the time of capture.
package struct EventRecord: Sendable {
    /// Planned time of capture on the run's clock.
    package var capturedAt: Instant
    /// Counts the device's events from 0, without holes.
    package var sequence: UInt32
    /// The state of the device at capture: an index into its epoch log.
    package var epoch: UInt32
    /// Whatever the template needs: the subject of a business event, milliseconds of a duration, a
    /// row, an account.
    package var detail: UInt32
    /// What the event is: an index into the system's table of templates.
    package var template: UInt16
    package var screen: UInt16
    /// The control tapped, or the screen before this one.
    package var control: UInt16
    /// Uploads that carried the event so far, saturating.
    package var attempts: UInt16
    /// System-defined bits.
    package var flags: UInt16
    /// Requests in the air that carry the event.
    package var inFlight: UInt8
    /// What the store makes of the row (idle, uploading, removed while in flight …).
    package var status: UInt8

    package init(
        capturedAt: Instant, sequence: UInt32, epoch: UInt32, template: UInt16, screen: UInt16 = .max,
        control: UInt16 = .max, detail: UInt32 = 0, flags: UInt16 = 0
    ) {
        self.capturedAt = capturedAt
        self.sequence = sequence
        self.epoch = epoch
        self.template = template
        self.screen = screen
        self.control = control
        self.detail = detail
        self.flags = flags
        attempts = 0
        inFlight = 0
        status = 0
    }
}

extension EventRecord {
    /// An upload carries the event.
    package mutating func countAttempt() { attempts = attempts < .max ? attempts + 1 : .max }

    /// An upload that was counted never left.
    package mutating func takeBackAttempt() { attempts -= attempts > 0 ? 1 : 0 }

    /// The event with its fate.
    ///
    /// - Parameter device: The device's number in the run.
    package func sealed(
        _ disposition: Disposition, device: UInt32, ackedAt: Instant, naturalKey: NaturalKey?
    ) -> SealedEvent {
        SealedEvent(
            id: EventID(device: device, sequence: sequence), label: template, attempts: attempts,
            disposition: disposition, capturedAt: capturedAt, ackedAt: ackedAt, naturalKey: naturalKey)
    }
}
