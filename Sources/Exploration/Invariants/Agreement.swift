import Accounting
import Scenario
import TestSupport
import Timebase

/// The same seed gives the same outcome, event by event and in the same order.
enum SameSeedSameOutcome: Invariant {
    static let name = "same-seed-same-outcome"
    static func violations(in trial: Trial) -> [String] {
        guard let again = trial.again else { return [] }
        return difference(trial.outcome, again)
    }

    static func difference(_ first: Outcome, _ second: Outcome) -> [String] {
        if let (left, right) = zip(first.sealed, second.sealed).first(where: { $0 != $1 }) {
            return ["\(left) there, \(right) here"]
        }
        var problems: [String] = []
        func demand<Value: Equatable>(_ what: String, _ left: Value, _ right: Value) {
            if left != right { problems.append("\(what): \(left) there, \(right) here") }
        }
        demand("events", first.sealed.count, second.sealed.count)
        demand("fingerprint", first.fingerprint, second.fingerprint)
        demand("ledgers", first.world.ledgers, second.world.ledgers)
        demand("audit", first.world.audit, second.world.audit)
        demand("requests", first.world.collectorRequests, second.world.collectorRequests)
        demand("uploads", first.world.uploads, second.world.uploads)
        demand("series", first.series, second.series)
        demand("freshness", first.freshness, second.freshness)
        return problems
    }
}

/// Two runs of the program give the same report, event file and time series to the byte, but for what says when and
/// where they ran.
enum SameSeedSameBytes: Invariant {
    static let name = "same-seed-same-bytes"
    static func violations(in trial: Trial) -> [String] {
        guard let (first, second) = trial.files else { return [] }
        var problems: [String] = []
        if first.report != second.report { problems.append("report.json differs between two runs") }
        if first.events != second.events { problems.append("the event files of two runs differ") }
        if first.series != second.series { problems.append("timeseries.csv differs between two runs") }
        if first.exitCode != second.exitCode || [70, 95].contains(first.exitCode) {
            problems.append("the runs ended with \(first.exitCode) and \(second.exitCode)")
        }
        let lines = first.events.count { $0 == UInt8(ascii: "\n") }
        // A threshold may have ended the program's own run.
        let aborts = trial.document.thresholds.contains(where: \.abortsOnFail)
        if !aborts, !trial.outcome.wasCut, lines != trial.outcome.sealed.count {
            problems.append(
                "the event file has \(lines) lines; \(trial.outcome.sealed.count) events were sealed")
        }
        return problems
    }
}

/// Another world that models the same comes to the same: stores in files and in memory; virtual and live.
enum WorldsAgree: Invariant {
    static let name = "worlds-agree"
    static func violations(in trial: Trial) -> [String] {
        guard !trial.outcome.wasCut else { return [] }
        return trial.others.flatMap { other -> [String] in
            if other.outcome.wasCut { return [] }
            return Differences.between(trial.outcome.world, other.outcome.world, tolerating: [])
                .map { "\(other.name): \($0)" }
        }
    }
}
