import Accounting
import Measurement
import World

/// Counts what the answers to a dataset's questions are made of, while the truth streams by. It grows with days and
/// names, not with events.
package final class AnswerKey {
    package let facts: DatasetFacts
    package private(set) var totals: AnswerTotals
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

    package init(_ facts: DatasetFacts) {
        self.facts = facts
        totals = AnswerTotals(facts)
    }

    func beginUser() { user = UserDays(steps: facts.funnel.map { _ in [] }) }

    func note(_ event: TruthEvent, day: String) {
        totals.names[event.population][event.label].captured += 1
        totals.names[event.population][event.label].rows += event.copies
        if event.hasArrived { totals.names[event.population][event.label].arrived += 1 }
        totals.fates[event.disposition.code, default: 0] += 1
        totals.radios[Int(event.radio.rawValue)].captured += 1
        if event.isLost { totals.radios[Int(event.radio.rawValue)].lost += 1 }
        if event.copies > 1 { totals.copied += 1 }
        if event.hasArrived { totals.arrived += 1 }
        if let late = event.lateness { totals.lateness[late - late % 1000, default: 0] += 1 }
        noteUser(event, day: day)
    }

    func note(_ event: SealedEvent, population: Int) {
        totals.fingerprint &+= event.fingerprint(population: population)
    }

    private func noteUser(_ event: TruthEvent, day: String) {
        if totals.dayTexts[event.day] == nil { totals.dayTexts[event.day] = day }
        if event.counts { user.captured.insert(event.day) }
        if event.hasArrived { user.arrived.insert(event.day) }
        guard event.counts || event.hasArrived else { return }
        for step in facts.steps(ofLabel: event.label, population: event.population) {
            user.steps[step].append((event.capturedAt, event.hasArrived))
        }
    }

    func endUser() {
        for day in user.captured { totals.users[day, default: .init()].captured += 1 }
        for day in user.arrived { totals.users[day, default: .init()].arrived += 1 }
        for (step, isReached) in reached({ _ in true }).enumerated() where isReached {
            totals.funnel[step].captured += 1
        }
        for (step, isReached) in reached({ $0 }).enumerated() where isReached {
            totals.funnel[step].arrived += 1
        }
        guard let first = user.captured.min(), let last = user.captured.max() else { return }
        totals.lastDay = max(totals.lastDay ?? last, last)
        totals.firstDays[first, default: 0] += 1
        for days in AnswerKey.retentionDays where user.captured.contains(first + days) {
            totals.returned[days, default: 0] += 1
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
        totals.sessions[day, default: .init()].count += 1
        totals.sessions[day, default: .init()].length += length ?? 0
    }

    func note(_ cents: Int64, of key: RevenueKey) {
        totals.revenue[key, default: .init()].add(cents)
    }
}
