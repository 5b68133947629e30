import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors on a failing disk")
struct DiskTests {
    /// A world whose device has these entries, from and until in seconds.
    private func world(
        _ version: SensorsRules.Version, _ entries: [(DiskFailure, ClosedRange<Double>)],
        _ change: (inout SensorsRules) -> Void = { _ in }
    ) -> ManualWorld {
        let schedule = DiskSchedule(
            entries.enumerated().map { number, entry in
                DiskSchedule.Entry(
                    from: ManualWorld.time(entry.1.lowerBound), until: ManualWorld.time(entry.1.upperBound),
                    entry.0, share: 1, number: number)
            })
        return ManualWorld(version, disk: schedule) {
            $0.upload.flushBulkSize = 1000
            change(&$0)
        }
    }

    @Test("1.10.17 drops what a full disk refuses, and goes on when there is room")
    func earlyFull() {
        let world = world(.v1, [(.full, 5...10)])
        world.startApp()
        world.track(1, count: 2)
        world.track(5)
        world.track(9)
        #expect(world.sequences(.lost(.storageError)) == [3, 4])
        world.track(10)
        #expect(world.stored == [0, 1, 2, 5])
    }

    @Test("1.10.17 on a full disk sends rows that it cannot delete with every flush again")
    func earlyRepeats() {
        let world = world(.v1, [(.full, 5...60)]) { $0.upload.batch = 2 }
        world.startApp()
        world.track(1, count: 3)
        world.run(to: 15)
        #expect(world.uploadedSequences == [[0, 1]])
        world.answer(200, at: 15.1)
        // The deletion fails, and that ends the flush; the next tick finds the same rows.
        #expect(world.uploadedSequences == [[0, 1]])
        world.run(to: 30)
        #expect(world.uploadedSequences == [[0, 1], [0, 1]])
        world.finish()
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[0]?.ackedAt == world.time(15.1))
    }

    @Test("4.9.1 keeps in memory what a full disk refuses, uploads it first, and loses it with the process")
    func recentFull() {
        let world = world(.v4, [(.full, 5...60)])
        world.startApp()
        world.track(1, count: 2)
        world.track(6, count: 2)
        #expect(world.stored == [1, 2])
        #expect(world.inMemory == [3, 4])
        world.run(to: 15)
        #expect(world.uploadedSequences.last == [3, 4])
        world.answer(200, at: 15.1)
        #expect(world.sequences(.delivered).suffix(2) == [3, 4])
        world.track(16)
        world.act(17, .kill)
        #expect(world.fate(5) == .lost(.killed))
    }

    @Test("4.9.1 sends rows that it can neither mark nor delete up to 41 times a flush")
    func recentStorm() {
        let world = world(.v4, [(.full, 5...60)])
        world.startApp()
        world.track(1, count: 2)
        let before = world.uploads.count
        world.run(to: 15)
        for _ in 0..<41 { world.answer(200, at: 15.1) }
        let sent = world.uploadedSequences.dropFirst(before)
        #expect(sent.count == 41)
        #expect(sent.allSatisfy { $0 == [1, 2] })
        #expect(world.stored == [1, 2])
        world.finish()
        #expect(world.sequences(.delivered) == [0, 1, 2])
        #expect(world.fates[1]?.attempts == 41)
        #expect(world.sequences(.pending(.stored)).isEmpty, "what was delivered is counted once")
    }

    @Test("marks of 4.9.1 that a failing disk does not take back last until the next start on a sound one")
    func stuckMarks() {
        let world = world(.v4, [(.readOnly, 15.05...30)])
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 15)
        world.answer(503, at: 15.1)
        #expect(world.device.store.idleCount == 0)
        world.act(20, .kill)
        world.act(21, .launch(passive: false), .enterForeground)
        #expect(world.device.store.idleCount == 0, "the start could not take them back either")
        world.act(40, .kill)
        world.act(41, .launch(passive: false), .enterForeground)
        #expect(world.device.store.sequences.prefix(2) == [1, 2])
        #expect(world.uploadedSequences.last?.prefix(2) == [1, 2])
    }

    @Test(
        "a first start on a full disk: 1.10.17 has no store until the next start, 4.9.1 until there is room")
    func firstStart() {
        let early = world(.v1, [(.full, 0...5)])
        early.startApp()
        early.track(6)
        #expect(early.sequences(.lost(.storageError)) == [0, 1])
        early.act(7, .kill)
        early.act(8, .launch(passive: false), .enterForeground)
        early.track(9)
        #expect(early.stored == [2, 3])

        let recent = world(.v4, [(.full, 0...5)]) { $0.upload.onLaunch = false }
        recent.startApp()
        recent.track(4)
        #expect(recent.inMemory == [0, 1])
        recent.track(6)
        #expect(recent.stored == [0, 1, 2])
        #expect(recent.inMemory.isEmpty)
        #expect(recent.fates.isEmpty)
    }

    @Test("events that moved from memory into the file under a request are sent again and counted once")
    func movedUnderARequest() {
        let world = world(.v4, [(.full, 0...5)])
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences == [[0]])
        world.track(6)
        #expect(world.stored == [0, 1])
        world.answer(200, at: 7)
        // The SDK deletes by ids that the table does not know, and goes on with what it finds there.
        #expect(world.uploadedSequences.last == [0, 1])
        world.answer(200, at: 8)
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[0]?.ackedAt == world.time(7))
        #expect(world.stored.isEmpty)
    }

    @Test("a damaged file loses its rows and takes no others, in this process and in every later one")
    func damage() {
        for version in [SensorsRules.Version.v1, .v4] {
            let world = world(version, [(.corrupt, 5...6)])
            world.startApp()
            world.track(1, count: 2)
            let kept = world.stored
            world.run(to: 5)
            #expect(world.sequences(.lost(.storageError)) == kept)
            #expect(world.stored.isEmpty)
            world.track(10)
            world.act(11, .kill)
            world.act(12, .launch(passive: false), .enterForeground)
            world.track(13)
            #expect(world.stored.isEmpty)
            if version == .v1 {
                #expect(world.sequences(.lost(.storageError)) == Array(0...5))
            } else {
                #expect(world.fate(3) == .lost(.killed))
                #expect(world.inMemory.last == 5)
            }
        }
    }

    @Test("a positive answer beats the damage of the file")
    func damageUnderARequest() {
        let world = world(.v4, [(.corrupt, 16...17)])
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 15)
        #expect(world.uploadedSequences.last == [1, 2])
        world.track(15.5)
        world.run(to: 16)
        #expect(world.sequences(.lost(.storageError)) == [3])
        world.answer(200, at: 18)
        #expect(world.sequences(.delivered) == [0, 1, 2])
        let other = self.world(.v4, [(.corrupt, 16...17)])
        other.startApp()
        other.track(1)
        other.run(to: 16)
        other.answer(503, at: 18)
        #expect(other.fate(1) == .lost(.storageError))
    }

    @Test("a disk that changes wakes its device, and only devices that it concerns")
    func schedule() {
        let start = ManualWorld.start
        let schedule = DiskSchedule([
            .init(
                from: start + .seconds(1), until: start + .seconds(9), .full, share: 0.5, number: 0),
            .init(
                from: start + .seconds(3), until: start + .seconds(5), .readOnly, share: 1,
                number: 1),
        ])
        var concerned = 0
        for device in 0..<1000 as Range<UInt64> {
            let faults = RandomStream(key: device)
            let first = schedule.nextChange(after: start, faults: faults)
            let isConcerned = first == start + .seconds(1)
            concerned += isConcerned ? 1 : 0
            #expect(isConcerned || first == start + .seconds(3))
            let around: DiskCondition = isConcerned ? .full : .sound
            #expect(schedule.condition(at: start + .seconds(2), faults: faults) == around)
            #expect(schedule.condition(at: start + .seconds(3), faults: faults) == .readOnly)
            #expect(schedule.condition(at: start + .seconds(5), faults: faults) == around)
            #expect(schedule.condition(at: start + .seconds(9), faults: faults) == .sound)
            #expect(schedule.nextChange(after: start + .seconds(9), faults: faults) == .distantFuture)
        }
        #expect((420...580).contains(concerned))
    }
}
