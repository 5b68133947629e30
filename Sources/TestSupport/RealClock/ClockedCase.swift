import Synchronization
package import Timebase

/// One case of a test that plays on the real clock, and how late the machine made it.
package final class ClockedCase: Sendable {
    /// The case that runs in this task, if its suite is on the real clock.
    @TaskLocal package static var current: ClockedCase?

    private let patience: Interval
    private let machine: LoopWatch
    private let measured = Mutex<(lag: Interval, subject: String?)?>(nil)

    init(patience: Interval, machine: LoopWatch) {
        self.patience = patience
        self.machine = machine
    }

    /// Says how late the loops were whose run is judged next: it counts instead of what idle loops of the machine saw.
    ///
    /// - Parameter subject: What was played, where the test's name does not say it.
    package func note(_ lag: Interval, of subject: String? = nil) {
        measured.withLock { $0 = (lag, subject) }
    }

    /// What was played, if somebody said so.
    var subject: String? { measured.withLock { $0?.subject } }

    /// Whether somebody did.
    var measuresRuns: Bool { measured.withLock { $0 != nil } }

    /// Whether a difference says more about the machine than about what is tested.
    var isLate: Bool { (measured.withLock { $0?.lag } ?? machine.latest) > patience }
}

/// How many cases of a suite were played, and which of them came to no conclusion.
package final class ClockTally: Sendable {
    /// The part of a suite's cases that may be inconclusive; beyond it, the suite says nothing. One case may always be,
    /// however small the suite, unless no other came to a conclusion.
    private static let bearableShare = 0.2

    private let state = Mutex<(played: Int, inconclusive: [String])>((0, []))

    package init() {}

    package func add(_ name: String, isInconclusive: Bool) {
        state.withLock { state in
            state.played += 1
            if isInconclusive { state.inconclusive.append(name) }
        }
    }

    /// What the suite's end has to say; `nil` if every case came to a conclusion.
    package var summary: String? {
        let (played, names) = state.withLock { $0 }
        guard !names.isEmpty else { return nil }
        return "\(names.count) of \(played) cases inconclusive, for the machine was late: "
            + names.joined(separator: "; ")
    }

    /// Whether so many cases came to no conclusion that the suite comes to none.
    package var isInconclusive: Bool {
        let (played, names) = state.withLock { $0 }
        if names.isEmpty { return false }
        return names.count == played || names.count > max(1, Int(Self.bearableShare * Double(played)))
    }
}
