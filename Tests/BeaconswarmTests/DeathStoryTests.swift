import DeviceSDK
import Generation
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Ends of processes, in words")
struct DeathStoryTests {
    /// Short sessions that end in every way, of somebody who deletes the app again and again.
    private static let restless = #"""
        "extends": "casual", "sessionsPerDay": 3000, "sessionLength": "10s", "opensAtArrival": true,
        "crashChance": 0.4, "killAtBackgroundChance": 0.3, "meanTimeToKill": "20s", "passiveLaunchChance": 0.3,
        "retention": {"10m": 0.01, "50m": 0.001}, "reinstall": {"share": 1, "after": "5m"}
        """#

    private static let crash = "the app crashed"
    private static let deletion = "the app was deleted"
    private static let background = "the app's process died in the background"

    /// How the user of a device has it that the app's process came to its end at the very instant.
    private static func words(of instant: Instant, in life: DeviceLife) -> String {
        if life.deletions.contains(instant) { return deletion }
        return life.sessions.contains { $0.until == instant && $0.end == .crash } ? crash : background
    }

    @Test("are those that the user's plan has, however late the machine was to act on them")
    func late() async throws {
        let bench = try await StoryBench(persona: Self.restless, duration: "1h")
        let deaths = try bench.played().compactMap { step -> Instant? in
            guard case .died = step.what else { return nil }
            return step.at
        }
        var told: Set<String> = []
        for (death, next) in zip(deaths, deaths.dropFirst() + [.distantFuture]) {
            let words = Self.words(of: death, in: bench.context.life)
            told.insert(words)
            for delay in [Interval.zero, .microseconds(120), .seconds(1), .seconds(8)]
            where death + delay < next {
                #expect(bench.context.death(at: death + delay) == words)
            }
        }
        #expect(told == [Self.crash, Self.deletion, Self.background])
    }

    @Test("are told of late steps of a device and of an event that lived through them")
    func stories() async throws {
        let bench = try await StoryBench(persona: Self.restless, duration: "1h")
        let crashed = try #require(bench.context.life.sessions.first { $0.end == .crash }?.until)
        let late = TraceStep(at: crashed + .milliseconds(3), .died)
        #expect(bench.told([late]).contains(Self.crash))
        let told = bench.told(of: 0, [bench.captured(0..<1, at: 1), late])
        #expect(told.last == "\(Self.crash); the event outlived it on disk")
    }
}
