import Accounting
import Wire
import World

/// The answers to a dataset's questions, and the queries that give them.
package struct Answers {
    private let facts: DatasetFacts
    private let totals: AnswerTotals
    /// Rows of `events`.
    private let rows: Int64

    package init(_ facts: DatasetFacts, _ totals: AnswerTotals, rows: Int64) {
        self.facts = facts
        self.totals = totals
        self.rows = rows
    }

    package var all: [Answer] {
        [
            dailyActiveUsers, sessionsPerDay, eventsByName, funnel, retention, lossByCause, lossByRadio,
            duplicates, lateness, revenue,
        ].compactMap(\.self)
    }

    private var dailyActiveUsers: Answer {
        let rows = totals.users.sorted { $0.key < $1.key }.map { day, users in
            [Answer.Value.text(totals.dayTexts[day]), .count(users.captured), .count(users.arrived)]
        }
        return Answer(
            name: "daily_active_users",
            question:
                "Of how many people did something happen in the app each day, and of how many did something arrive?",
            columns: ["day", "users", "users_arrived"], rows: rows,
            sql: """
                SELECT t.day AS day, count(DISTINCT CASE WHEN t.fate <> 'suppressed' THEN t.user_id END) AS users,
                       count(DISTINCT CASE WHEN e.row_id > 0 THEN t.user_id END) AS users_arrived
                FROM truth t LEFT JOIN events e ON e.row_id = t.row_id
                WHERE t.fate <> 'suppressed' OR t.row_id IS NOT NULL
                GROUP BY t.day ORDER BY t.day
                """)
    }

    private var sessionsPerDay: Answer {
        let rows = totals.sessions.sorted { $0.key < $1.key }.map { day, sessions in
            [Answer.Value.text(day), .count(sessions.count), .number(sessions.length)]
        }
        return Answer(
            name: "sessions_per_day",
            question:
                "How many sessions began each day, and how long were those that ended, in milliseconds?",
            columns: ["day", "sessions", "duration_ms"], rows: rows,
            sql: """
                SELECT day, count(*) AS sessions, coalesce(sum(duration_ms), 0) AS duration_ms
                FROM sessions GROUP BY day ORDER BY day
                """)
    }

    private struct Name: Hashable {
        var system: ExactText
        var type: ExactText
        var name: ExactText
    }

    private var eventsByName: Answer {
        var sums: [Name: AnswerTotals.NameCounts] = [:]
        for (population, counts) in totals.names.enumerated() {
            for (label, counts) in counts.enumerated() where counts.captured > 0 {
                let own = facts.labels[population][label]
                let name = Name(
                    system: ExactText(facts.systems[population]), type: ExactText(own.type),
                    name: ExactText(own.name))
                sums[name, default: AnswerTotals.NameCounts()].captured += counts.captured
                sums[name, default: AnswerTotals.NameCounts()].arrived += counts.arrived
                sums[name, default: AnswerTotals.NameCounts()].rows += counts.rows
            }
        }
        let sorted = sums.sorted {
            ($0.key.system, $0.key.type, $0.key.name) < ($1.key.system, $1.key.type, $1.key.name)
        }
        return Answer(
            name: "events_by_name",
            question: "How many events of each name happened, how many arrived, and in how many rows?",
            columns: ["system", "type", "name", "captured", "arrived", "copies"],
            rows: sorted.map { name, counts in
                [
                    .text(name.system), .text(name.type), .text(name.name), .count(counts.captured),
                    .count(counts.arrived), .count(counts.rows),
                ]
            },
            sql: """
                SELECT t.system AS system, t.type AS type, t.name AS name, count(*) AS captured,
                       count(CASE WHEN e.row_id > 0 THEN 1 END) AS arrived, sum(t.copies) AS copies
                FROM truth t LEFT JOIN events e ON e.row_id = t.row_id
                GROUP BY t.system, t.type, t.name ORDER BY t.system, t.type, t.name
                """)
    }

    private var retention: Answer {
        // Where nobody ever was, there is no last day to look back from.
        let rows = totals.lastDay.map { lastDay in
            AnswerKey.retentionDays.map { days in
                let cohort = totals.firstDays.reduce(0) { sum, first in
                    first.key + days <= lastDay ? sum + first.value : sum
                }
                return [Answer.Value.number(days), .count(cohort), .count(totals.returned[days] ?? 0)]
            }
        }
        return Answer(
            name: "retention",
            question:
                "Of the people whose first day is at least so many days before the last one, how many came back?",
            columns: ["after_days", "users", "returned"], rows: rows ?? [],
            sql: """
                WITH active AS (SELECT DISTINCT user_id, day_number FROM truth WHERE fate <> 'suppressed'),
                     firsts AS (SELECT user_id, min(day_number) AS first_day FROM active GROUP BY user_id),
                     ends AS (SELECT max(day_number) AS last_day FROM active),
                     steps AS (SELECT 1 AS after_days UNION ALL SELECT 7 UNION ALL SELECT 30),
                     pairs AS (SELECT s.after_days AS after_days, f.user_id AS user_id,
                                      f.first_day + s.after_days AS target_day
                               FROM steps s CROSS JOIN firsts f)
                SELECT p.after_days AS after_days,
                       coalesce(sum(CASE WHEN p.target_day <= n.last_day THEN 1 ELSE 0 END), 0) AS users,
                       count(CASE WHEN a.user_id <> '' THEN 1 END) AS returned
                FROM pairs p CROSS JOIN ends n
                LEFT JOIN active a ON a.user_id = p.user_id AND a.day_number = p.target_day
                GROUP BY p.after_days ORDER BY p.after_days
                """)
    }
}

