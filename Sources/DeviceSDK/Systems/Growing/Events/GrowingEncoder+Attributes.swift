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
        let flags = GrowingEventFlags(rawValue: record.flags)
        let isTimed = flags.contains(.timed)
        let timed = TimedSubject(record, isWide: flags.contains(.wide))
        let subject = isTimed ? timed.subject : record.detail
        let sequence = repeats[Int(record.template)] ? record.sequence - 1 : record.sequence
        let properties = plan.stream(.properties, index: event.index)
        let context = GrowingText.Context(
            sequence: sequence, subject: subject, capturedAt: record.capturedAt + skew,
            zone: zone(event), device: properties, isSignedIn: event.epoch.account != nil)
        let stream = properties.child(UInt64(sequence))
        let own = attributes[Int(record.template)]
        for member in own.members { put(member, stream, context, to: &writer) }
        if rules.isVersion4 { writeGeneral(event, properties, stream, context, to: &writer) }
        if isTimed {
            scratch.removeAll()
            scratch.appendFixed(timed.milliseconds, decimals: 3)
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
        _ event: GrowingEvent, _ properties: RandomStream, _ stream: RandomStream,
        _ context: GrowingText.Context, to writer: inout some GrowingWriter
    ) {
        let general = generalAttributes(of: event.record.template, set: event.epoch.generalProperties)
        for member in general.dynamic { put(member, stream, context, to: &writer) }
        for (group, members) in general.groups {
            // Set once, so the same on every event.
            let stream = properties.child(1 << 40 | UInt64(group))
            for member in members { put(member, stream, context, to: &writer) }
        }
    }

    /// What an event of a template has of the general attributes, looked up once for each set of groups.
    private func generalAttributes(of template: UInt16, set groups: UInt64) -> GrowingGeneralAttributes {
        let key = GrowingGeneralAttributes.Key(template: template, groups: groups)
        if let known = generals[key] { return known }
        let made = GrowingGeneralAttributes(
            own: attributes[Int(template)], dynamic: dynamic, groups: self.groups, set: groups)
        generals[key] = made
        return made
    }
}

/// The general attributes that an event has beside its own.
final class GrowingGeneralAttributes {
    /// - `groups`: bit n says that group n is set.
    struct Key: Hashable {
        var template: UInt16
        var groups: UInt64
    }

    let dynamic: [GrowingAttributes.Member]
    /// By group, in their order.
    let groups: [(group: Int, members: [GrowingAttributes.Member])]

    init(own: GrowingAttributes, dynamic: GrowingAttributes, groups: [GrowingAttributes], set: UInt64) {
        func isSet(_ group: Int) -> Bool { group < 64 && set & 1 << UInt64(group) != 0 }
        self.dynamic = dynamic.members.filter { !own.contains($0.key.name) }
        self.groups = groups.indices.filter(isSet).map { group in
            let members = groups[group].members.filter { member in
                let key = member.key.name
                let isTaken =
                    own.contains(key) || dynamic.contains(key)
                    || groups.indices.contains { $0 > group && isSet($0) && groups[$0].contains(key) }
                return !isTaken
            }
            return (group, members)
        }
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

    /// Whether the app's code sends the event before once more.
    func isRepeated(by app: AppDescription) -> Bool {
        guard case .custom(let event) = self else { return false }
        return app.events[event].variant?.repeats ?? false
    }
}
