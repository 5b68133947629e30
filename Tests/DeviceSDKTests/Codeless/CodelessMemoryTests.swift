import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("Codeless SDK, uploads from memory")
struct CodelessMemoryTests {
    @Test("ten events trigger an upload of them")
    func tenEvents() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 9)
        #expect(world.uploads.isEmpty)
        world.tap(2)
        #expect(world.uploadedSequences == [Array(0..<10)])
        #expect(world.plannedSeconds == [2])
        #expect(world.uploads[0].request.eventCount == 10)
        world.answer(200, at: 3)
        #expect(world.device.storedCount == 0)
        #expect(world.sequences(.delivered) == Array(0..<10))
    }

    @Test("every thirty seconds, however few events there are; with none, nothing is sent")
    func timer() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(12)
        world.run(to: 31)
        world.answer(200, at: 31)
        world.run(to: 100)
        // Ticks that found nothing: the next one is at 120.
        world.tap(100.5, count: 2)
        world.run(to: 130)
        #expect(world.plannedSeconds == [30, 120])
        #expect(world.uploadedSequences == [[0], [1, 2]])
    }

    @Test("an event at the very moment of a tick goes with it")
    func eventAtATick() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(30)
        world.run(to: 30)
        #expect(world.plannedSeconds == [30])
    }

    @Test("both triggers and the size of a part are rules")
    func rules() {
        let world = CodelessWorld {
            $0.upload.flushBulkSize = 6
            $0.upload.batch = 4
            $0.upload.flushInterval = .seconds(7)
        }
        world.startApp()
        world.tap(1, count: 6)
        #expect(world.uploadedSequences == [[0, 1, 2, 3]])
        world.run(to: 10)
        #expect(world.uploadedSequences == [[0, 1, 2, 3], [4, 5]])
        #expect(world.plannedSeconds == [1, 7])
    }

    @Test("the timer stands still in the background, and fires when the process may run again")
    func background() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(25)
        world.act(26, .enterBackground)
        world.run(to: 1000)
        #expect(world.uploads.isEmpty)
        world.act(1001, .enterForeground)
        world.run(to: 1001)
        #expect(world.plannedSeconds == [1001])
        world.tap(1002)
        world.run(to: 1040)
        #expect(world.plannedSeconds == [1001, 1031])
    }

    @Test("a tick that had nothing to send is none that the background made wait")
    func idleTick() {
        let world = CodelessWorld()
        world.startApp()
        world.act(100.4, .enterBackground)
        world.act(105.4, .enterForeground)
        world.tap(106)
        world.run(to: 150)
        #expect(world.plannedSeconds == [120])
    }

    @Test("at most ten parts are on their way; the eleventh waits for an end")
    func concurrency() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 125)
        #expect(world.openUploads == Array(0..<10))
        #expect(world.device.parts.count == 12)
        #expect(world.device.arrayCount == 5)
        world.answer(500, at: 2, upload: 3)
        #expect(world.openUploads.count == 10)
        #expect(world.uploadedSequences.last == Array(100..<110))
        world.answer(200, at: 3, upload: 0)
        #expect(world.uploadedSequences.last == Array(110..<120))
        world.answer(200, at: 4, upload: 1)
        #expect(world.openUploads.count == 9)
    }

    @Test("the limit of parts on their way is a rule", arguments: [1, 3])
    func concurrencyRule(limit: Int) {
        let world = CodelessWorld { $0.upload.concurrency = limit }
        world.startApp()
        world.tap(1, count: 100)
        #expect(world.openUploads.count == limit)
    }

    @Test("answers may come in any order")
    func order() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 30)
        world.answer(200, at: 2, upload: 1)
        #expect(world.sequences(.delivered) == Array(10..<20))
        world.answer(200, at: 3, upload: 2)
        world.answer(200, at: 4, upload: 0)
        #expect(world.sequences(.delivered) == Array(0..<30))
    }

    @Test("success is any answer of 2xx", arguments: [200, 201, 204, 299] as [UInt16])
    func success(status: UInt16) {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 10)
        world.answer(status, at: 2)
        #expect(world.sequences(.delivered).count == 10)
        #expect(world.device.parts.isEmpty)
    }

    @Test(
        "a part that failed stays in memory, and nothing comes back for it",
        arguments: [302, 400, 404, 413, 429, 500, 503] as [UInt16])
    func failure(status: UInt16) {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 10)
        world.answer(status, at: 2)
        world.run(to: 10_000)
        world.act(10_001, .enterBackground)
        world.act(10_002, .enterForeground)
        world.run(to: 20_000)
        #expect(world.uploads.count == 1)
        #expect(world.memory == Array(0..<10))
        #expect(world.fates.isEmpty)
        world.act(20_001, .kill)
        #expect(world.sequences(.lost(.killed)) == Array(0..<10))
    }

    @Test("the corrected SDK sends it again at the next tick, under its eventsID", arguments: [1, 3])
    func retry(failures: Int) {
        let world = CodelessWorld { $0.retryFailedParts = true }
        world.startApp()
        world.tap(1, count: 10)
        for failure in 0..<failures {
            world.fail(.timedOut, at: 2 + 30 * Double(failure))
            world.run(to: 30 + 30 * Double(failure))
        }
        let ticks = (1...failures).map { Double(30 * $0) }
        #expect(world.plannedSeconds == [1] + ticks)
        #expect(world.uploads.last?.request.isRetry == true)
        #expect(Set((0...failures).map { world.batch($0).eventsID }).count == 1)
        world.answer(200, at: 200)
        #expect(world.sequences(.delivered) == Array(0..<10))
        #expect(world.fates[0]?.attempts == UInt16(failures + 1))
    }

    @Test("without a radio a request fails at once and counts as no attempt")
    func offline() {
        let world = CodelessWorld { $0.retryFailedParts = true }
        world.startApp()
        world.setNetwork(.none, at: 1)
        world.tap(2, count: 10)
        #expect(world.open.first?.network == NetworkKind.none)
        world.fail(.offline, at: 2)
        world.setNetwork(.wifi, at: 3)
        world.run(to: 31)
        world.answer(200, at: 32)
        #expect(world.fates[0]?.attempts == 1)
    }

    @Test("the two stages of memory hold 32 bytes an event, and little more")
    func memorySize() {
        let world = CodelessWorld()
        world.startApp()
        for number in 0..<400 {
            world.tap(1, count: 10)
            world.answer(500, at: 1, upload: UInt32(number))
        }
        #expect(world.memory.count == 4000)
        let parts = world.device.parts.capacity * MemoryLayout<CodelessPart>.stride
        #expect(world.device.log.allocatedBytes < 4000 * 34)
        #expect(parts < 4000 * 8)
        #expect(MemoryLayout<CodelessDevice>.stride <= 256)
    }

    @Test("at the end of the run events are pending: under way if a running upload carries them")
    func finish() {
        let world = CodelessWorld { $0.upload.concurrency = 1 }
        world.startApp()
        world.tap(1, count: 25)
        world.finish()
        #expect(world.sequences(.pending(.inFlight)) == Array(0..<10))
        #expect(world.sequences(.pending(.stored)) == Array(10..<25))
    }
}
