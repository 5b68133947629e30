import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

/// The defect that TrackingSDK is known for: an answer of 200 removes the whole file, with what has come since
/// the request was made.
@Suite("TrackingSDK, clearing the file")
struct TrackingSDKClearTests {
    /// A request that takes a round trip, events meanwhile whose own requests fail, and then its 200.
    ///
    /// - Returns: the world after all answers, with `meanwhile` events from sequence 2 on.
    private func roundTrip(meanwhile: Int, clear: TrackingSDKRules.Clear) -> TrackingSDKWorld {
        let world = TrackingSDKWorld {
            $0.clear = clear
            $0.upload.sockets = 1000
        }
        world.startApp()
        world.track(1)
        for index in 0..<meanwhile { world.track(1.5 + Double(index) / 1000) }
        for upload in 2..<2 + UInt32(meanwhile) { world.fail(.reset, at: 3, upload: upload) }
        world.answer(200, at: 4, upload: 1)
        return world
    }

    @Test("as many events are lost as came during the round trip", arguments: [0, 1, 10, 100])
    func lossPerRoundTrip(meanwhile: Int) {
        let world = roundTrip(meanwhile: meanwhile, clear: .all)
        #expect(world.stored == [])
        #expect(world.fate(1) == .delivered)
        #expect(world.sequences(.lost(.clearedUnsent)).count == meanwhile)
        // They had been sent once, each in its own request and those after it.
        #expect((2..<2 + meanwhile).allSatisfy { (world.fates[UInt32($0)]?.attempts ?? 0) > 0 })
    }

    @Test("the corrected SDK loses none of them", arguments: [0, 1, 10, 100])
    func sentOnly(meanwhile: Int) {
        let world = roundTrip(meanwhile: meanwhile, clear: .sentOnly)
        #expect(world.stored == Array(2..<2 + UInt32(meanwhile)))
        #expect(world.sequences(.lost(.clearedUnsent)) == [])
        world.track(5)
        world.answer(200, at: 6)
        #expect(world.stored == [])
        #expect(world.sequences(.delivered).count == meanwhile + 3)
    }

    @Test("what was cleared and is carried by another open request is delivered with that one's 200")
    func deliveredByAnother() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.track(2)
        world.answer(200, at: 3, upload: 1)
        #expect(world.stored == [])
        #expect(world.fate(2) == nil)
        world.answer(200, at: 4, upload: 2)
        #expect(world.fate(2) == .delivered)
        #expect(world.fates[2]?.ackedAt == world.time(4))
    }

    @Test("… and is lost when the last request that carries it fails, not before")
    func lostWithTheLast() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.track(2)
        world.track(3)
        world.answer(200, at: 4, upload: 1)
        world.answer(500, at: 5, upload: 2)
        #expect(world.fate(2) == nil)
        world.fail(.timedOut, at: 6, upload: 3)
        #expect(world.fate(2) == .lost(.clearedUnsent))
        #expect(world.fate(3) == .lost(.clearedUnsent))
        #expect(world.device.log.count == 0)
    }

    @Test("a queued request still delivers what was cleared before it got a socket")
    func queued() {
        let world = TrackingSDKWorld { $0.upload.sockets = 1 }
        world.startApp()
        world.track(1)
        world.track(2)
        world.answer(200, at: 3)
        #expect(world.stored == [])
        #expect(world.uploadedSequences.last == [1, 2])
        world.answer(200, at: 4)
        #expect(world.sequences(.delivered) == [0, 1, 2])
        // Event 1 travelled twice, and the collector cannot tell by any id of the SDK.
        #expect(world.uploadedSequences.joined().filter { $0 == 1 }.count == 2)
    }

    @Test("a second 200 removes what came after the first one's clearing")
    func secondAnswer() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.track(2)
        world.answer(200, at: 3, upload: 1)
        world.track(4)
        #expect(world.stored == [3])
        world.fail(.reset, at: 5, upload: 3)
        world.answer(200, at: 6, upload: 2)
        #expect(world.stored == [])
        #expect(world.fate(3) == .lost(.clearedUnsent))
    }

    @Test("events closer together than the round trip travel several times")
    func duplicates() {
        let world = TrackingSDKWorld()
        world.startApp()
        for index in 0..<4 { world.track(1 + Double(index) / 10) }
        for upload in 1...4 { world.answer(200, at: 2, upload: UInt32(upload)) }
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4])
        #expect(world.uploadedSequences.joined().count == 1 + 4 + 3 + 2 + 1)
    }

    @Test("a process that dies cuts its requests: what they alone carried is lost, the file is not")
    func kill() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.track(2)
        world.answer(200, at: 3, upload: 1)
        world.track(4)
        world.act(5, .kill)
        #expect(world.deaths == 1)
        #expect(world.fate(2) == .lost(.clearedUnsent))
        #expect(world.stored == [3])
        world.act(6, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences.last == [3, 4])
        world.answer(200, at: 7)
        #expect(world.fate(3) == .delivered)
    }

    @Test("a crash is no more to it than a kill")
    func crash() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.act(2, .crash(reason: 0))
        #expect(world.deaths == 1)
        #expect(world.stored == [1])
        #expect(world.device.nextSequence == 2)
    }

    @Test("at the end of the run events are pending: under way if a request with a socket carries them")
    func finish() {
        let world = TrackingSDKWorld { $0.upload.sockets = 1 }
        world.startApp()
        world.track(1)
        world.track(2)
        world.finish()
        #expect(world.fate(1) == .pending(.inFlight))
        #expect(world.fate(2) == .pending(.stored))
    }
}