// MARK: - What became of events

extension Answers {
    private var lossByCause: Answer {
        let rows = totals.fates.compactMap { code, count in Disposition(code: code).map { ($0, count) } }
            .sorted { ($0.0.fate.rawValue, $0.0.cause ?? "") < ($1.0.fate.rawValue, $1.0.cause ?? "") }
        return Answer(
            name: "loss_by_cause", question: "What became of the events, and why?",
            columns: ["fate", "cause", "events"],
            rows: rows.map { [.text($0.fate.rawValue), .text($0.cause ?? ""), .count($1)] },
            sql: """
                SELECT l.fate AS fate, l.reason AS cause, count(*) AS events
                FROM (SELECT fate, coalesce(cause, '') AS reason FROM truth) l
                GROUP BY l.fate, l.reason ORDER BY l.fate, l.reason
                """)
    }

    private var lossByRadio: Answer {
        let rows = NetworkKind.allCases.map { ($0.name, totals.radios[Int($0.rawValue)]) }
            .filter { $0.1.captured > 0 }.sorted { $0.0 < $1.0 }
        return Answer(
            name: "loss_by_radio", question: "How many events were captured and lost on each radio?",
            columns: ["radio", "captured", "lost"],
            rows: rows.map { [.text($0), .count($1.captured), .count($1.lost)] },
            sql: """
                SELECT radio, count(*) AS captured,
                       sum(CASE WHEN fate IN ('evicted', 'rejected', 'lost') THEN 1 ELSE 0 END) AS lost
                FROM truth GROUP BY radio ORDER BY radio
                """)
    }

    private var duplicates: Answer {
        Answer(
            name: "duplicates", question: "How many rows, events and repeated events are there?",
            columns: ["total_rows", "total_events", "surplus_rows", "repeated_events"],
            rows: [
                [
                    .number(rows), .count(totals.arrived), .number(rows - Int64(totals.arrived)),
                    .count(totals.copied),
                ]
            ],
            sql: """
                SELECT r.n AS total_rows, t.n AS total_events, r.n - t.n AS surplus_rows, t.repeated AS repeated_events
                FROM (SELECT count(*) AS n FROM events) r
                CROSS JOIN (SELECT count(e.row_id) AS n,
                                   coalesce(sum(CASE WHEN t.copies > 1 THEN 1 ELSE 0 END), 0) AS repeated
                            FROM truth t JOIN events e ON e.row_id = t.row_id) t
                """)
    }

    private static let percents = [50, 90, 95, 99, 100]

    private var lateness: Answer {
        let sorted = totals.lateness.sorted { $0.key < $1.key }
        let total = sorted.reduce(0) { $0 + $1.value }
        let rows =
            total == 0
            ? []
            : Answers.percents.map { percent -> [Answer.Value] in
                let rank = (percent * total + 99) / 100
                var seen = 0
                let found = sorted.first { entry in
                    seen += entry.value
                    return seen >= rank
                }
                return [.count(percent), .number(found?.key ?? 0)]
            }
        let list = Answers.percents.dropFirst().map { " UNION ALL SELECT \($0)" }.joined()
        return Answer(
            name: "lateness",
            question:
                "Within how many milliseconds (whole seconds) did so many per cent of the events arrive?",
            columns: ["percent", "lateness_ms"], rows: rows,
            sql: """
                SELECT q.percent AS percent, l.late AS lateness_ms
                FROM (SELECT t.lateness_ms - t.lateness_ms % 1000 AS late,
                             row_number() OVER (ORDER BY t.lateness_ms) AS place, count(*) OVER () AS total
                      FROM truth t JOIN events e ON e.row_id = t.row_id) l
                CROSS JOIN (SELECT \(Answers.percents[0]) AS percent\(list)) q
                WHERE 100 * l.place >= q.percent * l.total AND 100 * (l.place - 1) < q.percent * l.total
                ORDER BY q.percent
                """)
    }

