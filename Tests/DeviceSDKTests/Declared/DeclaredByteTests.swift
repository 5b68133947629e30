import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Limits in bytes: all events of these tests have the same size, which they count by hand.
@Suite("Described SDKs, bytes")
struct DeclaredByteTests {
    private static func world(
        _ storage: String, _ upload: String, perEvent: String = ""
    ) throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "storage": {\(storage)},
             "request": {"path": "/own", "body": "{{events}}", "perEvent": {\(perEvent)}},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s"\(upload)},
             "answers": [["2xx", "delivered"], ["*", "keep"]],
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        return world
    }

    /// Of an event's JSON, up to the tenth on device 17.
    private static let size = {
        let name = AppDescription.forTests.events[Int(AppDescription.buy)].name
        return #"{"name":"\#(name)","bs_id":"17-0"}"#.utf8.count
    }()

    @Test("a request takes as many events as have room in a list, and one at least", arguments: [0, 1])
    func batches(missing: Int) throws {
        // Three events, two commas, two brackets.
        let limit = 3 * Self.size + 4 - missing
        let world = try Self.world("", #", "maxBytes": \#(limit)"#)
        world.track(1, count: 7)
        world.run(to: 10)
        let counts: [UInt32] = missing == 0 ? [3, 3, 1] : [2, 2, 2, 1]
        for upload in counts.indices { world.answer(200, at: 11 + Double(upload)) }
        #expect(world.counts == counts)
        #expect(world.uploads[0].body.count == (missing == 0 ? limit : 2 * Self.size + 3))
        #expect(world.sequences(.delivered) == Array(0..<7))
    }

    @Test("of the newest first, the newest have room")
    func newestFirst() throws {
        let world = try Self.world(#""order": "newest""#, #", "maxBytes": \#(2 * Self.size + 3)"#)
        world.track(1, count: 5)
        world.run(to: 10)
        world.answer(200, at: 11)
        #expect(world.sequences(.delivered) == [3, 4])
    }

    @Test("an event larger than a request goes by itself, or is not stored")
    func oversize() throws {
        let limit = Self.size + 1
        let alone = try Self.world("", #", "maxBytes": \#(limit)"#)
        alone.track(1, count: 2)
        alone.run(to: 10)
        alone.answer(200, at: 11)
        #expect(alone.counts == [1, 1])
        let drop = try Self.world("", #", "maxBytes": \#(limit), "oversize": "drop""#)
        drop.track(1, count: 2)
        #expect(drop.sequences(.suppressed(.invalid)) == [0, 1] && drop.stored == [])
    }

    @Test(
        "the store gives up its oldest rows for bytes, its newest, or the event that is larger than all of it"
    )
    func stores() throws {
        let oldest = try Self.world(#""maxBytes": \#(3 * Self.size)"#, "")
        oldest.track(1, count: 5)
        #expect(oldest.sequences(.evicted(.storageLimit)) == [0, 1] && oldest.stored == [2, 3, 4])
        oldest.run(to: 10)
        oldest.answer(200, at: 11)
        oldest.track(12, count: 3)
        #expect(oldest.stored == [5, 6, 7], "what was delivered has given its bytes back")
        let newest = try Self.world(#""maxBytes": \#(3 * Self.size), "evictFrom": "newest""#, "")
        newest.track(1, count: 5)
        #expect(newest.sequences(.evicted(.storageLimit)) == [3, 4] && newest.stored == [0, 1, 2])
        let small = try Self.world(#""maxBytes": \#(Self.size - 1)"#, "")
        small.track(1)
        #expect(small.sequences(.evicted(.storageLimit)) == [0])
    }

    @Test("room that is made at a flush is made for bytes too")
    func storesAtFlush() throws {
        let world = try Self.world(#""maxBytes": \#(2 * Self.size), "evictAt": "flush""#, "")
        world.track(1, count: 5)
        #expect(world.stored == Array(0..<5))
        world.run(to: 10)
        #expect(world.sequences(.evicted(.storageLimit)) == [0, 1, 2] && world.counts == [2])
    }

    @Test("a file is closed before an event that has no room in it")
    func files() throws {
        let world = try Self.world(#""seal": {"bytes": \#(2 * Self.size + 1)}"#, "")
        world.track(1, count: 5)
        world.run(to: 10)
        for upload in 0..<3 { world.answer(200, at: 11 + Double(upload)) }
        #expect(world.counts == [2, 2, 1])
    }

    @Test("what a device brings along lies in files like what it captures, and is as large at most")
    func prefill() throws {
        let files = try Self.world(#""prefill": 8, "seal": {"events": 3}"#, "")
        files.run(to: 10)
        for upload in 0..<3 { files.answer(200, at: 11 + Double(upload)) }
        #expect(files.counts == [3, 3, 2] && files.sequences(.delivered) == Array(0..<8))
        let drop = try Self.world(#""prefill": 2"#, #", "maxBytes": 20, "oversize": "drop""#)
        #expect(drop.sequences(.suppressed(.invalid)) == [0, 1] && drop.stored == [])
    }

    @Test("what events get when they are sent counts in requests, and not in the store and its files")
    func perEvent() throws {
        let (perEvent, added) = (#""pad": "xxxxxxxx""#, #","pad":"xxxxxxxx""#.utf8.count)
        let limits = ["", #", "maxBytes": \#(2 * (Self.size + added) + 3)"#]
        for upload in limits {
            let world = try Self.world(#""maxBytes": \#(3 * Self.size)"#, upload, perEvent: perEvent)
            world.track(1, count: 5)
            #expect(world.sequences(.evicted(.storageLimit)) == [0, 1] && world.stored == [2, 3, 4])
            world.run(to: 10)
            world.answer(200, at: 11)
            if !upload.isEmpty { world.answer(200, at: 12) }
            #expect(world.counts == (upload.isEmpty ? [3] : [2, 1]))
            world.track(13, count: 3)
            #expect(world.stored == [5, 6, 7], "what was delivered has given its bytes back")
        }
        let files = try Self.world(#""seal": {"bytes": \#(2 * Self.size + 1)}"#, "", perEvent: perEvent)
        files.track(1, count: 3)
        files.run(to: 10)
        files.answer(200, at: 11)
        #expect(files.counts == [2, 1])
        let limit = 2 * (Self.size + added) + 3
        for missing in [0, 1] {
            let world = try Self.world("", #", "maxBytes": \#(limit - missing)"#, perEvent: perEvent)
            world.track(1, count: 3)
            world.run(to: 10)
            #expect(world.counts == [missing == 0 ? 2 : 1])
        }
    }

    @Test("events that are told whose they are when they are sent are as long as that says then")
    func senders() throws {
        func sent(_ limit: String) throws -> [DeclaredWorld.Upload] {
            let world = try DeclaredWorld(
                """
                {"name": "own-ios", "identity": {"prefix": "nobody-who-has-logged-in:"},
                 "request": {"path": "/own", "body": "{{events}}", "perEvent": {"who": "{{sender}}"}},
                 "upload": {"flushBulkSize": "none", "flushInterval": "10s"\(limit)},
                 "answers": [["2xx", "delivered"], ["*", "keep"]],
                 "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
                """)
            world.startApp()
            world.act(1, .login(account: 1, signUp: false))
            world.track(2, count: 3)
            world.act(3, .logout)
            world.run(to: 10)
            world.answer(200, at: 11)
            return world.uploads
        }
        let whole = try sent("")
        #expect(whole.map(\.request.eventCount) == [3])
        #expect(whole[0].text.contains(#""who":"nobody-who-has-logged-in:"#))
        let size = whole[0].body.count
        #expect(try sent(#", "maxBytes": \#(size)"#).map(\.request.eventCount) == [3])
        #expect(try sent(#", "maxBytes": \#(size - 1)"#).map(\.request.eventCount) == [2, 1])
    }

    @Test("with the newest give way those before it, as many as leave at once")
    func newestAtOnce() throws {
        let world = try Self.world(
            #""maxBytes": \#(3 * Self.size), "evictFrom": "newest", "evict": 2"#, "")
        world.track(1, count: 5)
        #expect(world.sequences(.evicted(.storageLimit)) == [2, 3] && world.stored == [0, 1, 4])
    }

    @Test("rows that leave at a flush are as many as leave at once")
    func flushAtOnce() throws {
        let world = try Self.world(#""limit": 4, "evict": 3, "evictAt": "flush""#, "")
        world.track(1, count: 5)
        world.run(to: 10)
        #expect(world.sequences(.evicted(.storageLimit)) == [0, 1, 2] && world.counts == [2])
    }

    @Test("what has left the store is not in the file that is being written either")
    func fileOfWhatStays() throws {
        let world = try Self.world(#""limit": 3, "seal": {"bytes": \#(4 * Self.size)}"#, "")
        world.track(1, count: 8)
        world.run(to: 10)
        #expect(world.counts == [3] && world.stored == [5, 6, 7])
    }

    // MARK: Events larger than a row can note

    private static func large(_ storage: String, _ upload: String) throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "storage": {\(storage)}, "request": {"path": "/own", "body": "{{events}}"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s"\(upload)},
             "answers": [["2xx", "delivered"], ["*", "keep"]],
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}", "pad": "\(String(repeating: "x", count: 80_000))"},
                        "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        world.track(1, count: 3)
        return world
    }

    @Test("events of any size count whole in requests, files and stores")
    func largeEvents() throws {
        let requests = try Self.large("", #", "maxBytes": 140000"#)
        let files = try Self.large(#""seal": {"bytes": 140000}"#, "")
        for world in [requests, files] {
            world.run(to: 10)
            for upload in 0..<3 { world.answer(200, at: 11 + Double(upload)) }
            #expect(world.counts == [1, 1, 1])
        }
        let dropped = try Self.large("", #", "maxBytes": 70000, "oversize": "drop""#)
        #expect(dropped.sequences(.suppressed(.invalid)) == [0, 1, 2])
        let stored = try Self.large(#""maxBytes": 200000"#, "")
        #expect(stored.stored == [1, 2] && stored.sequences(.evicted(.storageLimit)) == [0])
        stored.run(to: 10)
        stored.answer(200, at: 11)
        stored.track(12, count: 2)
        #expect(stored.stored == [3, 4], "what was delivered has given its bytes back")
    }
}
