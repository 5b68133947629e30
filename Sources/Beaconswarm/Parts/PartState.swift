import Accounting
import Measurement
import Rendering
import Reporting
import Snapshots
import Timebase
import VirtualEngine

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
    /// The command line, without secrets.
    var command: [String]
    var recorder: RunRecorder
    /// `nil` for a live run against a collector that did not come with it.
    var audit: Audit?
    var unexpectedAnswers: [UnexpectedAnswer]
    var devicesStarted: Int
    var simulated: Interval
    /// Of simulations; live parts record what they see at their looks as threads of one process do.
    var levels: PartLevels
    /// Of the files beside it that are joined, too.
    var sums = FileSums()
    /// Of a simulation: what its machine refused it. A live part tells its own.
    var ownFailures: [Report.OwnFailure] = []
    /// `nil` in virtual time.
    var live: LivePart?

    var number: PartNumber { PartNumber(index: index, count: identity.count) }
    /// Why it says nothing, where the machine failed it too often.
    var ownFailureReason: String? { OwnFailures.reason(ownFailures, uploads: recorder.total.requests) }
    var balance: Int64 { recorder.populations.reduce(0) { $0 + $1.ledger.balance } }

    /// What is said when the part was played.
    ///
    /// - Parameters:
    ///   - devices: Of the whole run.
    ///   - shared: The folder in which all parts meet.
    func announcement(ofAll devices: Int, in folder: PartFolder, of shared: String) -> String {
        let captured = recorder.populations.reduce(0) { $0 + $1.ledger.captured }
        return
            "part \(number.text): \(self.devices) of \(devices.of("device")), \(captured.of("event")) captured; in "
            + "\(folder.path); join all parts with: beaconswarm merge \(Escaping.shell(shared)) --out DIR"
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
        writer.write(each: warnings)
        writer.write(each: command)
        writer.write(recorder)
        writer.write(optional: audit)
        writer.write(each: unexpectedAnswers)
        writer.write(devicesStarted)
        writer.write(simulated)
        writer.write(levels.log)
        writer.write(optional: levels.quietSince)
        writer.write(levels.closing)
        writer.write(sums)
        writer.write(each: ownFailures)
        writer.write(optional: live)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        identity = try reader.value()
        index = try reader.int()
        devices = try reader.int()
        host = try reader.text()
        wall = try reader.value()
        hasEvents = try reader.bool()
        reference = try reader.value()
        warnings = try reader.values()
        command = try reader.values()
        recorder = try reader.value()
        audit = try reader.optional()
        unexpectedAnswers = try reader.values()
        devicesStarted = try reader.int()
        simulated = try reader.value()
        levels = PartLevels(
            log: try reader.value(), quietSince: try reader.optional(), closing: try reader.value())
        sums = try reader.value()
        ownFailures = try reader.values()
        live = try reader.optional()
        guard reader.isAtEnd, (0..<identity.count).contains(index) else { throw reader.impossible }
    }
}
