import SDKDescription
import Wire

extension DescriptionReader {
    /// Reports what each attempt has of its own in the place of what names an event: the event would be another one each
    /// time that it is sent.
    static func checkPerEvent(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        for lane in 0...sdk.lanes.count {
            let group: [String] = lane == 0 ? [] : ["lanes", sdk.lanes[lane - 1].name]
            let perEvent = sdk.request(ofLane: lane).perEvent
            // A lane that says nothing of it has what the main one has.
            if lane > 0, perEvent == sdk.request.perEvent { continue }
            let events = sdk.events.actions.values.filter {
                sdk.request(ofLane: $0.lane).perEvent == perEvent
            }
            let paths = sdk.events.key + events.compactMap { sdk.tag(of: $0) }
            let names = Set(paths.compactMap(\.tokens.first))
            for name in perEvent.compactMap(\.name) where names.contains(name) {
                reading.report(
                    .conflict, place.value(at: group + ["request", "perEvent", name]) ?? place,
                    found: "\"\(name)\"",
                    allowed:
                        "no member that \"tag\" or \"key\" leads to: what each attempt has of its own names no event"
                )
            }
        }
    }
}
