import Accounting
import Scenario
import Timebase

/// What each system makes of each answer, played in virtual time.
package enum SystemMatrix {
    /// A system and its version, as scenarios name them.
    package struct Row: Hashable, Sendable, CustomStringConvertible {
        package var system: String
        package var version: String

        package var description: String { "\(system) \(version)" }
        var fixture: any SystemFixture.Type { SystemFixtures.named(system) }
    }

    /// A fault of the collector.
    package struct Column: Hashable, Sendable {
        package var title: String
        /// The members of the timeline's entry; `nil` for a healthy collector.
        var fault: String?
    }

    package static let rows = SimulatedSystems.all.flatMap { system in
        system.versions.map { Row(system: system.name, version: $0) }
    }

    package static let columns: [Column] =
        [Column(title: "healthy", fault: nil)]
        + [204, 302, 400, 403, 404, 413, 429, 500, 503].map {
            Column(title: "\($0)", fault: "\"fault\": \"status\", \"status\": \($0)")
        }
        + [201, 204, 413].map {
            Column(
                title: "stored, \($0)", fault: "\"fault\": \"status\", \"status\": \($0), \"stored\": true")
        } + [
            Column(title: "stored, no answer", fault: "\"fault\": \"acceptThenDie\""),
            Column(
                title: "stored, answer too late",
                fault: "\"fault\": \"latency\", \"latency\": \"70s\""),
            Column(title: "reset unread", fault: "\"fault\": \"reset\""),
            Column(title: "captive portal", fault: "\"fault\": \"wrongContent\""),
        ]

    /// What became of a population's events.
    package enum Word: String, Sendable {
        /// The device got its positive answer, and the collector has the events.
        case delivered
        /// It got what it takes for a positive answer, and nobody has them.
        case takenForDelivered = "taken for delivered"
        /// It keeps them as long as the fault lasts, and delivers them after it.
        case stalled
        /// It keeps them, and still did when the run ended, well after the fault.
        case stuck
        /// It dropped events, and nobody has them.
        case lost
        /// It dropped events, which the collector has.
        case givenUp = "given up, yet held"
        /// The collector got events more than once.
        case duplicated
    }

    /// What became of a population's events, and what is wrong with the books, in sentences.
    package struct Cell: Sendable {
        package var words: [Word]
        package var problems: [String]
    }

    /// Plays a system against a fault twice: one that lasts, and one that ends before the users do.
    ///
    /// - Throws: `ScenarioProblems` if the scenario is not sound.
    package static func cell(_ row: Row, _ column: Column) throws -> Cell {
        let lasting = try play(row, column, endsEarly: false)
        let passing = try play(row, column, endsEarly: true)
        var words: [Word] = []
        let dropped = lasting.lines.values.count {
            [.evicted, .rejected, .lost].contains($0.disposition.fate)
        }
        let isDelivered = lasting.ledgers.contains { $0.delivered > 0 }
        if isDelivered { words.append(lasting.audit.swallowed > 0 ? .takenForDelivered : .delivered) }
        if dropped > 0 { words.append(lasting.audit.recovered >= dropped ? .givenUp : .lost) }
        if !isDelivered && dropped == 0 {
            words.append(isStuck(passing, row, column) ? .stuck : .stalled)
        }
        if lasting.audit.duplicates > 0 || passing.audit.duplicates > 0 { words.append(.duplicated) }
        return Cell(words: words, problems: lasting.problems + passing.problems)
    }

    /// Whether events of the time of the fault were still on their devices at the end, long after it.
    private static func isStuck(_ passing: WorldOutcome, _ row: Row, _ column: Column) -> Bool {
        let end = Lengths(row, column).fault
        return passing.lines.values.contains { line in
            line.capturedAt < end && line.disposition.fate == .pending
        }
    }

    /// How long the users act, and a fault that ends lasts.
    private struct Lengths {
        var users: Interval
        var fault: Interval

        init(_ row: Row, _ column: Column) {
            // Slow answers outlast what any client waits.
            if row.fixture.sendsDaily {
                (users, fault) = (.hours(144), .hours(72))
            } else if column.fault?.contains("latency") ?? false {
                (users, fault) = (.seconds(180), .seconds(80))
            } else {
                (users, fault) = (.seconds(75), .seconds(35))
            }
        }
    }

    /// Plays a system against a fault with requests that are written and read, and with events by reference.
    ///
    /// - Returns: what is wrong, in sentences; empty if both are one.
    package static func bodyDisagreement(_ row: Row, _ column: Column) throws -> [String] {
        BodyComparison.disagreement(try document(row, column, endsEarly: true))
    }

    /// Reads what devices send to a healthy collector both before and after it is packed.
    package static func plainComparison(_ row: Row) throws -> PlainComparison.Result {
        PlainComparison.play(try document(row, columns[0], endsEarly: true))
    }

    private static func play(_ row: Row, _ column: Column, endsEarly: Bool) throws -> WorldOutcome {
        Worlds.virtual(try document(row, column, endsEarly: endsEarly))
    }

    private static func document(
        _ row: Row, _ column: Column, endsEarly: Bool
    ) throws -> ScenarioDocument {
        let lengths = Lengths(row, column)
        let persona = row.fixture.sendsDaily ? "daily" : "busy"
        // Without an end it outlasts the drain, too.
        let end = endsEarly ? "\"for\": \"\(lengths.fault.text)\", " : ""
        let entry = column.fault.map { "{\"at\": \"0s\", \(end)\"collector\": {\($0)}}" }
        let json = """
            {"seed": 7, "duration": "\(lengths.users.text)", "drain": "90s",
             "personas": {
               "daily": {"extends": "casual", "sessionsPerDay": 4, "opensAtArrival": true, "crashChance": 0,
                         "killAtBackgroundChance": 1, "returnChance": 0, "sessionLength": "30s"},
               "busy": {"extends": "casual", "sessionLength": "1d", "actionGap": "1s", "returnChance": 0,
                          "opensAtArrival": true, "crashChance": 0}},
             "populations": [
               {"name": "p", "devices": 2, "system": "\(row.system)", "version": "\(row.version)", "app": "shop",
                "persona": "\(persona)"}],
             "timeline": [\(entry ?? "")]}
            """
        return try Worlds.load(json, name: "\(row.system) \(row.version)")
    }
}
