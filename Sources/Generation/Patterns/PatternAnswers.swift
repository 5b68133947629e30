import AppModel
package import Datasets
import Scenario
package import Timebase
package import Wire

/// What the answers of a dataset say of the patterns planted in it.
package struct PatternAnswers {
    let key: PatternKey
    /// The table `events`.
    let events: TableSchema

    /// - Parameter events: The table `events`.
    package init(key: PatternKey, events: TableSchema) { (self.key, self.events) = (key, events) }

    /// The queries that show them, with what they give.
    package var answers: [Answer] { key.counters.compactMap { answer(of: $0) } }

    private func answer(of counter: PatternCounter) -> Answer? {
        let concerned = populations(of: counter.pattern)
        guard !concerned.isEmpty else { return nil }
        let list = concerned.map { key.names[$0] }.sqlList
        let names: (String) -> [String] = { key.facts.names(of: $0, in: concerned) }
        guard let query = query(of: counter.pattern.change, "IN (\(list))", names) else { return nil }
        // Every answer that is about some of the populations tells them apart.
        let others = Set(counter.pattern.populations).subtracting(concerned).map {
            Answer.Value.text(key.names[$0])
        }
        let counted = counter.rows.filter { row in !others.contains { row.key.first == $0 } }
        let rows = counted.sorted { left, right in
            left.key.map(\.order).lexicographicallyPrecedes(right.key.map(\.order))
        }
        return Answer(
            name: counter.pattern.queryName, question: query.question, columns: query.columns,
            rows: rows.map { row in
                row.key + told(row.value, of: counter.pattern.change).map { .count($0) }
            }, sql: query.sql)
    }

    /// The numbers of a row as its query gives them: of a property, a value of a wrong type stands in no column that has a
    /// type of its own.
    private func told(_ counts: [Int], of change: ScenarioPattern.Change) -> [Int] {
        switch change {
        case .missingProperty(_, let key), .wrongType(_, let key):
            [counts[0], counts[1] + (type(ofProperty: key) == .string ? 0 : counts[2])]
        case .release, .campaign, .bots, .chance, .duplicateEvent: counts
        }
    }

    private func type(ofProperty key: String) -> ColumnType? {
        let column = self.key.facts.propertyColumns[key]
        return events.columns.first { $0.name == column }?.type
    }

    /// The populations that an answer is about: those whose events have the column that it asks for.
    private func populations(of pattern: ScenarioPattern) -> [Int] {
        switch pattern.change {
        case .missingProperty(_, let property), .wrongType(_, let property):
            return pattern.populations.filter { population in
                EventField.propertyRules(of: key.plans[population]).map(\.key).containsExactly(property)
            }
        default: return pattern.populations
        }
    }

    private typealias Query = (question: String, columns: [String], sql: String)

    /// - Parameters:
    ///   - populations: A condition on those that the pattern concerns.
    ///   - names: What the tables call one of the app's events.
    private func query(
        of change: ScenarioPattern.Change, _ populations: String, _ names: (String) -> [String]
    ) -> Query? {
        switch change {
        case .release: releaseQuery(populations)
        case .campaign: campaignQuery(populations)
        case .bots(let persona): botsQuery(persona.sqlLiteral, populations)
        case .chance(let event, let before): chanceQuery(event, before, populations, names)
        case .duplicateEvent(let event): duplicateQuery(names(event), populations)
        case .missingProperty(let event, let key), .wrongType(let event, let key):
            propertyQuery(names(event), key, isMissing: change.isMissing, populations)
        }
    }

    private func releaseQuery(_ populations: String) -> Query {
        (
            "How many devices have which version of the app in the end?",
            ["population", "app_version", "devices"],
            """
            SELECT population, app_version, count(*) AS devices FROM devices
            WHERE population \(populations) GROUP BY population, app_version ORDER BY population, app_version
            """
        )
    }

    private func campaignQuery(_ populations: String) -> Query {
        (
            "How many sessions began each day?", ["day", "sessions"],
            "SELECT day, count(*) AS sessions FROM sessions\nWHERE population \(populations) GROUP BY day ORDER BY day"
        )
    }

    private func botsQuery(_ persona: String, _ populations: String) -> Query {
        (
            "How many users are programs, and how many events are theirs?",
            ["population", "users", "bots", "events", "events_of_bots"],
            """
            SELECT u.population AS population, count(*) AS users,
                   sum(CASE WHEN u.persona = \(persona) THEN 1 ELSE 0 END) AS bots, sum(d.captured) AS events,
                   sum(CASE WHEN u.persona = \(persona) THEN d.captured ELSE 0 END) AS events_of_bots
            FROM users u JOIN devices d ON d.device = u.device
            WHERE u.population \(populations) GROUP BY u.population ORDER BY u.population
            """
        )
    }

    private func chanceQuery(
        _ event: String, _ before: String?, _ populations: String, _ names: (String) -> [String]
    ) -> Query {
        let isEvent = names(event)
        guard let before else {
            return (
                "How often did \(event) happen each day?", ["day", "events"],
                """
                SELECT day, count(*) AS events FROM truth
                WHERE \(isEvent.sqlCondition(on: "name")) AND population \(populations) GROUP BY day ORDER BY day
                """
            )
        }
        let isBefore = names(before)
        return (
            "How often did \(before) and \(event) happen, by the users' time zone?",
            ["population", "utc_offset_minutes", "steps_before", "events"],
            """
            SELECT u.population AS population, u.utc_offset_minutes AS utc_offset_minutes,
                   sum(CASE WHEN \(isBefore.sqlCondition(on: "t.name")) THEN 1 ELSE 0 END) AS steps_before,
                   sum(CASE WHEN \(isEvent.sqlCondition(on: "t.name")) THEN 1 ELSE 0 END) AS events
            FROM truth t JOIN users u ON u.user_id = t.user_id
            WHERE t.name IN (\((isBefore + isEvent).sqlList)) AND u.population \(populations)
            GROUP BY u.population, u.utc_offset_minutes ORDER BY u.population, u.utc_offset_minutes
            """
        )
    }

    private func duplicateQuery(_ names: [String], _ populations: String) -> Query {
        (
            "How many of these events are the device's event right before once more, at the same time?",
            ["population", "events", "repeated"],
            """
            SELECT t.population AS population, count(*) AS events, count(CASE WHEN b.name <> '' THEN 1 END) AS repeated
            FROM truth t LEFT JOIN truth b
                 ON b.device = t.device AND b.sequence = t.sequence - 1 AND b.name = t.name
                    AND b.captured_at = t.captured_at
            WHERE \(names.sqlCondition(on: "t.name")) AND t.population \(populations)
            GROUP BY t.population ORDER BY t.population
            """
        )
    }

    /// `nil` where the column takes values of any type, so that a wrong one does not show there.
    private func propertyQuery(
        _ names: [String], _ key: String, isMissing: Bool, _ populations: String
    ) -> Query? {
        guard let column = self.key.facts.propertyColumns[key], let type = type(ofProperty: key),
            isMissing || type != .string
        else { return nil }
        return (
            "How many of these events arrived, and how many of them without a sound \(key)?",
            ["population", "arrived", "without_value"],
            """
            SELECT t.population AS population, count(*) AS arrived,
                   sum(CASE WHEN e.\(column) IS NULL THEN 1 ELSE 0 END) AS without_value
            FROM truth t JOIN events e ON e.row_id = t.row_id
            WHERE \(names.sqlCondition(on: "t.name")) AND t.population \(populations)
            GROUP BY t.population ORDER BY t.population
            """
        )
    }
}

