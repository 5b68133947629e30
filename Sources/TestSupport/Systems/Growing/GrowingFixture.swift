import CollectorModel
import Timebase

/// GrowingIO (`GrowingEventManager.m` of 3.2.1 and 4.11.0): 200 to 299 deletes, all else keeps.
enum GrowingFixture: SystemFixture {
    static let system = CollectorSystem.growing
    static let weight = 3

    static let answers = """
        3.2.1     | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        4.11.0    | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        document  | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        """

    static func upload(ids: [String?]) -> SystemUpload {
        let events = ids.enumerated().map { SystemUpload.growingEvent($1, sequence: $0 + 1) }
        return .growing("[\(events.joined(separator: ","))]")
    }

    /// Ticks come 138 ms after a return of `visitor`, which sends a VISIT.
    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] {
        versions.map { .growing($0, firstFlush: "850ms") }
    }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        let version = RandomScenario.pick(versions, &draw)
        return SystemMember(name: "", system: system.rawValue, version: version, sdk: knobs(version, &draw))
    }

    private static func knobs(_ version: String, _ draw: inout RandomStream) -> String {
        let queue =
            version == "4.11.0"
            ? "" : ", \"queueLimit\": \(10 + draw.below(40)), \"queueRefill\": \(draw.below(10))"
        let keeps = RandomScenario.pick(["\"notSuccess\"", "[403, \"5xx\"]"], &draw)
        return """
            "autotrack": {"pages": "all"}, "debugEnabled": \(draw.chance(0.2)),
            "sessionInterval": "\(draw.below(3000))ms", "dataCollectionEnabled": \(draw.chance(0.9)),
            "services": {"compression": "\(RandomScenario.pick(["none", "lz4", "snappy"], &draw))",
                         "encryption": "\(RandomScenario.pick(["none", "xor", "aes"], &draw))"},
            "storage": {"writeBuffer": \(1 + draw.below(30)), "realtimeWriteBuffer": \(draw.below(5)),
                        "prefill": \(draw.below(30)), "deleteFailureChance": \(RandomScenario.pick(["0", "0.2"], &draw)),
                        "insertFailureChance": \(RandomScenario.pick(["0", "0.2"], &draw)),
                        "maxBytes": \(RandomScenario.pick(["\"none\"", "9000"], &draw))\(queue)},
            "upload": {"batch": \(1 + draw.below(30)), "firstFlush": "\(draw.below(3000))ms",
                       "concurrency": \(1 + draw.below(3)),
                       "flushInterval": "\(200 + draw.below(5000))ms", "jitter": "\(draw.below(500))ms",
                       "timeout": "\(100 + draw.below(4000))ms", "whileInBackground": \(draw.chance(0.3)),
                       "onBackground": \(draw.chance(0.3)), "keepStatuses": \(keeps)}
            """
    }
}

extension SystemUpload {
    package static func growingEvent(_ id: String?, sequence: Int, type: String = "CUSTOM") -> String {
        let attributes = id.map { #","attributes":{"bs_id":"\#($0)"}"# } ?? ""
        return #"{"eventType":"\#(type)","timestamp":1700000000000,"deviceId":"d-1","sessionId":"s-1","#
            + #""globalSequenceId":\#(sequence),"eventSequenceId":1,"eventName":"buy"\#(attributes)}"#
    }

    package static func growing(
        _ body: some Sequence<UInt8>, query: String = "stm=1700000000123",
        path: String = "/v3/projects/p-1/collect",
        compress: String = "", crypt: String = "", type: String = "application/json"
    ) -> SystemUpload {
        SystemUpload(
            system: .growing, path: path, query: query,
            headers: [.contentType: type, .compressCodec: compress, .cryptCodec: crypt], body: Array(body))
    }

    package static func growing(_ json: String) -> SystemUpload { growing(json.utf8) }
}

extension SystemMember {
    /// The timer ticks every second, by default in the middle between two actions of `metronome`, so that no
    /// answer is open at a tick that would find its channel busy.
    ///
    /// - Parameters:
    ///   - name: `growing` and the version's digits by default.
    ///   - firstFlush: The first tick, from the start of the process.
    ///   - upload: Further members of `sdk.upload`, after a comma.
    ///   - more: Further members of `sdk`, after a comma.
    static func growing(
        _ version: String, name: String? = nil, firstFlush: String = "778ms", upload: String = "",
        more: String = ""
    ) -> SystemMember {
        SystemMember(
            name: name ?? "growing-\(version.filter { $0 != "." })", system: "growing", version: version,
            sdk: """
                "autotrack": {"pages": "all"},
                         "upload": {"firstFlush": "\(firstFlush)", "flushInterval": "1s"\(upload)}\(more)
                """)
    }

    /// GrowingIO's versions under the same rules.
    static let allGrowing = [growing("3.2.1"), growing("4.11.0"), growing("document")]
}
