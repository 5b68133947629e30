import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, stores and write buffers")
struct GrowingStoreTests {
    @Test("99 operations wait in memory; the hundredth writes them all")
    func writeBuffer() {
        let world = GrowingWorld(.v4, network: .none)
        world.act(0, .launch(passive: false), .enterForeground)
        // VISIT is instant: what waits is written before an attempt to send.
        #expect(world.device.timing.table.count == 1)
        world.tap(0, count: 99)
        #expect(world.device.timing.inserts.count == 99)
        world.tap(0)
        #expect(world.device.timing.inserts.isEmpty)
        #expect(world.device.timing.table.count == 101)
    }

    @Test("custom events are written one by one, and survive a kill that takes the others")
    func kill() {
        let world = GrowingWorld(.v4)
        world.startApp()
        world.track(1, count: 3)
        world.tap(1, count: 5)
        #expect(world.device.realtime.table.count == 3)
        world.act(2, .kill)
        #expect(world.sequences(.lost(.killed)) == [4, 5, 6, 7, 8])
        #expect(world.device.realtime.table.count == 3)
    }

    @Test(
        "a tick, the background and an instant event write the buffer",
        arguments: GrowingRules.Version.allCases)
    func writers(version: GrowingRules.Version) {
        let world = GrowingWorld(version)
        world.startApp()
        world.tap(1)
        world.run(to: 5)
        #expect(world.device.timing.inserts.isEmpty)
        world.answerAll(500, at: 5)
        world.tap(6)
        world.act(7, .enterBackground)
        #expect(world.device.timing.inserts.isEmpty)
        // Session over: VISIT.
        world.act(60, .enterForeground)
        #expect(world.device.timing.inserts.isEmpty)
        world.act(61, .kill)
        #expect(world.sequences(.lost(.killed)).isEmpty)
    }

    @Test("a crash is a kill: the SDK has no handler")
    func crash() {
        let world = GrowingWorld(.v3)
        world.startApp()
        world.tap(1, count: 2)
        world.act(2, .crash(reason: 0))
        #expect(world.sequences(.lost(.killed)) == [1, 2])
        #expect(world.deaths == 1)
    }

    @Test("a failing deletion takes the insertions behind it with it")
    func failingDeletion() {
        let world = GrowingWorld(.v4) {
            $0.storage.deleteFailureChance = 1
            $0.upload.batch = 2
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.tap(1, count: 2)
        // The answer to VISIT deletes its row, together with what waits.
        world.answer(200, at: 2)
        #expect(world.sequences(.lost(.storageError)) == [1, 2])
        // The row is still there, and travels again with the next tick; it was delivered all the same.
        world.run(to: 5)
        #expect(world.uploads.last?.sequences == [0])
        #expect(world.uploads.last?.request.isRetry == true)
        world.finish()
        #expect(world.sequences(.delivered) == [0])
        #expect(world.fates[0]?.attempts == UInt16(world.uploads.count { $0.sequences.contains(0) }))
        #expect(world.fates[0]?.ackedAt == world.time(2))
    }

    @Test("of a failing insertion's transaction the rows before it stay")
    func failingInsertion() {
        let world = GrowingWorld(.v4) { $0.storage.insertFailureChance = 1 }
        world.startApp()
        world.tap(1, count: 50)
        world.run(to: 5)
        let kept = world.uploads.last?.sequences.count ?? 0
        #expect(
            world.sequences(.lost(.storageError)).count == 50 - kept + (world.fate(0) == .delivered ? 0 : 1))
        #expect(world.sequences(.lost(.storageError)).contains(50))
    }

    @Test("rows older than seven days go when the store is opened, and only then")
    func expiry() {
        let world = GrowingWorld(.v3, network: .none) { $0.storage.prefill = 3 }
        let week = 7.0 * 86_400
        world.act(0, .launch(passive: false), .enterForeground)
        world.act(week - 60, .enterBackground)
        world.act(week + 1, .enterForeground)
        #expect(world.sequences(.evicted(.expired)).isEmpty)
        world.act(week + 2, .kill)
        world.act(week + 3, .launch(passive: false))
        // The first three are from before the start; VISIT is from the start itself.
        #expect(world.sequences(.evicted(.expired)) == [0, 1, 2, 3])
    }

    @Test("without an age, rows stay however old they are")
    func noExpiry() {
        let world = GrowingWorld(.v3, network: .none) {
            $0.storage.prefill = 3
            $0.storage.ttl = nil
        }
        let week = 7.0 * 86_400
        world.act(0, .launch(passive: false), .enterForeground)
        world.act(week + 2, .kill)
        world.act(week + 3, .launch(passive: false))
        #expect(world.sequences(.evicted(.expired)).isEmpty)
    }

