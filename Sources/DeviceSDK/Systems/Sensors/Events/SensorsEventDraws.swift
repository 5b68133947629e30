import DeviceSDK
import Timebase

/// What an event's values are drawn from.
struct SensorsEventDraws {
    /// The event's own, from which its `_track_id` is; its values may be those of the event before.
    let sequence: UInt32
    let stream: RandomStream
    let context: SensorsValue.Context

    @inline(__always)
    init(_ record: EventRecord, _ view: borrowing SensorsEpochBlock.View) {
        sequence = record.sequence
        let flags = SensorsEventFlags(rawValue: record.flags)
        let source = flags.contains(.repeated) ? record.sequence - 1 : record.sequence
        stream = view.properties.child(UInt64(source))
        var subject = record.detail
        // A duration takes the place of the entity, which is then beside it.
        if flags.contains(.timed) {
            subject = TimedSubject(record, isWide: flags.contains(.wide)).subject
        }
        context = SensorsValue.Context(
            sequence: source, subject: subject, capturedAt: record.capturedAt + view.skew, zone: view.zone,
            device: view.properties, isSignedIn: view.epoch.account != nil)
    }
}
