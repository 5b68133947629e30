import Accounting
import CollectorModel
import CollectorServer
import DeviceSDK
import Glibc
import Scenario
import Timebase

/// The audit of a run against what a foreign collector's store holds, right after it or later.
struct ForeignAudit {
    var audit: Audit
    /// Where it comes from, and what limits it.
    var note: String

    /// How far the stamps of rows may lie outside of the run: they may be whole seconds, by another clock. No
    /// further, for the next run against the same store may begin soon.
    private static let margin = Interval.seconds(1)

    /// Reads receipts and compares.
    ///
    /// - Parameters:
    ///   - paths: What the stores hold, a file for each store: an event that two of them hold has a copy.
    ///   - times: When the run took place; without it rows of other runs cannot be told.
    ///   - plan: What is known of the clients whose events are in the stores.
    ///   - absent: The devices of parts of the run that are missing; `nil` if none is.
    /// - Throws: ``CommandFailure`` with code 64 for receipts that cannot be read, for a file that is given twice, and for
    ///   files that tell of other times alone.
    init(
        receipts paths: [String], beliefs: DeviceBeliefs, times: RunTimes?,
        plan: CollectorPlan = CollectorPlan(), absent: AbsentDevices? = nil
    ) throws(CommandFailure) {
        try ForeignAudit.checkDistinct(paths)
        let window = times.map { ForeignAudit.window($0, beliefs) }
        var all = Receipts()
        var readings: [(path: String, reading: ForeignReading)] = []
        for path in paths {
            var reading: ForeignReading
            do {
                reading = try ForeignReceipts.read(path: path, window: window, plan: plan)
            } catch {
                throw CommandFailure(.usage, "--receipts: \(error)")
            }
            if readings.isEmpty { all = reading.receipts } else { all.merge(reading.receipts) }
            reading.receipts = Receipts()
            readings.append((path, reading))
        }
        let believes = beliefs.delivered.count + beliefs.deliveredNatural.count > 0
        if let times, believes, all.unique == 0 { try ForeignAudit.checkTimes(times, readings) }
        audit = Audit.compare(beliefs: beliefs, receipts: all, isAbsent: absent.map { $0.contains })
        note = readings.map { ForeignAudit.note($0.path, $0.reading, knowsTimes: times != nil) }
            .joined(separator: " ")
        if let absent { note += " " + absent.note(audit) }
    }

    /// Refuses a store that is named twice, by whatever path or link: all that it holds would be copies.
    private static func checkDistinct(_ paths: [String]) throws(CommandFailure) {
        var known: Set<[UInt64]> = []
        for path in paths {
            var info = stat()
            // What is not there is told when it is to be read.
            guard stat(path, &info) == 0 else { continue }
            guard known.insert([UInt64(info.st_dev), UInt64(info.st_ino)]).inserted else {
                throw CommandFailure(.usage, "--receipts: \(path) is given twice")
            }
        }
    }

    /// Refuses stores whose rows are all of other runs.
    private static func checkTimes(
        _ times: RunTimes, _ readings: [(path: String, reading: ForeignReading)]
    ) throws(CommandFailure) {
        let others = readings.reduce(0) { $0 + $1.reading.ofOtherRuns }
        guard others > 0 else { return }
        let column = readings.lazy.compactMap(\.reading.timeColumn).first ?? "times"
        let paths = readings.map(\.path).joined(separator: ", ")
        let (whose, what) =
            readings.count == 1 ? ("its", "is it its store") : ("their", "are they its stores")
        throw CommandFailure(
            .usage,
            "--receipts: \(paths): by their \(column) none of \(whose) \(others) rows is of this run "
                + "(\(times.wall.lowerBound.text) to \(times.wall.upperBound.text)); \(what)?")
    }

    private static func window(_ times: RunTimes, _ beliefs: DeviceBeliefs) -> ReceiptsWindow {
        ReceiptsWindow(
            received: [times.wall, times.run].map { ($0.lowerBound - margin)...($0.upperBound + margin) },
            captured: beliefs.captureTimes.map {
                ($0.lowerBound - times.skew - margin)...($0.upperBound + times.skew + margin)
            })
    }

    private static func note(_ path: String, _ reading: ForeignReading, knowsTimes: Bool) -> String {
        var sentences = ["From \(path)."]
        if reading.ofOtherRuns > 0, let column = reading.timeColumn {
            sentences.append("\(reading.ofOtherRuns.of("row")) of other runs left out, by \(column).")
        }
        if !knowsTimes {
            sentences.append("The run's own times are not known, so rows of other runs are not told apart.")
        } else if reading.undated > 0 {
            let verb = reading.timeColumn != nil && reading.undated == 1 ? "says" : "say"
            let which = reading.timeColumn == nil ? "Its rows" : "\(reading.undated) of its rows"
            sentences.append(
                "\(which) \(verb) neither received_at nor captured_at, nor a payload with a time: what other runs left there counts too."
            )
        }
        return sentences.joined(separator: " ")
    }
}

extension ScenarioDocument {
    /// How far a device's clock may be off.
    var clockSkew: Interval {
        populations.map { ($0.clock ?? ClockRules(deviation: $0.system.clockSkew)).furthest }.max() ?? .zero
    }
}
