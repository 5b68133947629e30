import Accounting
import Timebase
import Wire
import World

/// What brings revenue: an event's name, and the column of its price.
struct RevenueKey: Hashable, Comparable, Sendable {
    private let exactName: ExactText
    let column: String

    var name: String { exactName.text }

    init(name: String, column: String) {
        exactName = ExactText(name)
        self.column = column
    }

    static func < (left: RevenueKey, right: RevenueKey) -> Bool {
        (left.exactName, left.column) < (right.exactName, right.column)
    }
}

/// The sums that the answers to a dataset's questions are made of. They grow with days and names, not with events; those of
/// parts add up.
package struct AnswerTotals {
    struct NameCounts: Hashable {
        var captured = 0
        var arrived = 0
        var rows = 0
    }

    /// Users of a day, and those of whom something arrived.
    struct Users: Hashable {
        var captured = 0
        var arrived = 0
    }

    struct Sessions: Hashable {
        var count = 0
        /// The sum of those that ended, in milliseconds.
        var length: Int64 = 0
    }

    struct Radio: Hashable {
        var captured = 0
        var lost = 0
    }

    /// What events were worth, in hundredths.
    struct Revenue: Hashable {
        /// The price of an event that cannot be told to the hundredth: no sum with it can be, either.
        static let untold = Int64.max

        var events = 0
        /// The sum, where ``total`` says that there is one.
        var cents: Int64 = 0
        /// The sum of what the prices are without their signs, at most ``untold``. By it and not by the sum itself it
        /// is decided what can be told, so that neither order nor parts make a difference.
        var size: Int64 = 0

        /// The sum; `nil` where 64 bits, or those of a price, do not hold it exactly: databases then fail, or wrap
        /// around, or give the nearest double.
        var total: Int64? { size < Revenue.untold ? cents : nil }
    }

    /// By population and label.
    var names: [[NameCounts]]
    var users: [Int64: Users] = [:]
    var sessions: [String: Sessions] = [:]
    var dayTexts: [Int64: String] = [:]
    /// Of each step of the funnel.
    var funnel: [Users]
    /// By the days from the first on: users who came back.
    var returned: [Int64: Int] = [:]
    /// By the first day.
    var firstDays: [Int64: Int] = [:]
    var lastDay: Int64?
    var fates: [UInt32: Int] = [:]
    var radios = NetworkKind.allCases.map { _ in Radio() }
    /// The sum over all events with their fates, as in a run's report.
    package var fingerprint: UInt64 = 0
    var copied = 0
    var arrived = 0
    /// By whole seconds.
    var lateness: [Int64: Int] = [:]
    var revenue: [RevenueKey: Revenue] = [:]

    package init(_ facts: DatasetFacts) {
        names = facts.labels.map { $0.map { _ in NameCounts() } }
        funnel = facts.funnel.map { _ in Users() }
    }

    /// Adds those of other devices of the same dataset.
    ///
    /// - Precondition: they count the same populations, labels and steps.
    package mutating func merge(_ other: AnswerTotals) {
        for population in names.indices {
            for label in names[population].indices {
                names[population][label] += other.names[population][label]
            }
        }
        for step in funnel.indices { funnel[step] += other.funnel[step] }
        for index in radios.indices { radios[index] += other.radios[index] }
        for (day, counts) in other.users { users[day, default: Users()] += counts }
        for (day, counts) in other.sessions { sessions[day, default: Sessions()] += counts }
        for (key, sum) in other.revenue { revenue[key, default: Revenue()] += sum }
        dayTexts.merge(other.dayTexts) { mine, _ in mine }
        returned.merge(other.returned, uniquingKeysWith: +)
        firstDays.merge(other.firstDays, uniquingKeysWith: +)
        fates.merge(other.fates, uniquingKeysWith: +)
        lateness.merge(other.lateness, uniquingKeysWith: +)
        lastDay = [lastDay, other.lastDay].compactMap(\.self).max()
        fingerprint &+= other.fingerprint
        copied += other.copied
        arrived += other.arrived
    }

    /// Whether both count the same populations, labels and steps.
    package func hasShape(of other: AnswerTotals) -> Bool {
        names.map(\.count) == other.names.map(\.count) && funnel.count == other.funnel.count
            && radios.count == other.radios.count
    }
}

extension AnswerTotals.NameCounts {
    static func += (left: inout Self, right: Self) {
        left.captured += right.captured
        left.arrived += right.arrived
        left.rows += right.rows
    }
}

extension AnswerTotals.Users {
    static func += (left: inout Self, right: Self) {
        left.captured += right.captured
        left.arrived += right.arrived
    }
}

extension AnswerTotals.Sessions {
    static func += (left: inout Self, right: Self) {
        left.count += right.count
        left.length += right.length
    }
}

extension AnswerTotals.Radio {
    static func += (left: inout Self, right: Self) {
        left.captured += right.captured
        left.lost += right.lost
    }
}

extension AnswerTotals.Revenue {
    static func += (left: inout Self, right: Self) {
        left.events += right.events
        left.cents &+= right.cents
        left.size = left.size.adding(saturating: right.size)
    }

    /// Adds the price of an event.
    mutating func add(_ cents: Int64) {
        self += Self(events: 1, cents: cents, size: Int64(clamping: cents.magnitude))
    }
}
