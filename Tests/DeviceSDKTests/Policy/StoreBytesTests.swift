import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import CodelessSDK
@testable import DeviceSDK
@testable import GrowingSDK
@testable import KitSDK
@testable import SensorsSDK
@testable import TrackingSDK

/// `storage.maxBytes` in every system that is built in. What events take is told by a device without a bound; a bound of
/// what its last ones take is exactly enough for these.
@Suite("Stores with a bound of bytes")
struct StoreBytesTests {
    private func sensors(
        _ version: SensorsRules.Version, bytes: Int?, evict: Int = 1, from end: StoreEnd = .oldest
    ) -> ManualWorld {
        let world = ManualWorld(version) {
            $0.storage.maxBytes = bytes
            $0.storage.evict = evict
            $0.storage.evictFrom = end
            $0.upload.networks = []
            $0.upload.triesWithoutNetwork = false
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 6)
        return world
    }

    private func sizes(_ world: ManualWorld) -> [Int] {
        world.stored.compactMap { world.device.store.record($0) }.map { row in
            world.system.encoder.content(row, epoch: world.device.epochs[row.epoch], world.device).count
        }
    }

    @Test(
        "Sensors: the oldest go, as many at once as at the limit", arguments: [SensorsRules.Version.v1, .v4])
    func sensors(version: SensorsRules.Version) {
        let free = sensors(version, bytes: nil)
        let all = free.stored
        let sizes = sizes(free)
        #expect(all.count >= 6)
        let enough = sizes.suffix(4).reduce(0, +)
        let bound = sensors(version, bytes: enough)
        #expect(bound.stored == Array(all.suffix(4)))
        #expect(bound.sequences(.evicted(.storageLimit)) == Array(all.dropLast(4)))
        // The last one alone is too much; a hundred at once are all that there are.
        let coarse = sensors(version, bytes: sizes.reduce(0, +) - 1, evict: 100)
        #expect(coarse.stored == Array(all.suffix(1)))
        #expect(coarse.sequences(.evicted(.storageLimit)) == Array(all.dropLast()))
        // What the first four fill leaves no room for another.
        let newest = sensors(version, bytes: sizes.prefix(4).reduce(0, +), from: .newest)
        #expect(newest.stored == Array(all.prefix(4)))
        #expect(newest.sequences(.evicted(.storageLimit)) == Array(all.dropFirst(4)))
        let none = sensors(version, bytes: 10)
        #expect(none.stored == [] && none.sequences(.evicted(.storageLimit)) == all)
    }

    private func growing(_ version: GrowingRules.Version, bytes: Int?) -> GrowingWorld {
        let world = GrowingWorld(version) {
            $0.storage.maxBytes = bytes
            $0.upload.networks = []
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 6)
        return world
    }

    @Test("GrowingIO: each of the two files by itself", arguments: GrowingRules.Version.allCases)
    func growing(version: GrowingRules.Version) {
        let free = growing(version, bytes: nil)
        // The VISIT is in the other file.
        let rows = free.encodedRows(free.rulesUseMessages ? .message : .json).dropFirst()
        #expect(rows.count == 6)
        let bound = growing(version, bytes: rows.suffix(4).reduce(0) { $0 + $1.storedSize })
        var stored: [UInt32] = []
        bound.device.realtime.table.forEach { stored.append($0.sequence) }
        #expect(stored == [3, 4, 5, 6])
        #expect(bound.sequences(.evicted(.storageLimit)) == [1, 2])
        #expect(bound.device.timing.count == 1)
        let none = growing(version, bytes: 10)
        // 3.x still has the VISIT in its queue.
        let visit: [UInt32] = version == .v4 ? [0] : []
        #expect(none.sequences(.evicted(.storageLimit)) == visit + [1, 2, 3, 4, 5, 6])
    }

