import Accounting
import Measurement
import Reporting
import Snapshots
import Timebase
import VirtualEngine

/// What makes parts parts of the same run: one that differs in any of it was played from something else.
struct PartIdentity: Hashable, Sendable {
    var toolVersion: String
    /// Of the scenario as it is played, seed and options included.
    var scenarioSHA256: String
    var seed: UInt64
    var count: Int
    var bodies: String
    var start: Instant

    /// What differs first, in words; `nil` for the same run.
    func difference(from other: PartIdentity) -> String? {
        func told(_ what: String, _ mine: some Equatable, _ theirs: some Equatable) -> String? {
            "\(mine)" == "\(theirs)" ? nil : "\(what) \(mine), not \(theirs)"
        }
        return told("version", toolVersion, other.toolVersion) ?? told("seed", seed, other.seed)
            ?? told("of so many parts:", count, other.count) ?? told("bodies", bodies, other.bodies)
            ?? (scenarioSHA256 == other.scenarioSHA256 ? nil : "another scenario, or other options")
            ?? told("start", start, other.start)
    }
}

/// All that a part of a run measured, but for its files: devices' beliefs and lines of events.
struct PartState: Sendable {
    var identity: PartIdentity
    var index: Int
    var devices: Int
    var host: String
    var wall = Interval.zero
    var hasEvents = false
    /// What reports say of the scenario and of what to beware of; the scenario in the folder is the resolved one.
    var reference: Report.ScenarioReference
    var warnings: [String]
    var recorder: RunRecorder
    var audit: Audit
    var unexpectedAnswers: [UnexpectedAnswer]
    var devicesStarted: Int
    var simulated: Interval
    var levels: PartLevels

    var number: PartNumber { PartNumber(index: index, count: identity.count) }
}

extension PartIdentity: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(toolVersion)
        writer.write(scenarioSHA256)
        writer.write(seed)
        writer.write(count)
        writer.write(bodies)
        writer.write(start)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        toolVersion = try reader.text()
        scenarioSHA256 = try reader.text()
        seed = try reader.unsigned()
        count = try reader.int()
        bodies = try reader.text()
        start = try reader.value()
    }
}

extension Report.ScenarioReference: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        for text in [name, description, sha256, expectation?.rawValue ?? ""] { writer.write(text) }
        writer.write(UInt64(overrides.count))
        for text in overrides { writer.write(text) }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let (name, description, sha256) = (try reader.text(), try reader.text(), try reader.text())
        let expectation = Report.Expectation(rawValue: try reader.text())
        var overrides: [String] = []
        for _ in 0..<(try reader.count()) { overrides.append(try reader.text()) }
        self.init(
            name: name, description: description, sha256: sha256, overrides: overrides,
            expectation: expectation)
    }
}

extension PartState: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(identity)
        writer.write(index)
        writer.write(devices)
        writer.write(host)
        writer.write(wall)
        writer.write(hasEvents)
        writer.write(reference)
        writer.write(UInt64(warnings.count))
        for text in warnings { writer.write(text) }
        writer.write(recorder)
        writer.write(audit)
        writer.write(each: unexpectedAnswers)
        writer.write(devicesStarted)
        writer.write(simulated)
        writer.write(levels.log)
        writer.write(optional: levels.quietSince)
        writer.write(levels.closing)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        identity = try reader.value()
        index = try reader.int()
        devices = try reader.int()
        host = try reader.text()
        wall = try reader.value()
        hasEvents = try reader.bool()
        reference = try reader.value()
        warnings = []
        for _ in 0..<(try reader.count()) { warnings.append(try reader.text()) }
        recorder = try reader.value()
        audit = try reader.value()
        unexpectedAnswers = try reader.values()
        devicesStarted = try reader.int()
        simulated = try reader.value()
        levels = PartLevels(
            log: try reader.value(), quietSince: try reader.optional(), closing: try reader.value())
        guard reader.isAtEnd, (0..<identity.count).contains(index) else { throw reader.impossible }
    }
}
