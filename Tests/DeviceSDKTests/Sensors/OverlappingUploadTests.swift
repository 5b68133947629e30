import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// 4.9.1: rows are marked, flushes overlap.
@Suite("Sensors 4.9.1, uploads")
struct OverlappingUploadTests {
    @Test("flushes after $AppStart, and above 100 idle rows")
    func triggers() {
        let world = ManualWorld(.v4)
        world.startApp()
        #expect(world.uploadedSequences == [[0]])
        world.track(1, count: 100)
        #expect(world.uploads.count == 1)
        world.track(2)
        #expect(world.uploadedSequences.last == Array(1...50))
        // 51 idle rows are not above 100: the next event starts no second flush.
        world.track(3)
        #expect(world.uploads.count == 2)
    }

    @Test("flushes overlap on rows of their own; deletion is by row, whatever the order of answers")
    func overlap() {
        let world = ManualWorld(.v4) { $0.upload.flushBulkSize = 10 }
        world.startApp()
        world.track(1, count: 11)
        world.track(2, count: 11)
        #expect(world.uploadedSequences == [[0], Array(1...11), Array(12...22)])
        world.answer(200, at: 3, upload: 2)
        #expect(world.stored == Array(1...11))
        #expect(world.sequences(.delivered) == [0] + Array(12...22))
        world.fail(.reset, at: 4, upload: 1)
        #expect(world.device.store.idleCount == 11)
        world.run(to: 15)
        #expect(world.uploadedSequences.last == Array(1...11))
        world.answer(200, at: 15.5)
        #expect(world.fates[1]?.attempts == 2)
        #expect(world.fates[12]?.attempts == 1)
    }

    @Test("a flush sends 41 batches and no more")
    func batchLimit() {
        let world = ManualWorld(.v4) { $0.storage.prefill = 3000 }
        world.act(0, .launch(passive: false), .enterForeground)
        // $AppStart alone triggers twice: more than 100 rows, then the flush after the start.
        #expect(world.uploads.count == 2)
        world.fail(.reset, at: 1, upload: 1)
        var answered = 0
        while let request = world.open.first {
            world.answer(200, at: 2, upload: request.number.number)
            answered += 1
        }
        #expect(answered == 41)
        #expect(world.sequences(.delivered).count == 41 * 50)
        #expect(world.stored.count == 3001 - 41 * 50)
    }

    @Test("at most four sockets; a fifth request waits for an answer")
    func sockets() {
        let world = ManualWorld(.v4) { $0.upload.flushBulkSize = 0 }
        world.startApp()
        world.track(1, count: 6)
        #expect(world.open.map(\.number.number) == [1, 2, 3, 4])
        #expect(world.device.requests.count == 6)
        #expect(world.device.store.record(5)?.attempts == 0)
        world.answer(200, at: 2, upload: 3)
        #expect(world.open.map(\.number.number) == [1, 2, 4, 5])
        #expect(world.device.store.record(5)?.attempts == 1)
        world.finish()
        // Sent ones are in flight; the one that waited for a socket is not.
        #expect(world.sequences(.pending(.inFlight)) == [1, 2, 4, 5])
        #expect(world.sequences(.pending(.stored)) == [6])
    }

    @Test("over HTTP/2 no request waits for a socket")
    func streams() {
        let world = ManualWorld(.v4, http: .two) { $0.upload.flushBulkSize = 0 }
        world.startApp()
        world.track(1, count: 6)
        #expect(world.open.map(\.number.number) == [1, 2, 3, 4, 5, 6])
        world.answer(200, at: 2, upload: 3)
        world.finish()
        #expect(world.sequences(.pending(.inFlight)) == [1, 2, 4, 5, 6])
    }

    @Test("no network, no attempt; asked before each batch")
    func noNetwork() {
        let world = ManualWorld(.v4)
        world.startApp()
        world.track(1, count: 80)
        world.run(to: 15)
        #expect(world.uploads.count == 2)
        world.setNetwork(.none, at: 15.2)
        world.answer(200, at: 15.5)
        #expect(world.uploads.count == 2)
        world.run(to: 100)
        #expect(world.uploads.count == 2)
        world.setNetwork(.cellular2G, at: 101)
        world.run(to: 105)
        #expect(world.uploadedSequences.last == Array(51...80))
    }

