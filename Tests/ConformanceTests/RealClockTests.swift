import Foundation
import Synchronization
import TestSupport
import Testing
import Timebase

@Suite("Tests on the real clock")
struct RealClockTests {
    private let trait: RealClockTrait
    private let told: Told

    /// What suites said at their end.
    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
    }

    init() {
        let told = Told()
        self.told = told
        trait = .realClock(patience: .milliseconds(30)) { line in told.lines.withLock { $0.append(line) } }
    }

    private func play(_ name: String, lag: Interval, differs: Bool) async throws {
        try await trait.judge(case: name) {
            ClockedCase.current?.note(lag)
            if differs { Issue.record("differs") }
        }
    }

    @Test("forgive what differs on a late machine, and say so")
    func late() async throws {
        try await trait.judge(suite: "one of five") {
            try await play("late", lag: .seconds(6), differs: true)
            for name in ["a", "b", "c", "d"] { try await play(name, lag: .zero, differs: false) }
        }
        #expect(
            told.lines.withLock { $0 }
                == ["one of five: 1 of 5 cases inconclusive, for the machine was late: late"])
    }

    @Test("fail where anything differs on a punctual machine")
    func punctual() async throws {
        try await withKnownIssue {
            try await play("punctual", lag: .milliseconds(30), differs: true)
        } matching: { issue in
            issue.comments.contains("differs")
        }
    }

    @Test("take a result for one however late the machine was")
    func agreeing() async throws {
        try await trait.judge(suite: "all late, and right") {
            for name in ["a", "b"] { try await play(name, lag: .seconds(6), differs: false) }
        }
        #expect(told.lines.withLock { $0 }.isEmpty)
    }

    @Test("fail as inconclusive where more than a fifth is")
    func tooMany() async throws {
        try await withKnownIssue {
            try await trait.judge(suite: "two of nine") {
                for name in ["a", "b"] { try await play(name, lag: .seconds(6), differs: true) }
                for number in 0..<7 { try await play("\(number)", lag: .zero, differs: false) }
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("2 of 9 cases inconclusive") }
        }
    }

    @Test("bear one case of a small suite, unless it is the only one")
    func small() async throws {
        try await trait.judge(suite: "one of two") {
            try await play("late", lag: .seconds(6), differs: true)
            try await play("punctual", lag: .zero, differs: false)
        }
        try await withKnownIssue {
            try await trait.judge(suite: "one of one") {
                try await play("late", lag: .seconds(6), differs: true)
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("1 of 1 cases inconclusive") }
        }
    }

    @Test("try again what fails while the machine is late, unless its runs are measured")
    func again() async throws {
        nonisolated(unsafe) var tries = 0
        try await trait.judge(case: "measured") {
            tries += 1
            ClockedCase.current?.note(.seconds(6))
            Issue.record("differs")
        }
        #expect(tries == 1)
        try await RealClockTrait.realClock(patience: .zero - .seconds(1)).judge(case: "the machine alone") {
            tries += 1
            if tries < 3 { Issue.record("differs") }
        }
        #expect(tries == 3)
    }

    @Test("put their files into memory where the machine has room there")
    func folder() throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: "/dev/shm")
        let free = (attributes[.systemFreeSize] as? NSNumber)?.uint64Value ?? 0
        let chosen = ProcessInfo.processInfo.environment["TMPDIR"]
        if let chosen, !chosen.isEmpty {
            #expect(TestFolder.base == chosen)
        } else if free >= 1 << 30 {
            #expect(TestFolder.base == "/dev/shm")
        }
        #expect(FileManager.default.fileExists(atPath: TestFolder.base))
        let store = try StoreFolder()
        #expect(store.path.hasPrefix(TestFolder.base + "/"))
    }
}
