import Accounting
import AppModel
import DeviceSDK
import Reporting
import Scenario
import Timebase
import Wire
import World

/// A run whose devices are explained: its folder, read and checked.
struct ExplainedRun {
    let folder: String
    let report: Report
    let record: ReplayRecord
    let scenario: LoadedScenario
    let plans: ScenarioPlans
    let beliefs: DeviceBeliefs

    /// How long a run may have been: more than any scenario allows, and less than would lead beyond what clocks tell.
    private static let seconds = 0.0...1e9

    /// Opens a finished run's folder.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if there is no such run, or none that is whole; with 104 if
    ///   this version, the scenario in the folder, or a variable that it needs, is not the run's.
    init(_ folder: String) throws(CommandFailure) {
        self.folder = folder
        report = try RunReader.read(folder)
        guard !report.isPartial else {
            throw CommandFailure(
                .usage,
                "\(folder): the run broke off, or is still going on: nothing tells what became of its events")
        }
        guard ExplainedRun.seconds.contains(report.simulatedSeconds) else {
            throw CommandFailure(
                .invalidScenario,
                "\(folder): simulated_seconds of its report: found \(report.simulatedSeconds), and no run is so long"
            )
        }
        record = try ReplayRecord(of: folder)
        guard record.toolVersion == Beaconswarm.version else {
            throw CommandFailure(
                .invalidScenario,
                "\(folder): played by version \(record.toolVersion); this is \(Beaconswarm.version), whose devices may do "
                    + "something else")
        }
        scenario = try KeptScenario.read(
            "\(folder)/\(ReplayRecord.scenarioName)", sha256: record.scenarioSHA256,
            variables: record.variables, ofWhole: true, failing: .invalidScenario)
        plans = scenario.document.plans(start: record.start)
        let file = "\(folder)/beliefs.txt"
        beliefs = try BeliefsFile.parse(OutputFile.read(file, failing: .invalidScenario), path: file).beliefs
    }

    // MARK: - Devices and events

    /// What ids there are, in words: `0 to 199 (ios 0 to 149, android 150 to 199)`.
    private var devicesInWords: String {
        let parts = zip(report.populations, plans.populations).map { population, plan in
            "\(population.name) \(plan.firstDevice) to \(Int(plan.firstDevice) + plan.deviceCount - 1)"
        }
        let all = "0 to \(scenario.document.deviceCount - 1)"
        return parts.count > 1 ? "\(all) (\(parts.joined(separator: ", ")))" : all
    }

    /// Reads the number of a device of the run.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    func device(_ number: Int) throws(CommandFailure) -> UInt32 {
        guard let device = UInt32(exactly: number), number < scenario.document.deviceCount else {
            throw CommandFailure(.usage, "there is no device \(number): this run's are \(devicesInWords)")
        }
        return device
    }

    /// Reads the id of an event of the run.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    func event(_ text: String) throws(CommandFailure) -> EventID {
        guard let id = EventID(text: text.utf8) else {
            throw CommandFailure(
                .usage,
                "found \"\(text)\", allowed is the id of an event, <device>-<sequence>, such as 0-0; devices are "
                    + devicesInWords)
        }
        let captured = try capturedCount(of: device(Int(id.device)))
        guard id.sequence < captured else {
            let all = captured > 1 ? " to \(id.device)-\(captured - 1)" : ""
            let own =
                captured == 0
                ? "device \(id.device) captured nothing"
                : "device \(id.device) captured \(captured.of("event")), \(id.device)-0\(all)"
            throw CommandFailure(.usage, "there is no event \(id.text): \(own)")
        }
        return id
    }

    /// Events that a device captured.
    func capturedCount(of device: UInt32) -> UInt32 {
        Int(device) < beliefs.capturedCounts.count ? beliefs.capturedCounts[Int(device)] : 0
    }

    // MARK: - What the run itself kept

    /// The run's file of events; `nil` where it kept none, or where it is gone.
    ///
    /// - Parameter given: Where the user says that it is.
    /// - Throws: ``CommandFailure`` with code 64 if there is no file where the user says.
    func eventFile(_ given: String?) throws(CommandFailure) -> String? {
        if let given {
            guard OutputFile.exists(given) else {
                throw CommandFailure(.usage, "--events \(given): there is no such file")
            }
            return given
        }
        return record.eventFile(in: folder)
    }

    /// What the run kept of events of one device.
    ///
    /// - Parameter given: The file of events that the user names.
    /// - Throws: ``CommandFailure`` with code 64 if that file is not there, cannot be read, or has nothing of them.
    func ownRecord(of ids: Set<EventID>, _ given: String?) throws(CommandFailure) -> OwnRecord {
        let file = try eventFile(given)
        var lines: [EventID: [UInt8]] = [:]
        if let given {
            lines = try EventLines.lines(of: ids, in: given, mayBePipe: true)
        } else if let file, let own = try? EventLines.lines(of: ids, in: file) {
            lines = own
        }
        let own = OwnRecord(of: self, lines: lines, file: file)
        guard let given, own.eventFile == nil, let first = ids.first else { return own }
        let what = ids.count == 1 ? "event \(first.text)" : "the events of device \(first.device)"
        throw CommandFailure(.usage, "--events \(given): no line in it is of \(what)")
    }

    /// What happened on a device: played again, or as the run traced it; `nil` where neither is possible.
    func trace(of device: DeviceContext) throws(CommandFailure) -> [TraceStep]? {
        guard report.mode == .virtual else {
            return try TraceFile.steps(of: device.number, labels: device.labels.count, in: folder)?
                .withNetworksOnce
        }
        guard let drainEnd = record.drainEndedAt, whyNotAgain == nil else { return nil }
        return try Replay(scenario: scenario, plans: plans, record: record)
            .trace(of: device.number, drainEnd: drainEnd).withNetworksOnce
    }

    /// Why the run cannot be played again exactly; `nil` if it can.
    var whyNotAgain: String? {
        if report.mode == .live { return "the run was live" }
        if record.isInterrupted || record.drainEndedAt == nil { return "the run was interrupted" }
        return record.hasServices ? "a program had parts of its own in the SDK's place" : nil
    }
}

extension [TraceStep] {
    /// Without what the timeline says again: entries that overlap put a device on the network where it is already.
    fileprivate var withNetworksOnce: [TraceStep] {
        var last: NetworkKind?
        return filter { step in
            guard case .network(let kind) = step.what else { return true }
            defer { last = kind }
            return kind != last
        }
    }
}