extension ScenarioPattern.Change {
    fileprivate var isMissing: Bool { if case .missingProperty = self { true } else { false } }
}

// MARK: - answers.json

extension PatternAnswers {
    /// The list of patterns.
    ///
    /// - Parameter redact: Takes a scenario's secrets out of a text.
    package func json(start: Instant, redact: (String) -> String) -> JSONNode {
        let queries = Set(answers.map(\.name))
        return .list(
            key.counters.map { counter in
                let pattern = counter.pattern
                let name = pattern.queryName
                return .object([
                    ("name", .text(redact(pattern.name))), ("pattern", .text(pattern.kind)),
                    ("segment", segment(of: pattern, redact)), ("from", .text((start + pattern.from).text)),
                    ("until", pattern.until.map { .text((start + $0).text) } ?? .null),
                    ("parameters", PatternAnswers.redacted(JSONNode(.object(pattern.parameters)), redact)),
                    ("measured", .object(counter.sizes.map { ($0.name, .int($0.count)) })),
                    ("answer", queries.contains(name) ? .text(name) : .null),
                ])
            })
    }

    /// Whom it concerns.
    private func segment(of pattern: ScenarioPattern, _ redact: (String) -> String) -> JSONNode {
        let names = pattern.populations.map { key.names[$0] }
        var members: [(String, JSONNode)] = [("populations", .texts(names))]
        if case .release = pattern.change { return .object(members) }
        for member in pattern.parameters where ["version", "timeZone", "share"].contains(member.key) {
            members.append((member.key, PatternAnswers.redacted(member.value, redact)))
        }
        return .object(members)
    }

    private static func redacted(_ node: JSONNode, _ redact: (String) -> String) -> JSONNode {
        if let members = node.members {
            return JSONNode(.object(members.map { .init($0.key, redacted($0.value, redact)) }))
        }
        if let elements = node.elements { return .list(elements.map { redacted($0, redact) }) }
        return node.string.map { .text(redact($0)) } ?? node
    }
}

extension Answer.Value {
    /// By which rows are put in order.
    var order: ExactText {
        switch self {
        case .number(let number): ExactText(Self.ordered(number))
        case .text(let text): text
        case .share(let share): ExactText(String(share))
        case .none: ExactText("")
        }
    }

    /// A text that comes before that of any greater number.
    private static func ordered(_ number: Int64) -> String {
        let digits = String(UInt64(bitPattern: number) ^ (1 << 63))
        return String(repeating: "0", count: 20 - digits.count) + digits
    }
}