    @Test("a full disk: 4.x loses what it cannot write, 3.x sends it from its queue")
    func fullDisk() {
        let disk = DiskSchedule([
            .init(
                from: GrowingWorld.time(1), until: GrowingWorld.time(100), .full, share: 1, number: 0
            )
        ])
        let new = GrowingWorld(.v4, disk: disk)
        new.startApp()
        new.tap(2, count: 2)
        new.run(to: 5)
        #expect(new.sequences(.lost(.storageError)) == [1, 2])
        let old = GrowingWorld(.v3, disk: disk)
        old.startApp()
        old.tap(2, count: 2)
        old.run(to: 5)
        #expect(old.uploads.last?.sequences == [1, 2])
        old.answer(200, at: 6)
        #expect(old.sequences(.delivered) == [0, 1, 2])
    }

    @Test("a damaged file loses its rows; what 3.x has loaded of them goes on living in its queue")
    func damage() {
        let disk = DiskSchedule([
            .init(
                from: GrowingWorld.time(10), until: GrowingWorld.time(11), .corrupt, share: 1,
                number: 0)
        ])
        for version in [GrowingRules.Version.v3, .v4] {
            let world = GrowingWorld(version, disk: disk, network: .none)
            world.act(0, .launch(passive: false), .enterForeground)
            world.track(1, count: 2)
            world.tap(1, count: 2)
            world.run(to: 12)
            let lost = version == .v3 ? [1, 2] : [0, 1, 2, 3, 4] as [UInt32]
            #expect(world.sequences(.lost(.storageError)) == lost)
            world.setNetwork(.wifi, at: 12)
            world.run(to: 20)
            world.answerAll(200, at: 20)
            #expect(world.sequences(.delivered) == (version == .v3 ? [0, 3, 4] : []))
            world.finish()
            #expect(world.fates.count == Int(world.device.nextSequence))
        }
    }

    @Test("without a database service 4.x keeps nothing, and sends nothing")
    func noDatabase() {
        let world = GrowingWorld(.v4) {
            $0.services.database = false
            $0.storage.prefill = 2
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 2)
        world.run(to: 60)
        #expect(world.sequences(.lost(.storageError)) == [0, 1, 2, 3, 4])
        #expect(world.uploads.isEmpty)
    }

    @Test(
        "without a database service 3.x sends timing events from its queue, until an answer empties it",
        arguments: [GrowingRules.Version.v3, .document])
    func noDatabaseButQueue(version: GrowingRules.Version) {
        let world = GrowingWorld(version) { $0.services.database = false }
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploads.map(\.sequences) == [[0]])
        world.track(1, count: 2)
        world.tap(1, count: 2)
        #expect(world.sequences(.lost(.storageError)) == [1, 2])
        // A queue that disagrees with the store, which says that it has nothing, is filled from it.
        world.answer(200, at: 2, channel: 0)
        #expect(world.types(.delivered) == ["VISIT"])
        #expect(world.sequences(.lost(.storageError)) == [1, 2, 3, 4])
        // A refusal leaves it as it is; a success after which it is empty finds nothing to complain of.
        world.tap(3)
        world.answer(503, at: 6, channel: 2)
        world.run(to: 20)
        #expect(world.uploads.dropFirst().map(\.sequences) == [[5], [5]])
        world.answer(200, at: 21, channel: 2)
        #expect(world.sequences(.delivered) == [0, 5])
        world.finish()
    }

    @Test("what a request carries while the queue is emptied is delivered or lost by its own answer")
    func emptiedInFlight() {
        for status in [200, 500] as [UInt16] {
            let world = GrowingWorld(.v3) { $0.services.database = false }
            world.startApp()
            world.act(1, .appear(screen: 0, referrer: nil))
            world.tap(1)
            world.run(to: 5)
            #expect(world.uploads.suffix(2).map(\.channel) == [0, 2])
            let click = world.uploads.last?.sequences ?? []
            let pages = world.uploads.dropLast().last?.sequences ?? []
            world.answer(200, at: 6, channel: 0)
            #expect(world.sequences(.delivered) == [0] + pages)
            #expect(world.sequences(.lost(.storageError)).isEmpty)
            world.answer(status, at: 7, channel: 2)
            #expect(world.sequences(.delivered) == [0] + pages + (status == 200 ? click : []))
            #expect(world.sequences(.lost(.storageError)) == (status == 200 ? [] : click))
            world.run(to: 60)
            #expect(world.open.isEmpty)
            world.finish()
            #expect(world.fates.count == Int(world.device.nextSequence))
        }
    }
}
