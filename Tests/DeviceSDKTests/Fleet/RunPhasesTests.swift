import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("RunPhases")
struct RunPhasesTests {
    private static let start = ManualWorld.start
    private var schedule: RunSchedule {
        RunSchedule(start: Self.start, duration: .minutes(10), drain: .minutes(1))
    }
    private func at(_ seconds: Int64) -> Instant { Self.start + .seconds(seconds) }

    /// Devices of which the test says who holds up the drain.
    private final class HeldFleet: ForwardingFleet {
        let base: any DeviceFleet
        var holders: Set<Int> = []
        /// How often a device was looked at.
        private(set) var looks = 0

        init() {
            base = makeFleet(
                plan: PopulationPlan(
                    name: "ios", deviceCount: 100, start: RunPhasesTests.start,
                    usersEnd: RunPhasesTests.start + .minutes(10), app: AppDescription.forTests,
                    persona: PersonaDescription(name: "casual"),
                    target: .init(scheme: "http", host: "h", port: 8106, pathAndQuery: "/sa?project=p"),
                    system: SensorsRules(version: .v1)),
                share: .whole)
        }

        var storedCount: UInt64 { UInt64(holders.count) }
        var foregroundCount: Int { holders.count }
        func isDraining(_ slot: Int) -> Bool {
            looks += 1
            return holders.contains(slot)
        }
    }

    @Test("goes from part to part at their limits, a step at a time")
    func limits() {
        let fleet = HeldFleet()
        fleet.holders = [7]
        var phases = RunPhases(schedule)
        func next(_ seconds: Int64, isIdle: Bool = false) -> RunPhase? {
            phases.next(at: at(seconds), isIdle: isIdle, fleets: [fleet])
        }
        #expect(phases.phase == .running && phases.limit == at(600))
        #expect(next(599, isIdle: true) == nil)
        #expect(next(700) == .draining)
        #expect(phases.phase == .running)
        phases.begin(.draining, at: at(601))
        // Counted from when users were to end, however late that was seen.
        #expect(phases.limit == at(660))
        #expect(next(659, isIdle: true) == nil)
        #expect(next(660) == .closing)
        phases.begin(.closing, at: at(661))
        #expect(phases.limit == at(661) + RunSchedule.answerGrace)
        #expect(next(665) == nil)
        #expect(next(665, isIdle: true) == .ended)
        #expect(next(666) == .ended)
        phases.begin(.ended, at: at(666))
        phases.begin(.closing, at: at(667))
        #expect(phases.phase == .ended && phases.limit == .distantFuture && phases.stoppedAt == nil)
        #expect(next(1000, isIdle: true) == nil)
    }

    @Test("ends the drain when nothing is open and no device has rows, and searches once for each that has")
    func quiet() {
        let (first, second) = (HeldFleet(), HeldFleet())
        var phases = RunPhases(schedule)
        phases.begin(.draining, at: at(600))
        func next(isIdle: Bool = true) -> RunPhase? {
            phases.next(at: at(610), isIdle: isIdle, fleets: [first, second])
        }
        second.holders = [3, 60]
        for _ in 0..<10 { #expect(next() == nil) }
        // Four to find it, and one for each later look.
        #expect(first.looks == 0 && second.looks == 4 + 9)
        second.holders = [60]
        #expect(next() == nil)
        second.holders = []
        #expect(next(isIdle: false) == nil)
        #expect(next() == .closing)
    }

    @Test("lets users be stopped once, and the drain last as long as ever")
    func stopping() {
        var phases = RunPhases(schedule, runTime: { $0 * 60 })
        let isFirst = phases.stopUsers(at: at(100))
        #expect(isFirst && phases.phase == .draining && phases.stoppedAt == at(100))
        #expect(phases.limit == at(100) + .hours(1))
        let isSecond = phases.stopUsers(at: at(200))
        #expect(!isSecond && phases.stoppedAt == at(100))
        phases.begin(.closing, at: at(300))
        #expect(phases.limit == at(300) + RunSchedule.answerGrace * 60)
    }
}
