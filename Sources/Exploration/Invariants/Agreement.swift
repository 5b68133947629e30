import Accounting
import DeclaredSDK
import DeviceSDK
import SDKDescription
import Scenario
import TestSupport
import Timebase
import TrackingSDK

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
        demand("requests as they were written", first.bodies, second.bodies)
        return problems
    }
}

/// Two runs of the program give the same report, event file and time series to the byte, but for what says when and
/// where they ran.
enum SameSeedSameBytes: Invariant {
    static let name = "same-seed-same-bytes"
    static func violations(in trial: Trial) -> [String] {
        guard let program = trial.program else { return [] }
        var problems = program.first.differences(from: program.second, called: "two runs")
        if [70, 95].contains(program.first.exitCode) {
            problems.append("the run ended with \(program.first.exitCode)")
        }
        let lines = program.first.events.count { $0 == UInt8(ascii: "\n") }
        // A threshold may have ended the program's own run.
        let aborts = trial.document.thresholds.contains(where: \.abortsOnFail)
        if !aborts, !trial.outcome.wasCut, lines != trial.outcome.sealed.count {
            problems.append(
                "the event file has \(lines) lines; \(trial.outcome.sealed.count) events were sealed")
        }
        return problems
    }
}

/// The parts of a run, played one by one and joined, are what one process writes, to the byte.
///
/// Not where the keys of events that bear no id of the harness have nothing of the device, as TrackingSDK's and those with a
/// session that is called by its time: a collector takes events of two devices for copies, and no part sees those of
/// another.
enum PartsAreTheWhole: Invariant {
    static let name = "parts-are-the-whole"
    static func violations(in trial: Trial) -> [String] {
        guard let program = trial.program, let joined = program.joined else { return [] }
        let sharesKeys = trial.document.populations.contains {
            !$0.tagsEvents && ($0.system is TrackingSDKRules || namesSessionsByTime($0.system))
        }
        guard !sharesKeys else { return [] }
        return program.first.differences(from: joined, called: "a run and its parts")
    }

    private static func namesSessionsByTime(_ system: any SystemRuleSet) -> Bool {
        (system as? DeclaredRules)?.sdk.identity.session.id == .ms
    }
}

extension RunFiles {
    fileprivate func differences(from other: RunFiles, called what: String) -> [String] {
        var problems: [String] = []
        if report != other.report { problems.append("report.json of \(what) differs") }
        if events != other.events { problems.append("the event files of \(what) differ") }
        if series != other.series { problems.append("timeseries.csv of \(what) differs") }
        if exitCode != other.exitCode {
            problems.append("\(what) ended with \(exitCode) and \(other.exitCode)")
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
            var list = Differences.between(trial.outcome.world, other.outcome.world, tolerating: [])
            if let mine = trial.outcome.bodies, let theirs = other.outcome.bodies, mine != theirs,
                list.isEmpty
            {
                list.append("requests were written with other bytes")
            }
            return list.map { "\(other.name): \($0)" }
        }
    }
}
