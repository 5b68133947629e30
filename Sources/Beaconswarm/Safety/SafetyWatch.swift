import LiveEngine
import Reporting
import Timebase

/// Decides whether a live run has to end at once, because it passes the rate that it may have, or because a stranger's
/// target has refused everything for too long. Without clock and sockets: it is told what was counted, and when.
struct SafetyWatch {
    /// What is to be known of a target beside its counts.
    struct Target {
        /// For people, without secrets.
        var origin: String
        /// Whether it is neither loopback nor private, so that somebody else may suffer.
        var isGuarded: Bool
    }

    /// The part of a run that is watched, where it is not the whole.
    struct Part {
        var number: PartNumber
        /// The machine that it is played on.
        var host: String

        var text: String { "\(number.text) on \(host)" }
    }

    /// How long a target may answer nothing but 403, 429 and 5xx, in real time.
    static let refusalLimit = Interval.seconds(30)

    private let targets: [Target]
    /// Of the whole run.
    private let maximumRate: Double?
    private let part: Part?
    private var rate = RateWindow()
    private var refusals: [RefusalRow]

    /// - Parameters:
    ///   - maximumRate: Requests of the whole run to all targets in a second of real time, of which a part may send its
    ///     share; `nil` for any number.
    ///   - part: What is watched; `nil` for the whole run.
    init(_ targets: [Target], maximumRate: Double?, part: Part? = nil) {
        self.targets = targets
        self.maximumRate = maximumRate
        self.part = part
        refusals = Array(repeating: RefusalRow(), count: targets.count)
    }

    /// Whether there is anything to watch.
    var isNeeded: Bool { maximumRate != nil || targets.contains(where: \.isGuarded) }

    /// A run after another, to the same targets, begins: its counts begin at 0. What a target refused in a row before
    /// goes on to count.
    mutating func beginRun() {
        rate = RateWindow()
        for index in refusals.indices { refusals[index].beginRun() }
    }

    /// Takes the counts of all targets; the rate is that of the second before. Call it several times a second.
    ///
    /// - Parameters:
    ///   - counts: Since the run began, in the order of the targets.
    ///   - now: By a clock that goes with real time and never back.
    /// - Returns: why the run has to end; `nil` while it may go on.
    mutating func note(_ counts: [TargetTally.Counts], at now: Interval) -> Report.EarlyEnd? {
        let sent = rate.note(counts.reduce(0) { $0 + $1.requests }, at: now)
        if let maximumRate, sent > share(of: maximumRate) {
            return Report.EarlyEnd(cause: .maxRate, text: tooFast(sent, maximumRate))
        }
        for index in targets.indices where targets[index].isGuarded {
            guard let row = refusals[index].note(counts[index], at: now),
                row.lasted >= SafetyWatch.refusalLimit
            else { continue }
            return Report.EarlyEnd(
                cause: .guard,
                text:
                    "The guard ended \(part.map { "part \($0.text)" } ?? "the run") at once, without a drain: for "
                    + "\(SafetyWatch.refusalLimit.text) \(targets[index].origin) answered nothing but 403, 429 or 5xx "
                    + "(\(row.count) answers).")
        }
        return nil
    }

    /// What is watched may send so much of what the whole run may.
    private func share(of rate: Double) -> Double { rate / Double(part?.number.count ?? 1) }

    private func tooFast(_ sent: Double, _ maximumRate: Double) -> String {
        let limit = SafetyWatch.figure(maximumRate)
        let own = SafetyWatch.figure(share(of: maximumRate))
        let (subject, allowed) =
            part.map { ("Part \($0.text)", "its share of --max-rate \(limit) is \(own)") }
            ?? ("The run", "--max-rate allows \(limit)")
        return "\(subject) was ended at once, without a drain: it sent \(SafetyWatch.figure(sent)) requests "
            + "within a second, and \(allowed)."
    }

    static func figure(_ rate: Double) -> String {
        rate == rate.rounded() ? "\(Int(rate))" : "\((rate * 10).rounded() / 10)"
    }
}

/// How much a count grows in a second.
private struct RateWindow {
    /// The first is at least a second old, once there is such a one.
    private var moments: [(at: Interval, total: UInt64)] = []

    /// The growth over the last second, or over a little more if that is when it was last told; a shorter time counts
    /// as a second.
    mutating func note(_ total: UInt64, at now: Interval) -> Double {
        moments.append((now, total))
        let base = moments.lastIndex { now - $0.at >= .seconds(1) } ?? 0
        moments.removeFirst(base)
        return Double(total - moments[0].total) / max(1, (now - moments[0].at).fractionalSeconds)
    }
}

/// Refusals of a target that no other answer interrupts.
private struct RefusalRow {
    private var seen = TargetTally.Counts()
    private var began: Interval?
    private var length: UInt64 = 0

    mutating func beginRun() { seen = TargetTally.Counts() }

    /// How long the row is when a refusal comes in, and how many they are; `nil` as long as nothing new came in.
    /// Silence neither makes a row longer nor ends it.
    mutating func note(_ counts: TargetTally.Counts, at now: Interval) -> (lasted: Interval, count: UInt64)? {
        defer { seen = counts }
        guard counts.otherAnswers == seen.otherAnswers else {
            began = nil
            return nil
        }
        guard counts.refusals > seen.refusals else { return nil }
        guard let began else {
            began = now
            length = counts.refusals - seen.refusals
            return nil
        }
        length += counts.refusals - seen.refusals
        return (now - began, length)
    }
}
