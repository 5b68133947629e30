import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO 3.x, the queue in memory")
struct GrowingQueueTests {
    /// An app without business events: what is prefilled are pages, which the timing store has.
    private static let bare: AppDescription = {
        var app = AppDescription.forGrowing
        app.events = []
        return app
    }()

    @Test("deletions wait in the buffer while the queue is long: a kill brings the rows back")
    func pendingDeletions() {
        // The queue is filled anew at 10, a batch is 20: 35 - 20 = 15 is between the two.
        let world = GrowingWorld(.v3, app: Self.bare) {
            $0.storage.prefill = 34
            $0.storage.queueRefill = 10
            $0.upload.batch = 20
        }
        // VISIT sends the oldest of its channel at once.
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploads.map(\.sequences) == [Array(0..<20)])
        world.answer(200, at: 1)
        #expect(world.device.timing.deletes.count == 20)
        #expect(world.device.timing.table.count == 35)
        #expect(world.device.storedCount == 15)
        world.act(2, .kill)
        world.act(3, .launch(passive: false), .enterForeground)
        // They travel again, and are not counted again.
        #expect(world.uploads.last?.sequences == Array(0..<20))
        #expect(world.uploads.last?.request.isRetry == true)
        #expect(world.sequences(.delivered).isEmpty, "how many uploads will carry them is not known")
        world.answerAll(200, at: 4)
        world.run(to: 40)
        world.answerAll(200, at: 40)
        world.finish()
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[0]?.ackedAt == world.time(1))
        #expect(world.sequences(.delivered).count == Int(world.device.nextSequence))
    }

    @Test("with the source's numbers a deletion never waits")
    func noPendingDeletions() {
        let world = GrowingWorld(.v3, app: Self.bare) { $0.storage.prefill = 3000 }
        world.act(0, .launch(passive: false), .enterForeground)
        while !world.open.isEmpty {
            world.answer(200, at: 1)
            #expect(world.device.timing.deletes.isEmpty)
        }
        #expect(world.sequences(.delivered).count > 2500)
    }

    @Test("the queue holds so many rows; the rest of the store waits until it is filled anew")
    func limit() {
        let world = GrowingWorld(.v3, app: Self.bare) {
            $0.storage.prefill = 100
            $0.storage.queueLimit = 40
            $0.storage.queueRefill = 5
            $0.upload.batch = 40
        }
        world.act(0, .launch(passive: false), .enterForeground)
        // VISIT is the 101st row: it is in the queue, for it came after that was loaded.
        #expect(world.uploads.map(\.sequences) == [Array(0..<40)])
        world.answer(200, at: 1)
        // One is left, VISIT: filled anew with the next forty, which are as many as a batch.
        #expect(world.uploads.last?.sequences == Array(40..<80))
        world.answer(200, at: 1)
        world.run(to: 5)
        world.answerAll(200, at: 5)
        #expect(world.sequences(.delivered) == Array(0..<101))
    }

    @Test("a queue filled anew while another channel is under way sends that channel's events again")
    func stale() {
        var app = Self.bare
        app.profiles = []
        let world = GrowingWorld(.v3, app: app) {
            $0.storage.prefill = 12
            $0.storage.queueLimit = 10
            $0.storage.queueRefill = 3
            $0.upload.batch = 100
        }
        // Twelve pages are stored and ten loaded; VISIT comes on top.
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploads.map(\.sequences) == [Array(0..<10) + [12]])
        // Clicks are another channel's, which starts at the tick.
        world.tap(1, count: 5)
        world.run(to: 5)
        #expect(world.uploads.map(\.channel) == [0, 2])
        let clicks = world.uploads[1].sequences
        #expect(clicks.count == 5)
        // The pages' answer leaves the five clicks, too many to fill anew …
        world.answer(200, at: 6, channel: 0)
        #expect(world.device.requests.first?.isStale == false)
        // … and so the two pages that were not loaded stay behind until the clicks are answered.
        world.answer(200, at: 7, channel: 2)
        #expect(world.sequences(.delivered).count == 16)
        world.run(to: 20)
        #expect(world.uploads.last?.sequences == [10, 11])
    }

    /// Pages and VISIT go, and three clicks are under way when the queue is filled anew with the ten oldest.
    private static func filledAnew(prefill: Int) -> (world: GrowingWorld, clicks: [UInt32]) {
        let world = GrowingWorld(.v3, app: Self.bare) {
            $0.storage.prefill = prefill
            $0.storage.queueLimit = 10
            $0.storage.queueRefill = 5
            $0.upload.batch = 100
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.tap(1, count: 3)
        world.run(to: 5)
        let clicks = world.uploads[1].sequences
        world.answer(200, at: 6, channel: 0)
        #expect(world.device.requests.first?.isStale == true)
        world.answer(200, at: 7, channel: 2)
        return (world, clicks)
    }

    @Test("events of a request that was under way then are in the queue a second time")
    func duplicates() {
        // Six pages were left in the store, so there is room for the clicks.
        let (world, clicks) = Self.filledAnew(prefill: 16)
        #expect(world.device.queue.extra.map(\.sequence) == clicks)
        // The next tick carries them again, though every one is delivered.
        world.run(to: 20)
        let again = world.uploads.filter { $0.channel == 2 }
        #expect(again.map(\.sequences) == [clicks, clicks])
        world.answerAll(200, at: 21)
        world.run(to: 60)
        world.answerAll(200, at: 60)
        world.finish()
        #expect(world.sequences(.delivered).count == Int(world.device.nextSequence))
    }

    @Test("those beyond the queue's limit are not, and go once")
    func beyondTheLimit() {
        // Twenty pages were left in the store, ten of them are loaded.
        let (world, clicks) = Self.filledAnew(prefill: 30)
        #expect(world.device.queue.extra.isEmpty)
        #expect(world.device.queue.unloadedCount == 10)
        world.run(to: 20)
        #expect(world.uploads.filter { $0.channel == 2 }.map(\.sequences) == [clicks])
        world.answerAll(200, at: 21)
        world.run(to: 60)
        world.answerAll(200, at: 60)
        world.finish()
        #expect(world.sequences(.delivered).count == Int(world.device.nextSequence))
    }
}
