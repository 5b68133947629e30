import CollectorModel
import Timebase

/// TrackingSDK: exactly 200 removes the file. Each event begins an upload of the whole file, so that events which are
/// closer than an answer travel twice under any answer.
enum TrackingSDKFixture: SystemFixture {
    static let system = CollectorSystem.trackingSDK
    static let tellsDevicesApart = false

    static let answers = """
        document  | D2   S2  S2  S2  S2  S2  S2  S2  S2  S2  | S2  S2  S2  | S2   S2   S2    T2
        """

    static func upload(ids: [String?]) -> SystemUpload {
        let events = ids.enumerated().map { SystemUpload.trackingEvent($1, second: 1_556_107_397 + $0) }
        return .tracking("[\(events.joined(separator: ","))]")
    }

    /// Its requests carry the same events side by side, as often as the users act; and what an answer of 200 clears
    /// before its own request has failed is gone.
    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {
        (expected.lost, expected.copies) = (nil, nil)
    }

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] { [.trackingSDK()] }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        .trackingSDK(sdk: knobs(&draw))
    }

    private static func knobs(_ draw: inout RandomStream) -> String {
        """
        "clear": "\(RandomScenario.pick(["all", "sent-only"], &draw))", "storage": {"prefill": \(draw.below(10))},
        "autoTrack": {"withoutEvent": \(draw.chance(0.5))},
        "upload": {"success": "\(RandomScenario.pick(["200", "2xx"], &draw))", "sockets": \(1 + draw.below(4)),
                   "timeout": "\(100 + draw.below(4000))ms"}
        """
    }
}

extension SystemUpload {
    package static func trackingEvent(_ id: String?, second: Int) -> String {
        let parameters = id.map { #"{"page":"Home","bs_id":"\#($0)"}"# } ?? #"{"page":"Home"}"#
        return #"{"event_name":"PageView","parameters":\#(parameters),"timestamp":\#(second).123}"#
    }

    package static func tracking(_ json: String) -> SystemUpload {
        SystemUpload(
            system: .trackingSDK, path: "/tracking/events",
            headers: [.contentType: "application/json"], body: Array(json.utf8))
    }
}

extension SystemMember {
    static func trackingSDK(_ name: String = "trackingsdk", sdk: String = "") -> SystemMember {
        SystemMember(name: name, system: "trackingsdk", version: "document", sdk: sdk)
    }
}
