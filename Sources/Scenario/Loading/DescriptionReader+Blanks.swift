import CollectorModel
import SDKDescription
import Wire

// Events of which a collector could not read something.

extension DescriptionReader {
    /// Warns of events whose name, time or id is nowhere in what is sent.
    ///
    /// - Parameter place: The whole description.
    static func warnOfBlanks(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        let blanks = UploadDescription(sdk).blanks(in: sdk)
        warn(
            blanks.unnamed, sdk, place,
            "the name is nowhere in the event: a collector that reads by this description calls it otherwise, or takes it "
                + "for none (undecodable, and acked_not_found in an audit); have it in, such as "
                + "\"event\": \"{{name}}\"", &reading)
        warn(
            blanks.untimed, sdk, place,
            "the time of the capture is nowhere in the event, or not where others have it: a collector reads what stands "
                + "there (undecodable if that is no time), else takes the moment at which the event arrives; have it in, "
                + "such as \"timestamp\": \"{{time|iso}}\"", &reading)
        guard !blanks.unidentified.isEmpty else { return }
        let key = place.value(at: ["events", "key"]) ?? place.value(at: ["events"]) ?? place
        reading.warn(
            key.path,
            "\(list(blanks.unidentified)): nothing here differs from one event of a user to the next, so that events "
                + "without \"bs_id\" are taken for copies of each other; name a place of {{id}}")
    }

    /// Warns once for each envelope.
    private static func warn(
        _ actions: [DescribedSDK.Action], _ sdk: DescribedSDK, _ place: Place, _ text: String,
        _ reading: inout Reading
    ) {
        var envelopes: [(path: JSONPath, actions: [DescribedSDK.Action])] = []
        for action in actions {
            let path = envelope(of: action, sdk, place).path
            if let index = envelopes.firstIndex(where: { $0.path == path }) {
                envelopes[index].actions.append(action)
            } else {
                envelopes.append((path, [action]))
            }
        }
        for envelope in envelopes { reading.warn(envelope.path, "\(list(envelope.actions)): \(text)") }
    }

    /// Where an action's envelope is written: its own part of it, its lane's, or the common one.
    private static func envelope(
        of action: DescribedSDK.Action, _ sdk: DescribedSDK, _ place: Place
    ) -> Place {
        if let fields = place.value(at: ["events", action.rawValue, "fields"]) { return fields }
        if let lane = sdk.events.actions[action]?.lane, lane > 0,
            let common = place.value(at: ["lanes", sdk.lanes[lane - 1].name, "common"])
        {
            return common
        }
        return place.value(at: ["events", "common"]) ?? place
    }

    private static func list(_ actions: [DescribedSDK.Action]) -> String {
        actions.map(\.rawValue).joined(separator: ", ")
    }
}
