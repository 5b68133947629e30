import CollectorModel
import SDKDescription
import Wire

// What events get when they are sent.

extension DescriptionReader {
    /// Reports members of `request.perEvent` that stand where a collector reads who an event is: they take the place of what
    /// the event has there.
    static func checkPerEvent(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        for (lane, request) in sdk.requests.enumerated() {
            // A lane that says nothing of it has what the main one has.
            if lane > 0, request.perEvent == sdk.request.perEvent { continue }
            let events = DescribedSDK.Action.allCases.compactMap { sdk.events.actions[$0] }
                .filter { sdk.request(ofLane: $0.lane).perEvent == request.perEvent }
            let keys = lane == 0 ? ["request"] : ["lanes", sdk.lanes[lane - 1].name, "request"]
            for member in request.perEvent {
                let replaced = events.compactMap { part(of: $0, replacedBy: member, sdk) }.first
                guard let replaced, let name = member.name else { continue }
                reading.report(
                    .conflict, place.value(at: keys + ["perEvent", name]) ?? place,
                    found: "\"\(name)\", where events have \(replaced)",
                    allowed: "members that stand where no collector reads an event's name, time, key or bs_id"
                )
            }
        }
    }

    /// What a collector would not find any more.
    private static func part(
        of event: DescribedSDK.EventTemplate, replacedBy member: Template.Member, _ sdk: DescribedSDK
    ) -> String? {
        guard let name = member.name else { return nil }
        if sdk.events.tag != nil, sdk.tag(of: event)?.tokens.first == name { return "bs_id" }
        if sdk.events.key.contains(where: { $0.tokens.first == name }) { return "a part of their key" }
        if event.namePath?.tokens.first == name { return "their name" }
        let time = event.envelope.path { part in
            if case .value(let placeholder) = part { placeholder.source == .time } else { false }
        }
        // A time of the attempt is one, too.
        let isTime = member.value.placeholders.contains { $0.source == .sent || $0.source == .sealed }
        return time?.tokens.first == name && !isTime ? "their time" : nil
    }
}
