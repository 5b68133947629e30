import Accounting
import World

/// What brings revenue: an event's name, and the column of its price.
struct RevenueKey: Hashable, Comparable, Sendable {
    var name: String
    var column: String

    static func < (left: RevenueKey, right: RevenueKey) -> Bool {
        (left.name, left.column) < (right.name, right.column)
    }
}

/// Counts what the answers to a dataset's questions are made of, while the truth streams by. It grows with days and
/// names, not with events.
final class AnswerKey {
    struct NameCounts {
        var captured = 0
        var arrived = 0
        var rows = 0
    }

    /// Users of a day, and those of whom something arrived.
    struct Users {
        var captured = 0
        var arrived = 0
    }

    let facts: DatasetFacts
    /// By population and label.
    private(set) var names: [[NameCounts]]
    private(set) var users: [Int64: Users] = [:]
    private(set) var sessions: [String: (count: Int, length: Int64)] = [:]
    private(set) var dayTexts: [Int64: String] = [:]
    /// Of each step of the funnel.
    private(set) var funnel: [Users]
    /// By the days from the first on: users who came back.
    private(set) var returned: [Int64: Int] = [:]
    /// By the first day.
    private(set) var firstDays: [Int64: Int] = [:]
    private(set) var lastDay: Int64?
    private(set) var fates: [UInt32: Int] = [:]
    /// By radio: captured and lost.
    private(set) var radios = NetworkKind.allCases.map { _ in (captured: 0, lost: 0) }
    private(set) var copied = 0
    private(set) var arrived = 0
    /// By whole seconds.
    private(set) var lateness: [Int64: Int] = [:]
    private(set) var revenue: [RevenueKey: (events: Int, cents: Int64)] = [:]
    private var user = UserDays()

    /// The days of retention that are asked for.
    static let retentionDays: [Int64] = [1, 7, 30]

    /// What is known of the user whose truth is streaming by.
    private struct UserDays {
        var captured: Set<Int64> = []
        var arrived: Set<Int64> = []
        /// Times of the funnel's events, by step.
        var steps: [[(at: Int64, arrived: Bool)]] = []
    }

    init(_ facts: DatasetFacts) {
        self.facts = facts
        names = facts.labels.map { $0.map { _ in NameCounts() } }
        funnel = facts.funnel.map { _ in Users() }
    }

    func beginUser() { user = UserDays(steps: facts.funnel.map { _ in [] }) }

    func note(_ event: TruthEvent, day: String) {
        names[event.population][event.label].captured += 1
        names[event.population][event.label].rows += event.copies
        if event.hasArrived { names[event.population][event.label].arrived += 1 }
        fates[event.disposition.code, default: 0] += 1
        radios[Int(event.radio.rawValue)].captured += 1
        if event.isLost { radios[Int(event.radio.rawValue)].lost += 1 }
        if event.copies > 1 { copied += 1 }
        if event.hasArrived { arrived += 1 }
        if let late = event.lateness { lateness[late - late % 1000, default: 0] += 1 }
        noteUser(event, day: day)
    }

    private func noteUser(_ event: TruthEvent, day: String) {
        if dayTexts[event.day] == nil { dayTexts[event.day] = day }
        if event.counts { user.captured.insert(event.day) }
        if event.hasArrived { user.arrived.insert(event.day) }
        guard event.counts || event.hasArrived else { return }
        if let step = facts.step(ofLabel: event.label, population: event.population) {
            user.steps[step].append((event.capturedAt, event.hasArrived))
        }
    }

    func endUser() {
        for day in user.captured { users[day, default: Users()].captured += 1 }
        for day in user.arrived { users[day, default: Users()].arrived += 1 }
        for (step, isReached) in reached({ _ in true }).enumerated() where isReached {
            funnel[step].captured += 1
        }
        for (step, isReached) in reached({ $0 }).enumerated() where isReached { funnel[step].arrived += 1 }
        guard let first = user.captured.min(), let last = user.captured.max() else { return }
        lastDay = max(lastDay ?? last, last)
        firstDays[first, default: 0] += 1
        for days in AnswerKey.retentionDays where user.captured.contains(first + days) {
            returned[days, default: 0] += 1
        }
    }

    /// Which steps the user reached, each not before the one before it.
    private func reached(_ counts: (Bool) -> Bool) -> [Bool] {
        var since: Int64? = .min
        return user.steps.map { times in
            guard let before = since else { return false }
            since = times.filter { counts($0.arrived) && $0.at >= before }.map(\.at).min()
            return since != nil
        }
    }

    func noteSession(day: String, length: Int64?) {
        sessions[day, default: (0, 0)].count += 1
        sessions[day, default: (0, 0)].length += length ?? 0
    }

    func note(_ cents: Int64, of key: RevenueKey) {
        revenue[key, default: (0, 0)].events += 1
        revenue[key, default: (0, 0)].cents += cents
    }
}
