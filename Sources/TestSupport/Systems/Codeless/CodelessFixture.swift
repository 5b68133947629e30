import CollectorModel
import Timebase
import Wire

/// The codeless SDK: success takes a part out of memory, by this project's choice any 2xx; its flow has no way back for
/// a part that failed, which stays where it is until the process ends.
enum CodelessFixture: SystemFixture {
    static let system = CollectorSystem.codeless
    static let weight = 2

    static let answers = """
        document  | D       T   K   K   K   K   K   K   K   K   | D   D   K   | K    K    K     T
        """

    static func upload(ids: [String?]) -> SystemUpload { .codeless(ids: ids) }

    /// A part that failed is not tried again.
    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {
        switch disturbance {
        case .tooLarge, .unavailable, .slowAndUnavailable: expected.kept = 0.3
        case .lostReplies: (expected.kept, expected.copies) = (0.3, 0)
        case .portal, .slowMidnight: break
        }
    }

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] { [.codeless()] }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        SystemMember(name: "", system: system.rawValue, version: versions[0], sdk: knobs(&draw))
    }

    private static func knobs(_ draw: inout RandomStream) -> String {
        """
        "retryFailedParts": \(draw.chance(0.5)), "persistEventsID": \(draw.chance(0.5)),
        "sessionTimeout": "\(draw.below(3000))ms", "remoteConfig": {"enabled": \(draw.chance(0.7))},
        "storage": {"prefill": \(draw.below(30))},
        "upload": {"batch": \(1 + draw.below(12)), "flushBulkSize": \(1 + draw.below(12)),
                   "flushInterval": "\(200 + draw.below(5000))ms", "concurrency": \(1 + draw.below(4)),
                   "timeout": "\(100 + draw.below(4000))ms", "onLaunch": \(draw.chance(0.8)),
                   "onForeground": \(draw.chance(0.7)), "onBackground": \(draw.chance(0.7))}
        """
    }
}

extension SystemUpload {
    package static func codeless(ids: [String?], eventsID: String = "00ff") -> SystemUpload {
        var body = WireBuffer()
        body.appendProtobufField(1, string: "app-1")
        body.appendProtobufField(2, string: "d-1")
        body.appendProtobufField(3, string: eventsID)
        for (index, id) in ids.enumerated() {
            body.appendProtobufField(4) { event in
                event.appendProtobufField(1, string: "ButtonClick")
                event.appendProtobufField(2, int64: 1_700_000_000_000 + Int64(index))
                event.appendProtobufField(4, string: "Home")
                if let id { event.appendProtobufField(15, string: id) }
            }
        }
        return codeless(body.bytes)
    }

    package static func codeless(_ body: [UInt8], eventsID: String = "") -> SystemUpload {
        SystemUpload(
            system: .codeless, path: "/codeless/v1/events",
            headers: [.contentType: "application/x-protobuf", .eventsID: eventsID], body: body)
    }
}

extension SystemMember {
    static func codeless(
        _ name: String = "codeless", upload: String = #""flushBulkSize": 6, "batch": 6"#, more: String = ""
    ) -> SystemMember {
        SystemMember(
            name: name, system: "codeless", version: "document", sdk: "\"upload\": {\(upload)}\(more)")
    }

    static let corrected = #", "retryFailedParts": true, "persistEventsID": true"#
}
