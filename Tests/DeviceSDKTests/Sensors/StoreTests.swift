import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, the store's limit")
struct StoreTests {
    @Test("1.10.17 deletes the 100 oldest when the limit is reached, and never exceeds it")
    func earlyEviction() {
        let world = ManualWorld(.v1) {
            $0.storage.limit = 1000
            $0.upload.flushBulkSize = 100_000
        }
        world.startApp()
        world.track(1, count: 999)
        #expect(world.stored.count == 1000)
        #expect(world.fates.isEmpty)
        world.track(2)
        #expect(world.stored == Array(100...1000))
        #expect(world.sequences(.evicted(.storageLimit)) == Array(0...99))
        world.track(3, count: 100)
        #expect(world.stored == Array(200...1100))
    }

    @Test("4.9.1 stays below the limit")
    func recentEviction() {
        let world = ManualWorld(.v4) {
            $0.storage.limit = 1000
            $0.upload.flushBulkSize = 100_000
        }
        world.startApp()
        world.track(1, count: 999)
        #expect(world.stored == Array(1...999))
        world.track(2)
        #expect(world.stored == Array(101...1000))
        #expect(world.sequences(.evicted(.storageLimit)) == Array(1...100))
    }

    @Test("rows evicted while a request carries them in 1.10.17: there are none, track waits")
    func noEvictionBehindARequest() {
        let world = ManualWorld(.v1) {
            $0.storage.limit = 100
            $0.upload.flushBulkSize = 100
        }
        world.startApp()
        world.track(1, count: 99)
        #expect(world.uploadedSequences == [Array(0...49)])
        world.track(2, count: 60)
        #expect(world.fates.isEmpty)
        world.fail(.timedOut, at: 61)
        #expect(world.sequences(.evicted(.storageLimit)) == Array(0...99))
        #expect(world.stored == Array(100...159))
    }

    @Test("an eviction that empties the store leaves the new event its own time: who was logged in then")
    func evictionKeepsTheEpoch() {
        let world = ManualWorld(.v1) {
            $0.storage.limit = 3
            $0.storage.evict = 3
            $0.upload.flushBulkSize = 1000
        }
        world.startApp()
        world.track(1, count: 3)
        #expect(world.stored == [3])
        world.act(2, .login(account: 7, signUp: true))
        #expect(world.device.epochs[world.device.store.record(3)?.epoch ?? .max].account == nil)
        #expect(world.device.epochs.current.account == 7)
    }

    @Test("a failed eviction drops the new event in 1.10.17 and keeps it in memory in 4.9.1")
    func failedEviction() {
        for version in [SensorsRules.Version.v1, .v4] {
            let world = ManualWorld(version) {
                $0.storage.limit = version == .v1 ? 10 : 11
                $0.storage.deleteFailureChance = 1
                $0.upload.networks = []
                $0.upload.triesWithoutNetwork = false
            }
            world.startApp()
            world.track(1, count: 10)
            #expect(world.stored == Array(0...9))
            #expect(world.fate(10) == (version == .v1 ? .lost(.storageError) : nil))
            #expect(world.inMemory == (version == .v1 ? [] : [10]))
        }
    }

    @Test("a failed insert loses the event in 1.10.17")
    func failedInsert() {
        let world = ManualWorld(.v1) { $0.storage.insertFailureChance = 1 }
        world.startApp()
        world.track(1)
        #expect(world.sequences(.lost(.storageError)) == [0, 1])
    }

    @Test("prefill: events 0 to N-1 from before the start, the limit kept, no first start after")
    func prefill() {
        let world = ManualWorld(.v1) {
            $0.storage.prefill = 250
            $0.storage.limit = 200
        }
        #expect(world.device.nextSequence == 250)
        #expect(world.stored == Array(100...249))
        #expect(world.sequences(.evicted(.storageLimit)) == Array(0...99))
        #expect(world.device.store.record(249)?.capturedAt == ManualWorld.start - .seconds(30))
        #expect(world.device.store.record(100)?.capturedAt == ManualWorld.start - .seconds(30 * 150))
        world.startApp()
        let start = SensorsEventFlags(rawValue: world.device.store.record(250)?.flags ?? .max)
        #expect(!start.contains(.firstTime))
    }

    @Test("finish: what is in the air is in flight, all else stored, memory included")
    func finish() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        world.track(16)
        world.finish()
        #expect(world.fate(0) == .pending(.inFlight))
        #expect(world.fate(1) == .pending(.stored))
    }
}
