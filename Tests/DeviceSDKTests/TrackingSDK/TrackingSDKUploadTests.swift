import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

@Suite("TrackingSDK, uploads")
struct TrackingSDKUploadTests {
    @Test("each event uploads the whole file, as it is at that moment")
    func wholeFile() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.track(2)
        world.track(3)
        #expect(world.uploadedSequences == [[0], [1], [1, 2], [1, 2, 3]])
        #expect(world.plannedSeconds == [0, 1, 2, 3])
        #expect(world.uploads.map(\.request.eventCount) == [1, 1, 2, 3])
        #expect(world.uploads.map(\.request.isRetry) == [false, false, true, true])
        // The bodies were made then: what has come since is not in them.
        #expect(TrackingSDKWorld.sequences(in: world.encode(world.open[0]).text) == [1])
    }

    @Test("there is no timer: only the next event tries again")
    func noTimer() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.answer(500, at: 2)
        #expect(world.device.nextDue == .distantFuture)
        world.run(to: 100_000)
        world.act(100_001, .enterBackground)
        world.act(100_002, .enterForeground)
        #expect(world.uploads.count == 2)
        world.track(100_003)
        #expect(world.uploadedSequences.last == [1, 2])
    }

    @Test("at most four uploads have a socket; the others wait in the session, with their bodies")
    func sockets() {
        let world = TrackingSDKWorld()
        world.startApp()
        for second in 1...7 { world.track(Double(second)) }
        #expect(world.openUploads == [1, 2, 3, 4])
        #expect(world.device.requests.count == 7)
        world.answer(500, at: 8, upload: 3)
        #expect(world.openUploads == [1, 2, 4, 5])
        // Planned when its event came, not when it got a socket.
        #expect(world.plannedSeconds.last == 5)
        #expect(world.uploadedSequences.last == [1, 2, 3, 4, 5])
        world.answer(200, at: 9, upload: 1)
        // The file is gone; the bodies that wait are not.
        #expect(world.stored == [])
        #expect(world.uploadedSequences.last == [1, 2, 3, 4, 5, 6])
    }

    /// Seven uploads, the last three of which wait: upload n carries the events 1...n.
    private func waiting() -> TrackingSDKWorld {
        let world = TrackingSDKWorld()
        world.startApp()
        for second in 1...7 { world.track(Double(second)) }
        return world
    }

    @Test("an upload that waits carries what was acknowledged meanwhile: it counts, once it starts")
    func attemptsOfWaiting() {
        let world = waiting()
        world.answer(200, at: 9, upload: 1)
        #expect(world.fate(1) == nil)
        for upload in UInt32(2)...7 { world.answer(200, at: 10 + Double(upload), upload: upload) }
        #expect(world.sequences(.delivered) == Array(0...7))
        for event in UInt32(1)...7 { #expect(world.fates[event]?.attempts == UInt16(8 - event)) }
        // The first acknowledgement counts.
        #expect(world.fates[1]?.ackedAt == world.time(9))
        #expect(world.fates[7]?.ackedAt == world.time(17))
        let carried = world.uploads.reduce(0) { $0 + Int($1.request.eventCount) }
        #expect(world.fates.values.reduce(0) { $0 + Int($1.attempts) } == carried)
    }

    @Test("an upload that never got a socket counts for nothing")
    func attemptsOfNeverStarted() {
        let world = waiting()
        world.answer(200, at: 9, upload: 1)
        world.act(10, .kill)
        // Uploads 1 to 5 began; 6 and 7 died in the line.
        #expect(world.fates[1]?.attempts == 5)
        #expect(world.fates[1]?.ackedAt == world.time(9))
        world.finish()
        #expect(world.fates[5]?.attempts == 1)
        #expect(world.fates[7]?.attempts == 0)
    }

    @Test("an upload that the end of the run gives back was none")
    func givenBack() throws {
        let world = waiting()
        let upload = try #require(world.open.last)
        world.system.takeBack(upload.number, isCounted: true, of: &world.device)
        world.finish()
        #expect(world.fates[1]?.attempts == 3)
        // None of those that wait for a socket has taken its place.
        #expect(world.fates[4]?.disposition == .pending(.stored))
    }

    @Test("the number of sockets is a rule", arguments: [1, 2, 10])
    func socketRule(sockets: Int) {
        let world = TrackingSDKWorld { $0.upload.sockets = sockets }
        world.startApp()
        for second in 1...12 { world.track(Double(second)) }
        #expect(world.openUploads.count == sockets)
    }

    @Test("over HTTP/2 uploads are streams of one connection: none waits for a socket")
    func streams() {
        let world = TrackingSDKWorld(http: .two)
        world.startApp()
        for second in 1...7 { world.track(Double(second)) }
        #expect(world.openUploads == Array(1...7))
        world.answer(200, at: 8, upload: 1)
        #expect(world.stored == [])
        let limited = TrackingSDKWorld(http: .two) { $0.upload.concurrency = 2 }
        limited.startApp()
        for second in 1...7 { limited.track(Double(second)) }
        #expect(limited.openUploads == [1, 2])
    }

    @Test(
        "only an answer of exactly 200 clears the file",
        arguments: [201, 202, 204, 206, 302, 400, 404, 413, 429, 500, 503] as [UInt16])
    func otherAnswers(status: UInt16) {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.answer(status, at: 2)
        #expect(world.stored == [1])
        #expect(world.fate(1) == nil)
        world.track(3)
        #expect(world.uploadedSequences.last == [1, 2])
        world.answer(200, at: 4)
        #expect(world.stored == [])
        #expect(world.fate(1) == .delivered)
        #expect(world.fates[1]?.attempts == 2)
        #expect(world.fates[1]?.ackedAt == world.time(4))
    }

    @Test("the corrected rule takes all of 2xx", arguments: [200, 201, 204, 299] as [UInt16])
    func any2xx(status: UInt16) {
        let world = TrackingSDKWorld { $0.upload.success = .any2xx }
        world.startApp()
        world.track(1)
        world.answer(status, at: 2)
        #expect(world.fate(1) == .delivered)
    }

    @Test("a failure of the network keeps everything", arguments: RequestFailure.allCases)
    func failures(failure: RequestFailure) {
        let world = TrackingSDKWorld()
        world.startApp()
        world.track(1)
        world.fail(failure, at: 2)
        #expect(world.stored == [1])
        #expect(world.fates.count == 1)
    }

    @Test("without a radio a request fails at once and counts as no attempt")
    func offline() {
        let world = TrackingSDKWorld()
        world.startApp()
        world.setNetwork(.none, at: 1)
        world.track(2)
        #expect(world.open.first?.network == NetworkKind.none)
        world.fail(.offline, at: 2)
        world.setNetwork(.wifi, at: 3)
        world.track(4)
        #expect(world.uploads.last?.request.isRetry == false)
        world.answer(200, at: 5)
        #expect(world.fates[1]?.attempts == 1)
    }

    /// What an open upload says of its events: which of their uploads it is.
    private func ordinals(_ upload: UInt32, of world: TrackingSDKWorld) -> [UInt16] {
        var carried = CarriedEvents()
        let number = RequestNumber(kind: .upload, number: upload)
        let head = world.system.carry(number, of: &world.device, at: world.now, into: &carried)
        #expect(head != nil)
        return Array(carried.attempts)
    }

    @Test("an upload that arrives late is still the one that it was of each event")
    func ordinalsOfOverlapping() {
        let world = waiting()
        #expect(ordinals(1, of: world) == [1])
        #expect(ordinals(2, of: world) == [2, 1])
        #expect(ordinals(4, of: world) == [4, 3, 2, 1])
        // Those that started later end first, and others take their sockets.
        world.answer(500, at: 8, upload: 3)
        world.answer(500, at: 9, upload: 4)
        #expect(ordinals(1, of: world) == [1])
        #expect(ordinals(2, of: world) == [2, 1])
        #expect(ordinals(6, of: world) == [6, 5, 4, 3, 2, 1])
        // What is captured after a positive answer is in a new file, and earlier uploads carry none of it.
        world.answer(200, at: 10, upload: 2)
        world.track(11)
        for upload in UInt32(5)...7 { world.answer(500, at: 12, upload: upload) }
        #expect(world.openUploads == [1, 8])
        #expect(ordinals(1, of: world) == [1])
        #expect(ordinals(8, of: world) == [1])
    }

    @Test("the request's head: path, key, type, what the scenario adds, and the SDK's own limit of time")
    func head() {
        let world = TrackingSDKWorld()
        world.startApp()
        let upload = world.uploads[0]
        #expect(upload.head.method == .post)
        #expect(upload.head.path == "/track")
        #expect(
            upload.head.headerLines
                == "Content-Type: application/json\r\nX-API-Key: your-api-key\r\nX-Env: test\r\n")
        #expect(upload.request.timeout == .seconds(60))
        #expect(!upload.request.wantsBody)
    }

    @Test("an outage takes memory for each event once, though it sends each again and again")
    func memoryOfAnOutage() {
        let world = TrackingSDKWorld()
        world.startApp()
        for second in 1...2000 { world.track(Double(second)) }
        #expect(world.device.requests.count == 2000)
        let carried: UInt32 = world.device.requests.reduce(0) { $0 + $1.count }
        #expect(carried == 2_001_000)
        #expect(world.device.log.count == 2000)
        #expect(world.device.log.allocatedBytes < 2000 * 36)
        #expect(MemoryLayout<TrackingSDKRequest>.stride <= 40)
        #expect(MemoryLayout<TrackingSDKDevice>.stride <= 160)
    }
}
