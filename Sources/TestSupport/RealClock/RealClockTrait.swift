import Foundation
import NIOPosix
import Synchronization
package import Testing
package import Timebase

/// A suite that plays on the real clock.
///
/// What a case finds wrong while the machine was late is tried again, and is inconclusive in the end: a known issue,
/// printed and counted, that fails nothing. What differs while the machine was punctual is a failure like any
/// other. A suite of which more than a fifth is inconclusive, and more than one case or all, fails as inconclusive.
package struct RealClockTrait: SuiteTrait, TestTrait, TestScoping {
    /// How often a case is tried at most until the machine is punctual.
    private static let attempts = 3

    /// The latest that anything may be without being the reason of a difference.
    let patience: Interval
    /// Hears which cases of a suite are inconclusive.
    let tell: @Sendable (String) -> Void
    @TaskLocal private static var tally: ClockTally?

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> RealClockTrait? {
        test.isSuite || testCase != nil ? self : nil
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let name = test.displayName ?? test.name
        if test.isSuite {
            try await judge(suite: name, function)
        } else {
            try await judge(case: name, function)
        }
    }

    /// Plays a suite's cases, and fails where too many of them come to no conclusion.
    package func judge(suite name: String, _ function: @Sendable @concurrent () async throws -> Void)
        async throws
    {
        let tally = ClockTally()
        try await Self.$tally.withValue(tally) { try await function() }
        guard let summary = tally.summary else { return }
        let text = "\(name): \(summary)"
        tell(text)
        if tally.isInconclusive { Issue.record("\(text): too many to judge by the others") }
    }

    /// Plays a case until it is conclusive, or its tries are used up.
    package func judge(case name: String, _ function: @Sendable @concurrent () async throws -> Void)
        async throws
    {
        var (isInconclusive, subject) = (false, name)
        for _ in 1...Self.attempts {
            let watch = try await LoopWatch.start(
                on: MultiThreadedEventLoopGroup.singleton.makeIterator().map { $0 })
            defer { watch.stop() }
            let clocked = ClockedCase(patience: patience, machine: watch)
            isInconclusive = try await isExcused(clocked, function)
            subject = clocked.subject ?? name
            // Whoever measures runs plays them again himself.
            if !isInconclusive || clocked.measuresRuns { break }
        }
        Self.tally?.add(subject, isInconclusive: isInconclusive)
    }

    /// Whether something was found wrong that the machine's lateness explains.
    private func isExcused(
        _ clocked: ClockedCase, _ function: @Sendable @concurrent () async throws -> Void
    ) async throws -> Bool {
        let excuses = Atomic(0)
        try await ClockedCase.$current.withValue(clocked) {
            try await withKnownIssue("inconclusive: the machine was late", isIntermittent: true) {
                try await function()
            } matching: { _ in
                guard clocked.isLate else { return false }
                excuses.add(1, ordering: .relaxed)
                return true
            }
        }
        return excuses.load(ordering: .relaxed) > 0
    }
}

extension Trait where Self == RealClockTrait {
    /// On the real clock, with steps that lie so far apart that lateness below `patience` changes nothing.
    package static func realClock(
        patience: Interval = .milliseconds(15),
        tell: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
    ) -> Self {
        RealClockTrait(patience: patience, tell: tell)
    }
}
