import Accounting
import Scenario
import Timebase

/// What faults that meet a share of the requests, or a moment, cost each system, played in virtual time.
package enum SystemCosts {
    /// What goes wrong with some of the requests.
    package enum Disturbance: String, CaseIterable, Sendable {
        case tooLarge = "30 % answered 413"
        case unavailable = "30 % answered 503"
        case lostReplies = "30 % stored, no answer"
        case portal = "30 % captive portal"
        case slowAndUnavailable = "half of the answers 5 s late, 30 % answered 503"
        case slowMidnight = "answers 5 s late at midnight"

        /// Entries of the timeline.
        ///
        /// - Parameter days: Of the run, which begins at a midnight; 0 for one that lies around a midnight.
        fileprivate func timeline(days: Int) -> [String] {
            func share(_ share: Double, _ members: String) -> String {
                "{\"at\": \"0s\", \"share\": \(share), \"collector\": {\(members)}}"
            }
            let late = #""fault": "latency", "latency": "5s""#
            switch self {
            case .tooLarge: return [share(0.3, #""fault": "status", "status": 413"#)]
            case .unavailable: return [share(0.3, #""fault": "status", "status": 503"#)]
            case .lostReplies: return [share(0.3, #""fault": "acceptThenDie""#)]
            case .portal: return [share(0.3, #""fault": "wrongContent""#)]
            case .slowAndUnavailable:
                return [share(0.5, late), share(0.3, #""fault": "status", "status": 503"#)]
            case .slowMidnight:
                guard days > 0 else { return [share(1, late)] }
                return (1..<days).flatMap { day in
                    [
                        #"{"at": "\#(day * 24 - 1)h59m", "for": "2m", "collector": {\#(late)}}"#,
                        #"{"at": "\#(day * 24 - 1)h59m45s", "push": {"share": 0.5, "within": "20s"}}"#,
                    ]
                }
            }
        }
    }

    /// Parts of the events captured, 0…1, and copies per event.
    package struct Cost: Sendable {
        /// Dropped by the device, and nowhere else.
        package var lost = 0.0
        /// Acknowledged by somebody, and nowhere to be found.
        package var takenForDelivered = 0.0
        /// Of the events of the first half, those that never left.
        package var kept = 0.0
        package var copies = 0.0
        /// What is wrong with the books, in sentences.
        package var problems: [String] = []
    }

    /// What a share of 30 % costs by the systems' rules; `nil` where the rules alone tell no number.
    package struct Expectation: Sendable {
        package var lost: Double? = 0
        package var takenForDelivered: Double? = 0
        package var kept: Double? = 0
        package var copies: Double? = 0
    }

    /// Plays sixty devices through a disturbance.
    ///
    /// - Parameter sdk: Members of the population's `sdk`, as JSON.
    /// - Throws: `ScenarioProblems` if the scenario is not sound.
    package static func cost(
        _ row: SystemMatrix.Row, _ disturbance: Disturbance, sdk: String = ""
    ) throws -> Cost {
        let isDaily = row.fixture.sendsDaily
        let length: Interval = isDaily ? .hours(24 * 7) : .seconds(180)
        let persona = isDaily ? "daily" : "busy"
        let start = isDaily ? "2026-03-02T00:00:00+08:00" : "2026-03-01T23:58:30+08:00"
        // Whoever came on a day has sent the days before: at midnight, those count who did not.
        let sessionsPerDay = disturbance == .slowMidnight ? 0.5 : 4
        let json = """
            {"seed": 9, "start": "\(start)", "duration": "\(length.text)", "drain": "90s",
             "personas": {
               "daily": {"extends": "casual", "sessionsPerDay": \(sessionsPerDay), "opensAtArrival": true, "crashChance": 0,
                         "killAtBackgroundChance": 1, "returnChance": 0, "sessionLength": "30s"},
               "busy": {"extends": "casual", "sessionLength": "1d", "actionGap": "1s", "returnChance": 0,
                        "opensAtArrival": true, "crashChance": 0}},
             "populations": [
               {"name": "p", "devices": 60, "system": "\(row.system)", "version": "\(row.version)",
                "app": "shop", "persona": "\(persona)", "sdk": {\(sdk)}, "arrival": {"over": "15s"}}],
             "timeline": [\(disturbance.timeline(days: isDaily ? 7 : 0).joined(separator: ",\n"))]}
            """
        return cost(Worlds.virtual(try Worlds.load(json, name: "\(row)")), of: length)
    }

    private static func cost(_ outcome: WorldOutcome, of length: Interval) -> Cost {
        func share(_ part: Int, of whole: Int) -> Double { Double(part) / Double(max(1, whole)) }
        let lines = outcome.lines.values
        let early = lines.filter { $0.capturedAt < length / 2 }
        var cost = Cost(problems: outcome.problems)
        cost.lost = share(
            lines.count { [.evicted, .rejected, .lost].contains($0.disposition.fate) }, of: lines.count)
        cost.takenForDelivered = share(Int(outcome.audit.swallowed), of: lines.count)
        cost.kept = share(early.count { $0.disposition.fate == .pending }, of: early.count)
        cost.copies = share(Int(outcome.audit.duplicates), of: lines.count)
        return cost
    }
}
