import AppModel
import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import Testing
import Timebase
import World

@testable import LiveEngine

@Suite("Device timeline")
struct NetworkTimelineTests {
    private let start = Instant(milliseconds: 1_000_000)
    private func at(_ seconds: Int64) -> Instant { start + .seconds(seconds) }

    private func entry(_ from: Int64, _ until: Int64, _ kind: NetworkKind, share: Double = 1)
        -> RunSchedule.DeviceEntry
    {
        .init(from: at(from), until: at(until), network: kind, share: share)
    }

    private func timeline(_ entries: [RunSchedule.DeviceEntry]) -> NetworkTimeline {
        var schedule = RunSchedule(start: start, duration: .seconds(100), drain: .seconds(10))
        schedule.deviceEntries = entries
        return NetworkTimeline(schedule: schedule)
    }

    @Test("gives overlapping entries' latest, then the device's own network again")
    func overlapping() {
        let plan = ScriptedRun.plan(devices: 1, port: 1, start: start)
        var timeline = timeline([entry(10, 40, .none), entry(20, 30, .cellular2G)])
        var seen: [NetworkChange?] = []
        while let moment = timeline.popDue(through: at(100)) {
            seen.append(timeline.change(of: plan, index: 0, at: moment))
        }
        #expect(seen == [.to(.none), .to(.cellular2G), .to(.none), NetworkChange(kind: nil)])
    }

    @Test("counts the lag of devices to whose turn a change came first")
    func lag() async throws {
        try await withGroup(threads: 1) { group in
            var run = ScriptedRun { _ in [(.zero, .seal)] }
            // Everything is late, and more devices are than have their turn before the timeline has its own.
            run.devices = 2 * Shard.wakesPerTurn
            run.lead = .milliseconds(-100)
            run.duration = .milliseconds(200)
            run.entries = [
                .init(
                    from: ScriptedRun.start + .milliseconds(50), until: ScriptedRun.start + .milliseconds(90),
                    network: .none, share: 1)
            ]
            let result = try await run.begin(port: 80, on: [group.next()], log: FleetLog()).result()
            #expect(result.health.scheduleLag.count == UInt64(run.devices))
        }
    }

    @Test("leaves devices alone that no entry concerns, and entries after the users' end")
    func unconcerned() {
        let plan = ScriptedRun.plan(devices: 1, port: 1, start: start)
        var timeline = timeline([entry(10, 20, .none, share: 0), entry(100, 120, .none)])
        #expect(timeline.next == at(10))
        #expect(timeline.change(of: plan, index: 0, at: at(10)) == nil)
        #expect(timeline.popDue(through: at(50)) == at(10))
        #expect(timeline.popDue(through: at(50)) == at(20))
        #expect(timeline.next == .distantFuture)
    }
}
