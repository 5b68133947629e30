import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("Codeless SDK, own policies")
struct CodelessPolicyTests {
    @Test("back-off: parts that failed come back when the wait is over; more events wait in memory")
    func backoff() {
        let world = CodelessWorld { $0.upload.retry = .backoff(5, factor: 10, limit: 50) }
        world.startApp()
        world.tap(1, count: 10)
        world.answer(500, at: 2)
        world.tap(3, count: 10)
        #expect(world.uploads.count == 1)
        world.run(to: 7)
        // A try sends what failed, and a part as a tick does.
        #expect(world.plannedSeconds == [1, 7, 7])
        #expect(world.uploadedSequences == [Array(0..<10), Array(0..<10), Array(10..<20)])
        world.fail(.reset, at: 8)
        world.fail(.reset, at: 9)
        // The first failure began the wait of 50 s; the tick at 30 is left out.
        world.run(to: 58)
        #expect(world.plannedSeconds == [1, 7, 7, 58, 58])
        world.answer(200, at: 59)
        world.answer(200, at: 59)
        #expect(world.sequences(.delivered) == Array(0..<20))
    }

    @Test("413: a part goes on as two, at once")
    func split() {
        let world = CodelessWorld { $0.upload.retry = .splitting }
        world.startApp()
        world.tap(1, count: 10)
        world.answer(413, at: 2)
        #expect(world.plannedSeconds == [1, 2, 2])
        #expect(world.uploadedSequences == [Array(0..<10), [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
        #expect(Set((0..<3).map { world.batch($0).eventsID }).count == 3)
        world.answer(200, at: 3)
        world.answer(413, at: 4)
        #expect(world.uploadedSequences.suffix(2) == [[5, 6], [7, 8, 9]])
        world.answer(413, at: 5)
        world.answer(200, at: 6)
        world.answer(413, at: 7)
        #expect(world.fate(5) == .rejected(status: 413))
        world.answer(200, at: 8)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4, 6, 7, 8, 9])
        #expect(world.device.storedCount == 0)
        // A trigger takes as much as before, in requests that carry no more.
        world.tap(9, count: 10)
        #expect(world.uploadedSequences.suffix(10) == (10..<20).map { [$0] })
    }

    @Test("413: a file is written as two, and its uploader goes on")
    func splitFile() {
        let world = CodelessWorld {
            $0.upload.retry = .splitting
            $0.storage.prefill = 5
        }
        world.startApp()
        world.answer(413, at: 1)
        #expect(world.uploadedSequences == [[0, 1, 2, 3, 4], [0, 1]])
        world.answer(200, at: 2)
        #expect(world.uploadedSequences.last == [2, 3, 4])
        world.answer(200, at: 3)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4])
        #expect(world.files.isEmpty)
    }

    @Test("keepStatuses: other answers drop parts and files")
    func keepStatuses() {
        let world = CodelessWorld {
            $0.upload.keeps = .serverErrors(and: [429])
            $0.storage.prefill = 3
        }
        world.startApp()
        world.answer(404, at: 1)
        #expect(world.sequences(.rejected(status: 404)) == [0, 1, 2])
        world.tap(2, count: 10)
        world.answer(429, at: 3)
        #expect(world.device.storedCount == 10)
        world.tap(4, count: 10)
        world.answer(400, at: 5)
        #expect(world.sequences(.rejected(status: 400)) == Array(13..<23))
    }

    @Test("ttl and networks: files that are too old go at a cold start; on other networks nothing leaves")
    func ttl() {
        let world = CodelessWorld {
            $0.storage.ttl = .seconds(100)
            $0.storage.prefill = 10
            $0.upload.networks = [.wifi]
        }
        world.setNetwork(.cellular4G, at: 0)
        world.startApp()
        world.run(to: 35)
        #expect(world.uploads.isEmpty)
        world.act(40, .kill)
        world.setNetwork(.wifi, at: 50)
        // The newest event of the file is of half a minute before the start: 99 s old, then 100.
        world.act(69, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences == [Array(0..<10)])
        world.act(69.5, .kill)
        world.act(70, .launch(passive: false), .enterForeground)
        #expect(world.sequences(.evicted(.expired)) == Array(0..<10))
        #expect(world.uploads.count == 1)
    }
}
