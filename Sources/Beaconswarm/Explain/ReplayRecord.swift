import Accounting
import Reporting
import Timebase
import VirtualEngine
import Wire

/// The file `replay.json` of a run's folder: what `explain` needs beside `scenario.json` and `beliefs.txt` to follow a
/// device through the run.
struct ReplayRecord: Hashable, Sendable {
    static let schema = "beaconswarm.replay/1"
    static let fileName = "replay.json"
    static let scenarioName = "scenario.json"
    static let traceName = "trace.ndjson"

    var toolVersion: String
    /// Of the bytes of `scenario.json`.
    var scenarioSHA256: String
    /// What tells the values that the scenario's variables had; empty where nobody kept it.
    var variables: [String: String] = [:]
    /// When the run's clock began.
    var start: Instant
    /// When users were stopped before their time.
    var usersStoppedAt: Instant?
    /// When the drain was over; told of virtual runs only.
    var drainEndedAt: Instant?
    /// Whether the run was asked to end before its time: nobody can ask at the same instant again.
    var isInterrupted = false
    /// Whether a program had parts of its own in the place of the SDK's.
    var hasServices = false
    /// The path given to `--events`.
    var events: String?

    /// The run's file of events where it wrote it, or beside its folder; `nil` where it kept none, or where it is gone.
    func eventFile(in folder: String) -> String? {
        guard let path = events else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return [path, "\(folder)/\(name)", "\(folder)/../\(name)"].first(where: OutputFile.exists)
    }

    func bytes() -> [UInt8] {
        func time(_ instant: Instant?) -> JSONNode { instant.map { .int($0.nanoseconds) } ?? .null }
        let sums = variables.sorted { $0.key < $1.key }.map { ($0.key, JSONNode.text($0.value)) }
        let node = JSONNode.object([
            ("schema", .text(ReplayRecord.schema)), ("tool_version", .text(toolVersion)),
            ("scenario_sha256", .text(scenarioSHA256)), ("variables", .object(sums)),
            ("start_ns", time(start)),
            ("users_stopped_ns", time(usersStoppedAt)), ("drain_ended_ns", time(drainEndedAt)),
            ("interrupted", .bool(isInterrupted)), ("services", .bool(hasServices)),
            ("events", events.map(JSONNode.text) ?? .null),
        ])
        return Array((node.prettyText() + "\n").utf8)
    }

    /// Reads the file of a run's folder.
    ///
    /// - Throws: ``CommandFailure`` with code 104 where there is none, or where it cannot be read.
    init(of folder: String) throws(CommandFailure) {
        let path = "\(folder)/\(ReplayRecord.fileName)"
        let bytes = try OutputFile.read(path, failing: .invalidScenario)
        guard let node = try? JSONReader.readStrictly(bytes), node["schema"]?.string == ReplayRecord.schema,
            let version = node["tool_version"]?.string, let sha = node["scenario_sha256"]?.string,
            let start = try ReplayRecord.time("start_ns", of: node, path)
        else {
            throw CommandFailure(.invalidScenario, "\(path): not a file of schema \(ReplayRecord.schema)")
        }
        self.init(toolVersion: version, scenarioSHA256: sha, start: start)
        for sum in node["variables"]?.members ?? [] { variables[sum.key] = sum.value.string }
        usersStoppedAt = try ReplayRecord.time("users_stopped_ns", of: node, path)
        drainEndedAt = try ReplayRecord.time("drain_ended_ns", of: node, path)
        isInterrupted = node["interrupted"] == .bool(true)
        hasServices = node["services"] == .bool(true)
        events = node["events"]?.string
    }

    init(toolVersion: String, scenarioSHA256: String, start: Instant) {
        self.toolVersion = toolVersion
        self.scenarioSHA256 = scenarioSHA256
        self.start = start
    }

    /// A time of a run's clock under a key; `nil` where there is none.
    private static func time(
        _ key: String, of node: JSONNode, _ path: String
    ) throws(CommandFailure) -> Instant? {
        guard let value = node[key], value != .null else { return nil }
        guard let instant = node.instant(key), instant >= Instant(nanoseconds: 0) else {
            throw CommandFailure(
                .invalidScenario,
                "\(path): \(key): found \(value.compactText), expected nanoseconds since 1970 of a time before 2200"
            )
        }
        return instant
    }
}
