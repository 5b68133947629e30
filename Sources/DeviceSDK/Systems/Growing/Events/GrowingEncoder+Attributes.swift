import AppModel
import DeviceSDK
import Timebase
import Wire

extension GrowingEncoder {
    /// The app's own attributes, those that it gave for all events (4.x), and the harness's id.
    func writeAttributes(
        _ event: GrowingEvent, _ skew: Interval, to writer: inout some GrowingWriter
    ) {
        let record = event.record
        let isTimed = GrowingEventFlags(rawValue: record.flags).contains(.timed)
        let subject = !isTimed ? record.detail : record.control == .max ? 0 : UInt32(record.control)
        let sequence = repeats[Int(record.template)] ? record.sequence - 1 : record.sequence
        let context = GrowingText.Context(
            sequence: sequence, subject: subject, capturedAt: record.capturedAt + skew,
            zone: plan.utcOffset)
        let properties = plan.stream(.properties, index: event.index)
        let stream = properties.child(UInt64(sequence))
        let own = attributes[Int(record.template)]
        for member in own.members { put(member, stream, context, to: &writer) }
        if rules.isVersion4 { writeGeneral(event, own, properties, stream, context, to: &writer) }
        if isTimed {
            scratch.removeAll()
            scratch.appendFixed(Int64(record.detail), decimals: 3)
            scratch.withUnsafeBytes { writer.putAttribute(duration, $0) }
        }
        guard plan.tagsEvents else { return }
        scratch.removeAll()
        scratch.appendDecimal(UInt64(event.number))
        scratch.append(UInt8(ascii: "-"))
        scratch.appendDecimal(UInt64(record.sequence))
        scratch.withUnsafeBytes { writer.putAttribute(tag, $0) }
    }

    private func put(
        _ member: GrowingAttributes.Member, _ stream: RandomStream, _ context: GrowingText.Context,
        to writer: inout some GrowingWriter
    ) {
        var own = stream.child(member.ordinal)
        scratch.removeAll()
        member.value.write(&own, context, to: &scratch)
        scratch.withUnsafeBytes { writer.putAttribute(member.key, $0) }
    }

    /// `GrowingGeneralProps`: dynamic ones before static ones, and later groups before earlier ones, where
    /// keys meet; the event's own win over all.
    private func writeGeneral(
        _ event: GrowingEvent, _ own: GrowingAttributes, _ properties: RandomStream, _ stream: RandomStream,
        _ context: GrowingText.Context, to writer: inout some GrowingWriter
    ) {
        for member in dynamic.members where !own.contains(member.key.name) {
            put(member, stream, context, to: &writer)
        }
        guard event.epoch.generalProperties != 0 else { return }
        for (place, group) in groups.enumerated() where isSet(place, event.epoch) {
            // Set once, so the same on every event.
            let stream = properties.child(1 << 40 | UInt64(place))
            for member in group.members {
                let key = member.key.name
                let isTaken =
                    own.contains(key) || dynamic.contains(key)
                    || groups.indices.contains {
                        $0 > place && isSet($0, event.epoch) && groups[$0].contains(key)
                    }
                if !isTaken { put(member, stream, context, to: &writer) }
            }
        }
    }

    private func isSet(_ group: Int, _ epoch: GrowingEpoch) -> Bool {
        group < 64 && epoch.generalProperties & 1 << UInt64(group) != 0
    }
}

extension GrowingTemplates.Kind {
    /// The rules of the attributes that the app passes.
    func properties(of app: AppDescription) -> [PropertyRule] {
        switch self {
        case .custom(let event): app.events[event].properties
        case .attributes(let update): app.profiles[update].properties
        case .variables(let group): app.superProperties[group].properties
        case .visit, .appClosed, .page, .element, .webPage, .webElement, .own: []
        }
    }
}
