import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import KitSDK

@Suite("Kit, own policies")
struct KitPolicyTests {
    private func nextDay(_ change: (inout KitRules) -> Void) -> KitWorld {
        let world = KitWorld(change: change)
        world.visit(10)
        world.act(20, .kill)
        world.visit(KitWorld.day)
        return world
    }

    @Test("back-off: the archive is sent again in the same process")
    func backoff() {
        let world = nextDay { $0.upload.retry = .backoff(30, factor: 2, limit: 600) }
        let rows = world.stored.prefix(world.uploads.first.map { Int($0.request.eventCount) } ?? 0)
        world.answer("", status: 500, at: KitWorld.day + 1)
        world.run(to: KitWorld.day + 31)
        world.answer("", status: 500, at: KitWorld.day + 40)
        world.run(to: KitWorld.day + 100)
        #expect(world.plannedSeconds == [0, 31, 100].map { KitWorld.day + $0 })
        world.take(at: KitWorld.day + 101)
        #expect(world.sequences(.delivered) == Array(rows))
        #expect(rows.allSatisfy { world.fates[$0]?.attempts == 3 } && !rows.isEmpty)
    }

    @Test("keepStatuses: the archive's files go, the day's own stays")
    func keepStatuses() {
        let world = nextDay { $0.upload.keeps = .serverErrors(and: []) }
        let all = world.stored
        let sent = all.prefix(world.uploads.first.map { Int($0.request.eventCount) } ?? 0)
        world.answer("", status: 404, at: KitWorld.day + 1)
        #expect(world.sequences(.rejected(status: 404)) == Array(sent))
        #expect(world.stored == Array(all.dropFirst(sent.count)) && !world.stored.isEmpty)
    }

    @Test("ttl: files whose day is over for that long are removed at a start; networks are asked for")
    func ttl() {
        let world = KitWorld {
            $0.storage.ttl = .hours(24)
            $0.upload.networks = [.wifi]
        }
        world.setNetwork(.cellular3G, at: 1)
        world.visit(10)
        let first = world.stored
        world.act(20, .kill)
        world.visit(KitWorld.day)
        world.act(KitWorld.day + 1, .kill)
        #expect(world.uploads.isEmpty && world.fates.isEmpty)
        // At 08:00 of the third day: the first ended 32 hours ago, the second 8.
        world.setNetwork(.wifi, at: KitWorld.day * 2 - 1)
        world.visit(KitWorld.day * 2)
        #expect(world.sequences(.evicted(.expired)) == first && !first.isEmpty)
        #expect(world.uploads.count == 1)
    }
}