    /// `nil` where no event has a price.
    private var revenue: Answer? {
        let sums = totals.revenue.sorted { $0.key < $1.key }
        guard !sums.isEmpty else { return nil }
        let parts = sums.map { revenueQuery($0.key, isTold: $0.value.total != nil) }
        let isTold = sums.allSatisfy { $0.value.total != nil }
        return Answer(
            name: "revenue",
            question:
                "What were the events with a price worth, each rounded to hundredths, in hundredths?"
                + (isTold ? "" : " Sums beyond what 64 bits hold exactly are left out."),
            columns: ["name", "price", "events", "hundredths"],
            rows: sums.map {
                [.text($0.name), .text($0.column), .count($1.events), $1.total.map { .number($0) } ?? .none]
            },
            // ClickHouse orders the last part of a union alone.
            sql: """
                SELECT name, price, events, hundredths
                FROM (\(parts.joined(separator: "\nUNION ALL\n"))) r ORDER BY name, price
                """)
    }

    /// - Parameter isTold: Whether the sum is asked for; if not, NULL is what all databases give for it.
    private func revenueQuery(_ key: RevenueKey, isTold: Bool) -> String {
        let populations = facts.populations(with: key)
        let isOwn = populations.map { " AND " + $0.sqlCondition(on: "t.population") } ?? ""
        let hundredths = "CAST(round(e.\(key.column) * 100 + \(Rounding.hundredthsText)) AS BIGINT)"
        return """
            SELECT e.name AS name, '\(key.column)' AS price, count(e.\(key.column)) AS events,
                   \(isTold ? "sum(\(hundredths))" : "nullif(0, 0)") AS hundredths
            FROM events e JOIN truth t ON t.row_id = e.row_id
            WHERE e.name = \(key.name.sqlLiteral) AND e.\(key.column) IS NOT NULL\(isOwn) GROUP BY e.name
            """
    }
}

// MARK: - Funnel

extension Answers {
    /// `nil` where the app has no events.
    private var funnel: Answer? {
        let names = facts.funnel
        guard let first = totals.funnel.first else { return nil }
        let rows = zip(names, totals.funnel).enumerated().map { step, entry -> [Answer.Value] in
            let conversion = first.captured == 0 ? nil : Double(entry.1.captured) / Double(first.captured)
            return [
                .count(step + 1), .text(entry.0), .count(entry.1.captured), .count(entry.1.arrived),
                conversion.map { .share((($0 + Rounding.share) * 10_000).rounded() / 10_000) } ?? .none,
            ]
        }
        let all = "t.fate <> 'suppressed'"
        let arrived = "e.row_id > 0"
        let steps = (steps(names, "s", all) + self.steps(names, "a", arrived)).joined(separator: ",\n     ")
        let lines = names.indices.map { step in
            "SELECT \(step + 1) AS step, \(names[step].sqlLiteral) AS name, "
                + "(SELECT count(*) FROM s\(step)) AS users, (SELECT count(*) FROM a\(step)) AS users_arrived"
        }
        return Answer(
            name: "funnel",
            question:
                "How many people did each step after the one before it, and of how many did that arrive?",
            columns: ["step", "name", "users", "users_arrived", "conversion"], rows: rows,
            sql: """
                WITH \(steps)
                SELECT step, name, users, users_arrived,
                       round(1.0 * users / nullif((SELECT count(*) FROM s0), 0) + \(Rounding.shareText), 4) AS conversion
                FROM (\(lines.joined(separator: "\n      UNION ALL ")))  f ORDER BY step
                """)
    }

    /// The tables of the steps: who reached each, and when first.
    private func steps(_ names: [String], _ table: String, _ condition: String) -> [String] {
        names.indices.map { step in
            let isStep = facts.names(of: names[step]).sqlCondition(on: "t.name")
            let before = step == 0 ? "" : " JOIN \(table)\(step - 1) b ON b.user_id = t.user_id"
            let since = step == 0 ? "" : " AND t.captured_at >= b.reached_at"
            return
                "\(table)\(step) AS (SELECT t.user_id AS user_id, min(t.captured_at) AS reached_at FROM truth t"
                + " LEFT JOIN events e ON e.row_id = t.row_id\(before)"
                + " WHERE \(isStep) AND \(condition)\(since) GROUP BY t.user_id)"
        }
    }
}
