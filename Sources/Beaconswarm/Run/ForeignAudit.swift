import Accounting
import CollectorModel
import CollectorServer
import DeviceSDK
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
    ///   - path: What the store holds.
    ///   - times: When the run took place; without it rows of other runs cannot be told.
    ///   - plan: What is known of the clients whose events are in the store.
    /// - Throws: ``CommandFailure`` with code 64 for receipts that cannot be read, or that tell of other
    ///   times alone.
    init(
        receipts path: String, beliefs: DeviceBeliefs, times: RunTimes?, plan: CollectorPlan = CollectorPlan()
    ) throws(CommandFailure) {
        let reading: ForeignReading
        do {
            reading = try ForeignReceipts.read(
                path: path, window: times.map { ForeignAudit.window($0, beliefs) }, plan: plan)
        } catch {
            throw CommandFailure(.usage, "--receipts: \(error)")
        }
        let believes = beliefs.delivered.count + beliefs.deliveredNatural.count > 0
        if let times, believes, reading.receipts.unique == 0, reading.ofOtherRuns > 0 {
            throw CommandFailure(
                .usage,
                "--receipts: \(path): by their \(reading.timeColumn ?? "times") none of its \(reading.ofOtherRuns) rows "
                    + "is of this run (\(times.wall.lowerBound.text) to \(times.wall.upperBound.text)); is it its store?"
            )
        }
        audit = Audit.compare(beliefs: beliefs, receipts: reading.receipts)
        note = ForeignAudit.note(path, reading, knowsTimes: times != nil)
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
            let noun = reading.ofOtherRuns == 1 ? "row" : "rows"
            sentences.append("\(reading.ofOtherRuns) \(noun) of other runs left out, by \(column).")
        }
        if !knowsTimes {
            sentences.append("The run's own times are not known, so rows of other runs are not told apart.")
        } else if reading.undated > 0 {
            let which = reading.timeColumn == nil ? "Its rows" : "\(reading.undated) of its rows"
            sentences.append(
                "\(which) say neither received_at nor captured_at, nor a payload with a time: what other runs left there counts too."
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
