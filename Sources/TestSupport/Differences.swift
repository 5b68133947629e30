package import Accounting

/// Compares a run with the same scenario in another world.
///
/// Equal must be: each population's ledger; for every event its type, name, fate and cause, its time of
/// capture and, where it has one, its natural key; each device's count of captured events; the audit;
/// the devices that started; and, unless the scenario says why not, how often each event travelled and
/// how many requests were sent, failed, or found no network, and reached the collector.
///
/// Where answers' times may decide how often events travel, attempts are compared all the same but for the events
/// that are said to be undetermined.
///
/// Not compared: when answers came, how long anything took, and how a transport failure is named.
package enum Differences {
    package static func between(
        _ expected: WorldOutcome, _ found: WorldOutcome,
        tolerating tolerates: Set<ConformanceScenario.Tolerance>, undetermined: Set<EventID>? = nil
    ) -> [String] {
        var list: [String] = []
        func demand<Value: Equatable>(_ what: String, _ left: Value, _ right: Value) {
            if left != right { list.append("\(what): \(left) there, \(right) here") }
        }
        for (index, (left, right)) in zip(expected.ledgers, found.ledgers).enumerated() where left != right {
            list.append("ledger of population \(index): \(text(left)) there, \(text(right)) here")
        }
        demand("populations", expected.ledgers.count, found.ledgers.count)
        demand("captured per device", expected.captured, found.captured)
        demand("devices started", expected.devicesStarted, found.devicesStarted)
        demand("config fetches", expected.configFetches, found.configFetches)
        let moving = expected.ledgers.indices.filter { movesCopies(of: $0, tolerates) }
        for (left, right) in zip(expected.auditCounts, found.auditCounts)
        where moving.isEmpty || !["received", "duplicates"].contains(left.name) {
            demand("audit \(left.name)", left.count, right.count)
        }
        func demandEach(_ what: String, _ left: [UInt64], _ right: [UInt64]) {
            for (index, (left, right)) in zip(left, right).enumerated() where !moving.contains(index) {
                demand("\(what) of population \(index)", left, right)
            }
        }
        demandEach("uploads", expected.uploads, found.uploads)
        demandEach("failed uploads", expected.failedUploads, found.failedUploads)
        demandEach("uploads without a network", expected.offlineUploads, found.offlineUploads)
        if moving.isEmpty {
            demand("requests at the collector", expected.collectorRequests, found.collectorRequests)
        }
        return list + lines(expected, found, tolerates, undetermined)
    }

    /// Whether answers' times may decide how often a population's events travel.
    private static func movesCopies(
        of population: Int, _ tolerates: Set<ConformanceScenario.Tolerance>
    ) -> Bool {
        movesAllCopies(of: population, tolerates)
            || tolerates.contains(.undeterminedAttemptsOf(population: population))
    }

    /// Whether they may for each of its events.
    private static func movesAllCopies(
        of population: Int, _ tolerates: Set<ConformanceScenario.Tolerance>
    ) -> Bool {
        tolerates.contains(.attempts) || tolerates.contains(.attemptsOf(population: population))
    }

    private static func lines(
        _ expected: WorldOutcome, _ found: WorldOutcome, _ tolerates: Set<ConformanceScenario.Tolerance>,
        _ undetermined: Set<EventID>?
    ) -> [String] {
        var list: [String] = []
        for id in Set(expected.lines.keys).union(found.lines.keys).sorted() {
            guard var left = expected.lines[id], var right = found.lines[id] else {
                list.append("\(WorldOutcome.list([id])) exists in one world only")
                continue
            }
            let isFree =
                movesAllCopies(of: left.population, tolerates)
                || movesCopies(of: left.population, tolerates) && undetermined?.contains(id) ?? true
            if isFree { right.attempts = left.attempts }
            if tolerates.contains(.answerTimes), isAboutAnswer(left.name) {
                (left.capturedAt, left.naturalKey) = (right.capturedAt, right.naturalKey)
            }
            if left != right { list.append("\(WorldOutcome.list([id])): \(left) there, \(right) here") }
        }
        let shown = 8
        return list.count > shown ? list.prefix(shown) + ["and \(list.count - shown) more events"] : list
    }

    /// Whether the SDK captures this event when an answer arrives.
    private static func isAboutAnswer(_ name: String) -> Bool {
        name == "$AppRemoteConfigChanged" || name == "DisableSensorsDataSDK"
    }

    private static func text(_ ledger: Ledger) -> String {
        var parts = ["captured \(ledger.captured)", "delivered \(ledger.delivered)"]
        for fate in Fate.allCases {
            parts += ledger.causes(of: fate).filter { $0.count > 0 }.map { "\(fate)/\($0.name) \($0.count)" }
        }
        return parts.joined(separator: ", ")
    }
}
