import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// What each device must do is computed by hand; see the comments.
@Suite("Sensors, own policies")
struct SensorsPolicyTests {
    /// Timed flushes at 15, 30, … s, if the policy lets them.
    private func backingOff(_ version: SensorsRules.Version = .v1) -> ManualWorld {
        let world = ManualWorld(version) {
            $0.upload.retry = .backoff(10, factor: 3, limit: 60)
            $0.upload.onLaunch = false
        }
        world.startApp()
        world.run(to: 15)
        world.fail(.timedOut, at: 16)
        return world
    }

    @Test("back-off: waits of 10, 30 and 60 s, with a try at the end of each; success begins anew")
    func backoff() {
        let world = backingOff()
        world.fail(.reset, at: 27)
        world.answer(503, at: 58)
        world.answer(200, at: 119)
        world.track(120)
        world.run(to: 120)
        world.answer(500, at: 121)
        world.run(to: 131)
        // 16 + 10, 27 + 30, 58 + 60 (not 90), the tick at 120, 121 + 10.
        #expect(world.plannedSeconds == [15, 26, 57, 118, 120, 131])
        #expect(world.fates[0]?.attempts == 4)
        #expect(world.fates[0]?.ackedAt == world.time(119))
    }

    @Test("back-off: no other trigger uploads meanwhile, and in the background nothing tries by itself")
    func background() {
        let world = backingOff()
        world.track(17, count: 150)
        world.act(20, .enterBackground)
        world.run(to: 99)
        #expect(world.plannedSeconds == [15])
        world.act(100, .enterForeground)
        world.run(to: 100)
        #expect(world.plannedSeconds == [15, 100])
    }

    @Test("back-off: a process that dies forgets it")
    func death() {
        let world = backingOff()
        world.act(17, .kill)
        world.act(18, .launch(passive: false), .enterForeground)
        world.run(to: 33)
        #expect(world.plannedSeconds == [15, 33])
    }

    @Test("back-off: answers that drop the rows are done with; the flush goes on")
    func dropped() {
        let world = ManualWorld(.v4) {
            $0.upload.retry = .backoff(10, factor: 3, limit: 60)
            $0.upload.onLaunch = false
            $0.upload.batch = 1
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1)
        world.run(to: 15)
        world.answer(400, at: 16)
        #expect(world.fate(0) == .rejected(status: 400))
        #expect(world.uploadedSequences == [[0], [1]])
        world.answer(503, at: 17)
        world.run(to: 27)
        #expect(world.plannedSeconds == [15, 16, 27])
    }

    @Test("413: halves go on at once; an event that is refused alone is dropped, whatever keepStatuses says")
    func split() {
        let world = ManualWorld(.v1) {
            $0.upload.retry = .splitting
            $0.upload.batch = 8
            $0.upload.keeps = .listed([413])
        }
        world.startApp()
        world.track(1, count: 7)
        world.run(to: 15)
        for (index, status) in [413, 413, 200, 413, 413, 200].enumerated() {
            world.answer(UInt16(status), at: Double(16 + index))
        }
        #expect(
            world.uploadedSequences == [
                [0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3], [0, 1], [2, 3], [2], [3], [4],
            ])
        #expect(world.plannedSeconds == [15, 16, 17, 18, 19, 20, 21])
        #expect(world.sequences(.delivered) == [0, 1, 3])
        #expect(world.sequences(.rejected(status: 413)) == [2])
        // The next process knows nothing of it.
        world.act(22, .kill)
        world.act(23, .launch(passive: false), .enterForeground)
        world.run(to: 38)
        #expect(world.uploadedSequences.last == [4, 5, 6, 7, 8])
    }

    @Test("evictFrom newest: the event that comes is the first to go", arguments: [1, 2, 3])
    func newest(evict: Int) {
        for version in [SensorsRules.Version.v1, .v4] {
            // 1.10.17 holds four rows, 4.9.1 stays below five: four as well.
            let world = ManualWorld(version) {
                $0.storage.limit = version == .v1 ? 4 : 5
                $0.storage.evict = evict
                $0.storage.evictFrom = .newest
                $0.upload.networks = []
            }
            world.act(0, .launch(passive: false), .enterForeground)
            world.track(1, count: 6)
            let left: [[UInt32]] = [[0, 1, 2, 3], [0, 1, 2], [0, 1, 5, 6]]
            #expect(world.stored == left[evict - 1])
            let gone = (0...6).filter { !left[evict - 1].contains($0) }
            #expect(world.sequences(.evicted(.storageLimit)) == gone)
        }
    }

    @Test("order newest: the newest rows leave first, each request in order")
    func order() {
        let world = ManualWorld(.v1) {
            $0.storage.order = .newest
            $0.upload.batch = 2
        }
        world.startApp()
        world.track(1, count: 4)
        world.run(to: 15)
        world.answer(200, at: 15.5)
        world.answer(200, at: 15.6)
        #expect(world.uploadedSequences == [[3, 4], [1, 2], [0]])
    }

    @Test("ttl: rows of that age go when a process opens the store, and only then")
    func ttl() {
        let world = ManualWorld(.v1) {
            $0.storage.ttl = .seconds(60)
            $0.upload.networks = []
        }
        world.startApp()
        world.track(5)
        world.track(10)
        world.run(to: 300)
        #expect(world.fates.isEmpty)
        world.act(20 + 300, .kill)
        let other = ManualWorld(.v1) {
            $0.storage.ttl = .seconds(60)
            $0.upload.networks = []
        }
        other.startApp()
        other.track(5)
        other.track(10)
        other.act(20, .kill)
        other.act(65, .launch(passive: false), .enterForeground)
        // Captured at 0 and 5, 65 and 60 s old; the third is 55 s old.
        #expect(other.sequences(.evicted(.expired)) == [0, 1])
        #expect(other.stored == [2, 3])
    }

    @Test("jitter: each tick is up to that late, the same for the same seed")
    func jitter() {
        func ticks() -> [Double] {
            let world = ManualWorld(.v1) { $0.upload.jitter = .seconds(5) }
            world.startApp()
            for _ in 0..<6 {
                let due = (world.device.flushDue - world.start).fractionalSeconds
                world.run(to: due)
                world.fail(.refused, at: due)
            }
            return world.plannedSeconds
        }
        let planned = ticks()
        #expect(planned == ticks())
        let gaps = zip(planned, [0] + planned).map { $0 - $1 }
        #expect(gaps.count == 6 && gaps.allSatisfy { $0 >= 15 && $0 < 20 })
        #expect(Set(gaps).count == 6)
    }

    @Test("jitter: ticks that were skipped, for want of anything to send, were as late as others")
    func skippedTicks() {
        let (dense, sparse) = (
            ManualWorld(.v1) { $0.upload.jitter = .seconds(5) },
            ManualWorld(.v1) { $0.upload.jitter = .seconds(5) }
        )
        for world in [dense, sparse] { world.startApp() }
        for _ in 0..<12 {
            let due = (dense.device.flushDue - dense.start).fractionalSeconds
            dense.run(to: due)
            dense.fail(.refused, at: due)
        }
        sparse.run(to: 30)
        sparse.answer(200, at: 30)
        sparse.track(100)
        sparse.run(to: 125)
        #expect(sparse.plannedSeconds.count == 2)
        #expect(Set(sparse.plannedSeconds).isSubset(of: dense.plannedSeconds))
    }
}
