import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

@Suite("TrackingSDK, failing disks")
struct TrackingSDKDiskTests {
    private func world(_ failure: DiskFailure, clear: TrackingSDKRules.Clear = .all) -> TrackingSDKWorld {
        let disk = DiskSchedule([
            DiskSchedule.Entry(
                from: ManualWorld.start + .seconds(10), until: ManualWorld.start + .seconds(20),
                failure, share: 1, number: 0)
        ])
        let world = TrackingSDKWorld(disk: disk) { $0.clear = clear }
        world.startApp()
        world.track(5)
        world.fail(.reset, at: 6)
        return world
    }

    @Test("no room: the new event is lost, the file is still sent, and can be removed")
    func full() {
        let world = world(.full)
        world.track(12)
        #expect(world.fate(2) == .lost(.storageError))
        #expect(world.uploadedSequences.last == [1])
        world.answer(200, at: 13)
        #expect(world.fate(1) == .delivered)
        #expect(world.stored == [])
        world.track(22)
        #expect(world.stored == [3])
    }

    @Test("no room: what is left of a file cannot be written, so the corrected SDK sends it all again")
    func fullSentOnly() {
        let world = world(.full, clear: .sentOnly)
        world.track(9)
        world.track(9.5)
        world.answer(200, at: 11, upload: 2)
        #expect(world.stored == [1, 2, 3])
        world.answer(200, at: 12, upload: 3)
        // Nothing would be left: the file is removed.
        #expect(world.stored == [])
        #expect(world.sequences(.delivered) == [0, 1, 2, 3])
    }

    @Test("read-only: the file cannot be removed either, and acknowledged events travel again")
    func readOnly() {
        let world = world(.readOnly)
        world.track(12)
        world.answer(200, at: 13)
        // It is acknowledged, but how many uploads will have carried it is not known yet.
        #expect(world.fate(1) == nil)
        #expect(world.stored == [1])
        world.track(22)
        #expect(world.uploadedSequences.last == [1, 3])
        world.answer(200, at: 23)
        #expect(world.stored == [])
        #expect(world.sequences(.delivered) == [0, 1, 3])
        let event = world.fates[1]
        // One upload when it came, one each with events 2 and 3; the first positive answer counts.
        #expect(event?.attempts == UInt16(world.uploadedSequences.count { $0.contains(1) }))
        #expect(event?.ackedAt == world.time(13))
    }

    @Test("a damaged file is lost; the next event begins a new one")
    func corrupt() {
        let world = world(.corrupt)
        world.run(to: 11)
        #expect(world.fate(1) == .lost(.storageError))
        world.track(12)
        #expect(world.stored == [2])
        #expect(world.uploadedSequences.last == [2])
    }

    @Test("what was on its way when the file was damaged may still arrive")
    func corruptInFlight() {
        let world = world(.corrupt)
        world.track(9)
        world.run(to: 11)
        #expect(world.fate(1) == nil)
        world.answer(200, at: 12)
        #expect(world.sequences(.delivered) == [0, 1, 2])
    }
}