    @Test("a kill resets the marks: rows in the air are found and sent again")
    func killDuringRequest() {
        let world = ManualWorld(.v4)
        world.startApp()
        world.track(1, count: 2)
        world.act(5, .enterBackground)
        #expect(world.uploadedSequences.last == [1, 2, 3])
        world.track(6)
        world.act(7, .kill)
        #expect(world.fates.keys.sorted() == [0])
        world.act(10, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences.last == [1, 2, 3, 4, 5])
        #expect(world.uploads.last?.request.isRetry == true)
    }

    @Test("rows evicted in flight: a failure seals them evicted, a success delivered")
    func evictionInFlight() {
        for (succeeds, fate) in [(false, Disposition.evicted(.storageLimit)), (true, .delivered)] {
            let world = ManualWorld(.v4) {
                $0.storage.limit = 200
                $0.upload.flushBulkSize = 1000
            }
            world.startApp()
            world.track(1, count: 60)
            world.run(to: 15)
            #expect(world.uploadedSequences.last == Array(1...50))
            world.track(16, count: 139)
            #expect(world.stored == Array(1...199))
            world.track(17)
            #expect(world.stored == Array(101...200))
            // Rows 51 to 100 were idle; those in the air wait for their answer.
            #expect(world.sequences(.evicted(.storageLimit)) == Array(51...100))
            if succeeds { world.answer(200, at: 18) } else { world.fail(.timedOut, at: 45) }
            for sequence in UInt32(1)...50 { #expect(world.fate(sequence) == fate) }
            #expect(world.device.detached.isEmpty)
        }
    }

    @Test("what leaves a full store while requests for it wait for sockets is told once, with its uploads")
    func evictionWhileWaiting() {
        let world = ManualWorld(.v4) {
            $0.storage.limit = 200
            $0.upload.flushBulkSize = 0
        }
        world.startApp()
        world.track(1, count: 199)
        #expect(world.open.map(\.number.number) == [1, 2, 3, 4])
        #expect(world.device.requests.count == 199)
        world.track(2)
        #expect(world.stored == Array(101...200))
        #expect(world.device.detached.count == 100)
        world.fail(.reset, at: 3, upload: 2)
        #expect(world.sequences(.evicted(.storageLimit)) == [2])
        #expect(world.open.map(\.number.number) == [1, 3, 4, 5])
        world.finish()
        #expect(world.sequences(.evicted(.storageLimit)).sorted() == Array(1...100))
        #expect(world.sequences(.pending(.stored)) == Array(101...200))
        #expect(world.fates[5]?.attempts == 1 && world.fates[6]?.attempts == 0)
    }

    @Test("an event refused by the store waits in memory, goes out before the store's rows, and dies")
    func memoryList() {
        let world = ManualWorld(.v4)
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 15)
        #expect(world.uploadedSequences.last == [1, 2])
        world.refuseInserts { world.track(16) }
        #expect(world.inMemory == [3])
        // The answer for the store's rows comes while rows wait in memory: no row is deleted …
        world.answer(200, at: 17)
        #expect(world.stored == [1, 2])
        // … and what goes out next are the rows in memory.
        #expect(world.uploadedSequences.last == [3])
        world.answer(200, at: 18)
        #expect(world.inMemory.isEmpty)
        // The stuck rows stay marked until the next start, then they are duplicates.
        world.run(to: 60)
        #expect(world.uploads.count == 3)
        world.refuseInserts { world.track(61) }
        world.act(62, .kill)
        #expect(world.sequences(.lost(.killed)) == [4])
        world.act(70, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences.last == [1, 2, 5])
        world.answer(200, at: 71)
        #expect(world.stored.isEmpty)
        #expect(world.fates[1]?.attempts == 2)
        #expect(world.fates[1]?.ackedAt == world.time(17))
    }
}

extension ManualWorld {
    /// For a while, the store takes nothing.
    func refuseInserts(_ body: () -> Void) {
        let rules = system.rules
        var broken = rules
        broken.storage.insertFailureChance = 1
        replaceSystem(broken)
        body()
        replaceSystem(rules)
    }

    /// Lets the device go on under other rules.
    private func replaceSystem(_ rules: SensorsRules) {
        let acknowledged = system.acknowledged
        system = SensorsSystem(plan: system.plan, rules: rules) { _ in SensorsMemoryStore(marksInFile: true) }
        system.acknowledged = acknowledged
    }
}
