import Accounting
import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, Retry-After")
struct RetryAfterTests {
    /// A device whose first timed flush, at 15 s, was answered at 15.5 s; the next ticks come at 30, 45, …
    private func answered(
        _ status: UInt16, retryAfter: Interval?, heeds: Bool = true, _ version: SensorsRules.Version = .v1
    ) -> ManualWorld {
        let world = ManualWorld(version) {
            $0.upload.retry.heedsRetryAfter = heeds
            $0.upload.onLaunch = false
        }
        world.startApp()
        world.run(to: 15)
        #expect(world.plannedSeconds == [15])
        world.end(.upload, nil, with: .answered(status: status, body: [], retryAfter: retryAfter), at: 15.5)
        world.track(16)
        return world
    }

    @Test(
        "no upload begins before the time is over; then the next trigger takes the rows along",
        arguments: [429, 503])
    func heeded(status: UInt16) {
        let world = answered(status, retryAfter: .seconds(20))
        world.run(to: 44)
        #expect(world.plannedSeconds == [15])
        world.run(to: 45)
        #expect(world.plannedSeconds == [15, 45])
        #expect(world.uploadedSequences.last == [0, 1])
    }

    @Test("the moment itself is late enough")
    func boundary() {
        let world = answered(503, retryAfter: .milliseconds(14_500))
        world.run(to: 30)
        #expect(world.plannedSeconds == [15, 30])
    }

    @Test("entering the background and a full store are put off as well")
    func triggers() {
        let world = answered(503, retryAfter: .seconds(100))
        world.track(17, count: 150)
        world.act(18, .enterBackground)
        #expect(world.plannedSeconds == [15])
    }

    @Test("other answers, an answer without the header, and the SDK as it is go on as ever")
    func unheeded() {
        for world in [
            answered(500, retryAfter: .seconds(60)), answered(503, retryAfter: nil),
            answered(503, retryAfter: .seconds(60), heeds: false),
        ] {
            world.run(to: 30)
            #expect(world.plannedSeconds == [15, 30])
        }
    }

    @Test("which rows are kept is another matter: 4.9.1 drops them after 429, and its flush stops")
    func kept() {
        let world = ManualWorld(.v4) {
            $0.upload.retry.heedsRetryAfter = true
            $0.upload.batch = 1
            $0.upload.onLaunch = false
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 2)
        world.run(to: 15)
        world.end(.upload, nil, with: .answered(status: 429, body: [], retryAfter: .seconds(40)), at: 16)
        #expect(world.fate(0) == .rejected(status: 429))
        #expect(world.stored == [1, 2])
        #expect(world.uploads.count == 1)
        world.run(to: 59)
        #expect(world.uploads.count == 1)
        world.run(to: 60)
        #expect(world.uploads.count == 2)
    }

    @Test("a process that dies forgets it")
    func death() {
        let world = answered(503, retryAfter: .hours(1))
        world.act(20, .kill)
        world.act(21, .launch(passive: false), .enterForeground)
        world.run(to: 36)
        #expect(world.plannedSeconds == [15, 36])
    }

    @Test("nobody waits longer than a day")
    func limit() {
        let world = answered(503, retryAfter: .seconds(9_000_000))
        world.run(to: 86_400 + 15)
        #expect(world.uploads.count == 1)
        world.run(to: 86_400 + 30)
        #expect(world.uploads.count == 2)
    }
}
