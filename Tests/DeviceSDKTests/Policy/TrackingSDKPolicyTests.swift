import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

@Suite("TrackingSDK, own policies")
struct TrackingSDKPolicyTests {
    @Test("back-off: events wait in the file; a try at the end of the wait")
    func backoff() {
        let world = TrackingSDKWorld { $0.upload.retry = .backoff(5, factor: 2, limit: 60) }
        world.startApp()
        world.track(1)
        world.answer(500, at: 2)
        world.track(3)
        world.run(to: 7)
        #expect(world.plannedSeconds == [0, 1, 7])
        #expect(world.uploadedSequences == [[0], [1], [1, 2]])
        world.fail(.timedOut, at: 8)
        world.act(9, .enterBackground)
        world.run(to: 30)
        #expect(world.uploads.count == 3)
        // 8 + 10 has passed: the try is made up for at once.
        world.act(31, .enterForeground)
        world.run(to: 31)
        #expect(world.plannedSeconds.last == 31)
        world.answer(200, at: 32)
        #expect(world.sequences(.delivered) == [0, 1, 2])
    }

    @Test("concurrency: an event that finds enough uploads under way begins none; one follows them")
    func concurrency() {
        let world = TrackingSDKWorld {
            $0.upload.concurrency = 1
            $0.clear = .sentOnly
        }
        world.startApp()
        world.track(1)
        world.track(2)
        world.track(3)
        #expect(world.uploadedSequences == [[0], [1]])
        world.answer(200, at: 4)
        #expect(world.uploadedSequences == [[0], [1], [2, 3]])
        #expect(world.plannedSeconds == [0, 1, 4])
        // Nothing came meanwhile: nothing follows.
        world.answer(500, at: 5)
        #expect(world.uploads.count == 3)
        world.track(6)
        #expect(world.uploadedSequences.last == [2, 3, 4])
        // The process dies, and what was put off is forgotten.
        world.track(7)
        world.act(8, .kill)
        world.act(9, .launch(passive: false), .enterForeground)
        #expect(world.uploads.count == 5)
    }

    @Test("keepStatuses: an answer that drops clears as a positive one does, with the fates that follow")
    func keepStatuses() {
        let world = TrackingSDKWorld { $0.upload.keeps = .serverErrors(and: []) }
        world.startApp()
        world.track(1)
        world.track(2)
        // Upload 1 carries event 1, upload 2 both: no event is over before upload 2 is.
        world.answer(400, at: 3, upload: 1)
        #expect(world.stored == [])
        #expect(world.fates.count == 1)
        world.answer(500, at: 4)
        #expect(world.fate(1) == .rejected(status: 400))
        #expect(world.fate(2) == .lost(.clearedUnsent))
    }

    @Test("keepStatuses: a positive answer to another upload beats the drop")
    func positive() {
        let world = TrackingSDKWorld {
            $0.upload.keeps = .listed([503])
            $0.clear = .sentOnly
        }
        world.startApp()
        world.track(1)
        world.track(2)
        world.answer(400, at: 3, upload: 1)
        #expect(world.stored == [2])
        world.answer(200, at: 4)
        #expect(world.sequences(.delivered) == [0, 1, 2])
    }

    @Test("ttl and networks: too old at a start, and no upload on other networks")
    func ttl() {
        let world = TrackingSDKWorld {
            $0.storage.ttl = .seconds(60)
            $0.upload.networks = [.wifi]
        }
        world.startApp()
        world.setNetwork(.cellular4G, at: 0.5)
        world.track(1)
        world.track(20)
        #expect(world.uploads.count == 1)
        world.act(30, .kill)
        world.setNetwork(.wifi, at: 50)
        world.act(61, .launch(passive: false), .enterForeground)
        #expect(world.fate(1) == .evicted(.expired))
        #expect(world.uploadedSequences == [[0], [2, 3]])
        world.answer(200, at: 62)
        #expect(world.sequences(.delivered) == [0, 2, 3])
    }
}
