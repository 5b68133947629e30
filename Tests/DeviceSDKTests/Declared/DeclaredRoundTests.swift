import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Flushes that read a batch, and the next one when all requests of it are done with.
@Suite("Described SDKs, rounds")
struct DeclaredRoundTests {
    /// Of an event's JSON, up to the tenth on device 17.
    private static let size = {
        let name = AppDescription.forTests.events[Int(AppDescription.buy)].name
        return #"{"name":"\#(name)","bs_id":"17-0"}"#.utf8.count
    }()

    /// Six rows a round, two of them in a request, and by default two requests at once.
    private static func world(
        _ groups: String = "", concurrency: Int = 2, order: String = "oldest"
    ) throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "request": {"path": "/own", "body": "{{events}}"}, "storage": {"order": "\(order)"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s", "batch": 6, "maxBytes": \(2 * size + 3),
                        "rounds": true, "concurrency": \(concurrency)},
             "answers": [["2xx", "delivered"], ["400", "drop"], ["*", "retry"]],
             "retry": {"backoff": {"shape": "constant", "initial": "5s"}\(groups)},
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        world.track(1, count: 8)
        world.run(to: 10)
        return world
    }

    @Test("a failure beside a success is none, and what stays comes first in the next round")
    func partialFailure() throws {
        let world = try Self.world()
        #expect(world.counts == [2, 2])
        world.answer(503, at: 11, upload: 0)
        #expect(world.counts == [2, 2, 2], "the rest of the round")
        world.answer(200, at: 12, upload: 1)
        #expect(world.counts == [2, 2, 2], "the round is not done with")
        world.answer(503, at: 13, upload: 2)
        #expect(world.counts == [2, 2, 2, 2, 2], "0, 1 and 4, 5 at once")
        #expect(world.device.failures == 0 && world.stored == [0, 1, 4, 5, 6, 7])
        for upload: UInt32 in 3...5 { world.answer(200, at: 11 + Double(upload), upload: upload) }
        #expect(world.sequences(.delivered) == Array(0..<8) && world.stored == [])
    }

    @Test("a round without a success is one failure, after which it waits; what is dropped is none")
    func failure() throws {
        let world = try Self.world()
        world.answer(503, at: 11, upload: 0)
        world.answer(400, at: 12, upload: 1)
        #expect(world.device.failures == 0)
        world.answer(503, at: 16, upload: 2)
        #expect(world.device.failures == 1 && world.counts == [2, 2, 2])
        #expect(world.sequences(.rejected(status: 400)) == [2, 3])
        world.run(to: 20)
        #expect(world.counts == [2, 2, 2], "5 s from the end of the round on")
        world.run(to: 30)
        #expect(world.counts == [2, 2, 2, 2, 2])
        for upload: UInt32 in 3...5 { world.answer(200, at: 28 + Double(upload), upload: upload) }
        #expect(world.stored == [] && world.device.failures == 0)
    }

    @Test(
        "with the last try, all rows of a round that failed are given up, whatever answer came first",
        arguments: ["oldest", "newest"], [[0, 1, 2], [1, 0, 2], [1, 2, 0]] as [[UInt32]])
    func givesUp(order: String, answers: [UInt32]) throws {
        let world = try Self.world(#", "attempts": 0"#, order: order)
        for (index, upload) in answers.enumerated() {
            world.answer(503, at: 11 + Double(index), upload: upload)
        }
        let round: Range<UInt32> = order == "oldest" ? 0..<6 : 2..<8
        #expect(world.sequences(.retriesExhausted) == Array(round))
        #expect(world.stored == Array(0..<8).filter { !round.contains($0) })
    }

    @Test(
        "a Retry-After within a round lengthens the wait, or is it, and the round is a failure all the same",
        arguments: [("max", 60.0), ("replace", 2), ("max", 2)])
    func retryAfter(combine: String, seconds: Double) throws {
        let world = try Self.world(#", "retryAfter": {"combine": "\#(combine)"}"#)
        world.end(
            with: .answered(status: 503, body: [], retryAfter: .seconds(Int64(seconds))), at: 11,
            where: { $0.number.number == 0 })
        #expect(world.device.failures == 0 && world.counts == [2, 2], "the rest of the round stays")
        world.answer(503, at: 11.5, upload: 1)
        #expect(world.device.failures == 1 && world.counts == [2, 2])
        let end = combine == "max" ? max(11 + seconds, 16.5) : 11 + seconds
        #expect(world.device.quietUntil == ManualWorld.start + .milliseconds(Int64(end * 1000)))
        world.run(to: 10 + 10 * (end / 10).rounded(.up))
        #expect(world.counts == [2, 2, 2, 2])
    }

    @Test("a round of one request at a time that an answer stops has failed")
    func stopped() throws {
        let world = try Self.world(#", "attempts": 0, "retryAfter": {}"#, concurrency: 1)
        world.end(
            with: .answered(status: 503, body: [], retryAfter: .seconds(60)), at: 11,
            where: { $0.number.kind == .upload })
        #expect(world.counts == [2])
        #expect(world.sequences(.retriesExhausted) == [0, 1] && world.stored == Array(2..<8))
    }

    @Test("a success of a round that asks for a wait lets the round come to its end")
    func success() throws {
        let world = try Self.world(#", "retryAfter": {"on": "*"}"#, concurrency: 1)
        world.end(
            with: .answered(status: 200, body: [], retryAfter: .seconds(60)), at: 11,
            where: { $0.number.kind == .upload })
        world.answer(503, at: 12, upload: 1)
        #expect(world.device.failures == 0 && world.counts == [2, 2])
        world.run(to: 70)
        #expect(world.counts == [2, 2])
        world.run(to: 80)
        #expect(world.counts == [2, 2, 2])
    }

    @Test("a process that dies within a round forgets it")
    func kill() throws {
        let world = try Self.world()
        world.answer(503, at: 11, upload: 0)
        world.act(12, .kill)
        world.act(13, .launch(passive: false), .enterForeground)
        #expect(world.stored == Array(0..<8) && world.device.failures == 0)
        world.run(to: 23)
        #expect(world.counts == [2, 2, 2, 2, 2])
    }

    @Test("Snowplow: 25 rows at a time, and 5 s without a request if none is delivered; the newest 1000 stay")
    func snowplow() throws {
        let world = try DeclaredWorld(#"{"preset": "snowplow-ios", "storage": {"limit": 60}}"#)
        world.act(0, .launch(passive: false))
        world.answer(500, at: 1)
        world.track(2, count: 100)
        #expect(world.counts == [1])
        world.run(to: 60)
        #expect(world.counts == [1, 25])
        #expect(world.sequences(.evicted(.storageLimit)) == Array(0..<41))
        world.answer(404, at: 61, upload: 1)
        world.track(65.9)
        #expect(world.counts == [1, 25])
        world.track(66)
        #expect(world.counts == [1, 25, 25])
        for upload: UInt32 in 2...4 { world.answer(200, at: 65 + Double(upload), upload: upload) }
        #expect(world.counts == [1, 25, 25, 25, 10])
        #expect(world.sequences(.delivered) == Array(43..<103) && world.stored == [])
    }
}