    @Test("GrowingIO 3.x: what the file gave up is in the queue, and is sent")
    func queue() {
        let world = GrowingWorld(.v3) { $0.storage.maxBytes = 10 }
        world.startApp()
        world.tap(1, count: 2)
        world.run(to: 20)
        let carried = world.uploads.flatMap(\.sequences)
        world.answerAll(200, at: 21)
        #expect(carried.contains(1) && carried.contains(2))
        #expect(world.sequences(.delivered).contains(1) && world.sequences(.evicted(.storageLimit)) == [])
    }

    private func tracking(bytes: Int?) -> TrackingSDKWorld {
        let world = TrackingSDKWorld {
            $0.storage.maxBytes = bytes
            $0.upload.networks = []
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 6)
        return world
    }

    @Test("TrackingSDK: the file's oldest go")
    func tracking() {
        let free = tracking(bytes: nil)
        let all = free.stored
        var sizes: [Int] = []
        free.device.log.forEach { row in
            var event = WireBuffer()
            free.system.encoder.encode(row, index: 0, device: free.device.number, skew: .zero, into: &event)
            sizes.append(event.count)
        }
        let bound = tracking(bytes: sizes.suffix(3).reduce(0, +))
        #expect(all.count == 7 && bound.stored == Array(all.suffix(3)))
        #expect(bound.sequences(.evicted(.storageLimit)) == Array(all.dropLast(3)))
        #expect(bound.device.fileCount == 3)
        #expect(tracking(bytes: 10).sequences(.evicted(.storageLimit)) == all)
    }

    /// Three days, and the rows of each.
    private func kit(bytes: Int?) -> (world: KitWorld, days: [[UInt32]]) {
        let world = KitWorld {
            $0.storage.maxBytes = bytes
            $0.upload.networks = []
        }
        var days: [[UInt32]] = []
        for day in 0..<3 {
            let first = world.device.nextSequence
            world.visit(KitWorld.day * Double(day) + 10)
            world.act(KitWorld.day * Double(day) + 20, .kill)
            days.append(Array(first..<world.device.nextSequence))
        }
        return (world, days)
    }

    @Test("Kit: files of days go whole; the day's own stays, and the row that comes goes")
    func kit() {
        let (free, days) = kit(bytes: nil)
        var sizes: [Int] = []
        free.device.log.forEach { row in
            var line = WireBuffer()
            free.system.encoder.append(row, of: free.device, to: &line)
            sizes.append(line.count)
        }
        #expect(days.allSatisfy { $0.count == days[0].count && $0.count > 1 })
        let last = sizes.suffix(days[0].count * 2).reduce(0, +)
        let (bound, _) = kit(bytes: last)
        #expect(bound.stored == days[1] + days[2])
        #expect(bound.sequences(.evicted(.storageLimit)) == days[0])
        // Room for a day's first row.
        let (small, _) = kit(bytes: sizes[0])
        #expect(small.stored == [days[2][0]])
        #expect(small.sequences(.evicted(.storageLimit)).count == days.joined().count - 1)
    }

    private func codeless(bytes: Int?) -> CodelessWorld {
        let world = CodelessWorld {
            $0.storage.maxBytes = bytes
            $0.upload.networks = []
        }
        for start in [0.0, 10, 20] {
            world.act(start, .launch(passive: false), .enterForeground)
            world.tap(start + 1, count: 3)
            world.act(start + 2, .crash(reason: 0))
        }
        return world
    }

    @Test("codeless SDK: the oldest files go")
    func codeless() {
        let free = codeless(bytes: nil)
        #expect(free.files == [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
        var events = WireBuffer()
        free.system.append(3..<9, of: free.device, to: &events)
        let bound = codeless(bytes: events.count)
        #expect(bound.files == [[3, 4, 5], [6, 7, 8]])
        #expect(bound.sequences(.evicted(.storageLimit)) == [0, 1, 2])
        #expect(codeless(bytes: 10).files == [])
    }
}

extension GrowingWorld {
    fileprivate var rulesUseMessages: Bool { system.rules.usesProtobuf }
}
