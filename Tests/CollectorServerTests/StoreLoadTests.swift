import Foundation
import GRDB
import Synchronization
import Testing

@testable import CollectorServer

@Suite("StoreLoad")
struct StoreLoadTests {
    @Test("a table that takes more than a third of a core within a fifth of a second is behind")
    func limit() {
        let clock = ManualClock()
        for (milliseconds, isBehind) in [(66, false), (67, true)] as [(Int64, Bool)] {
            var load = StoreLoad(clock: clock.time)
            for _ in 0..<2 { load.measure { clock.work(33) } }
            #expect(!load.isBehind)
            load.measure { clock.work(milliseconds - 66) }
            #expect(load.isBehind == isBehind, "\(milliseconds) ms")
        }
    }

    @Test("what lies further back does not count, nor does the time that others take")
    func window() {
        let clock = ManualClock()
        var load = StoreLoad(clock: clock.time)
        for _ in 0..<20 {
            load.measure { clock.work(60) }
            clock.wait(141)
        }
        #expect(!load.isBehind)
        load.measure { clock.wait(190) }
        #expect(!load.isBehind)
    }

    @Test("a table that was behind is, until it has caught up; then it is judged anew")
    func recovery() {
        let clock = ManualClock()
        var load = StoreLoad(clock: clock.time)
        load.measure { clock.work(70) }
        clock.wait(10_000)
        load.measure { clock.work(1) }
        #expect(load.isBehind)
        load.noteDrained()
        #expect(!load.isBehind)
        load.measure { clock.work(60) }
        #expect(!load.isBehind)
        // Not what a table that keeps up is told.
        load.noteDrained()
        load.measure { clock.work(7) }
        #expect(load.isBehind)
    }

    @Test("rows go into the log as soon as the table is behind, and into the table when it has caught up")
    func switching() throws {
        let file = TemporaryFile()
        let clock = ManualClock()
        let merges = HeldExecutor()
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        let store = try DurableStore(configuration: configuration, merger: merges)
        var load = StoreLoad(clock: clock.time)
        var batch: Int64 = 0
        func commit() {
            #expect(store.commit(rowBuffer(0..<5, batch: batch + 1), after: batch, load: &load) == nil)
            batch += 1
        }
        for _ in 0..<2 {
            commit()
            #expect(store.rowsInLog == 0 && !store.prefersLog(load))
            load.measure { clock.work(70) }
            #expect(store.prefersLog(load))
            for round in 1...3 {
                commit()
                #expect(store.rowsInLog == 5 * round)
            }
            // Those that come while the table catches up wait behind the others.
            merges.runOne()
            #expect(store.rowsInLog < 15)
            commit()
            #expect(store.rowsInLog > 0)
            while merges.runOne() {}
            #expect(store.rowsInLog == 0 && store.prefersLog(load))
        }
        commit()
        #expect(store.rowsInLog == 0 && !store.prefersLog(load))
        store.close()
        let stored = try content(file.path).map { $0["batch"] as Int? }
        #expect(stored == (1...11).flatMap { Array(repeating: $0, count: 5) })
    }
}

/// Clocks that go on when they are told to, in milliseconds.
private final class ManualClock: Sendable {
    private let now = Mutex<(passed: Int64, worked: Int64)>((0, 0))

    /// What the store's load asks.
    var time: StoreLoad.Clock {
        { clock in
            self.now.withLock { clock == CLOCK_THREAD_CPUTIME_ID ? $0.worked : $0.passed } * 1_000_000
        }
    }

    /// Time in which this thread has the processor.
    func work(_ milliseconds: Int64) {
        now.withLock {
            $0.passed += milliseconds
            $0.worked += milliseconds
        }
    }

    /// Time in which it waits.
    func wait(_ milliseconds: Int64) { now.withLock { $0.passed += milliseconds } }
}
