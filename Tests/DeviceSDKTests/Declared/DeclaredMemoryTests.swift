import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Events that are in the memory of the process alone for a while.
@Suite("Described SDKs, memory")
struct DeclaredMemoryTests {
    private static func sdk(_ groups: String) -> String {
        """
        {"name": "own-ios", \(groups), "request": {"path": "/own"},
         "upload": {"flushBulkSize": "none", "flushInterval": "10s"}, "answers": [["2xx", "delivered"], ["*", "keep"]],
         "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
        """
    }

    // MARK: storage.persist

    @Test("a store that is written in the background loses what came since, when the process dies")
    func persistsInTheBackground() throws {
        let world = try DeclaredWorld(Self.sdk(#""storage": {"persist": "onBackground"}"#))
        world.startApp()
        world.track(1, count: 2)
        world.act(2, .enterBackground)
        world.act(3, .enterForeground)
        world.track(4, count: 3)
        world.act(5, .kill)
        #expect(world.sequences(.lost(.killed)) == [2, 3, 4])
        world.act(6, .launch(passive: false))
        #expect(world.stored == [0, 1], "what had been written")
        world.act(7, .kill)
        #expect(world.stored == [0, 1], "it is on the disk still")
    }

    @Test("it is written, too, when rows have left after an answer")
    func persistsAfterAnAnswer() throws {
        let world = try DeclaredWorld(Self.sdk(#""storage": {"persist": "onBackground"}"#))
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 10)
        world.track(11)
        world.answer(200, at: 12)
        world.track(13)
        world.act(14, .kill)
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.sequences(.lost(.killed)) == [3])
        #expect(world.stored == [2])
    }

    @Test("it is written, too, when rows have been given up")
    func persistsAfterGivingUp() throws {
        let json = Self.sdk(#""storage": {"persist": "onBackground"}, "retry": {"attempts": 0}"#)
            .replacing(#"["*", "keep"]"#, with: #"["*", "retry"]"#)
        let world = try DeclaredWorld(json)
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 10)
        world.track(11)
        world.answer(503, at: 12)
        world.track(13)
        world.act(14, .kill)
        #expect(world.sequences(.retriesExhausted) == [0, 1])
        #expect(world.sequences(.lost(.killed)) == [3])
        #expect(world.stored == [2])
    }

    @Test("an answer that leaves the rows writes nothing, and a first process that dies early loses all")
    func persistsNothingElse() throws {
        let world = try DeclaredWorld(Self.sdk(#""storage": {"persist": "onBackground"}"#))
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 10)
        world.answer(503, at: 11)
        world.act(12, .kill)
        #expect(world.sequences(.lost(.killed)) == [0, 1])
        #expect(world.stored == [])
    }

    // MARK: config.holdsCapture

    private static func holding(_ limit: Int, _ storage: String = "{}") -> String {
        sdk(
            """
            "storage": \(storage),
            "config": [{"on": ["launch"], "path": "/settings", "holdsCapture": \(limit), "timeout": "60s",
                        "apply": {"/on": "capture"}, "default": {"on": true}}]
            """)
    }

    private static func answer(_ json: String) -> RequestOutcome {
        .answered(status: 200, body: Array(json.utf8))
    }

    @Test("events wait for the configuration, the oldest giving way, and nothing is sent meanwhile")
    func holds() throws {
        let world = try DeclaredWorld(Self.holding(3))
        world.startApp()
        world.track(1, count: 5)
        world.run(to: 20)
        #expect(world.counts == [], "the timer's ticks have nothing to send")
        #expect(world.sequences(.evicted(.storageLimit)) == [0, 1])
        world.end(with: Self.answer(#"{"on": true}"#), at: 21, where: { $0.number.kind == .config })
        world.run(to: 30)
        #expect(world.counts == [3])
        world.answer(200, at: 31)
        #expect(world.sequences(.delivered) == [2, 3, 4])
    }

    @Test("a configuration that forbids to capture takes what has waited; a failure lets it go")
    func holdsForTheAnswer() throws {
        let world = try DeclaredWorld(Self.holding(100))
        world.startApp()
        world.track(1, count: 2)
        world.end(with: Self.answer(#"{"on": false}"#), at: 2, where: { $0.number.kind == .config })
        #expect(world.sequences(.suppressed(.sdkDisabled)) == [0, 1])
        world.track(3)
        #expect(world.sequences(.suppressed(.sdkDisabled)) == [0, 1, 2])
        // The next process does not know yet whether it may, and remembers what it was told when nobody answers.
        world.act(4, .launch(passive: false), .enterForeground)
        world.track(5, count: 2)
        #expect(world.stored == [3, 4])
        world.end(with: .failed(.timedOut), at: 64, where: { $0.number.kind == .config })
        #expect(world.sequences(.suppressed(.sdkDisabled)) == [0, 1, 2, 3, 4])
    }

    @Test("what a disk does not take is lost when it has waited", arguments: [DiskFailure.full, .readOnly])
    func holdsForTheDisk(failure: DiskFailure) throws {
        let disk = DiskSchedule([
            .init(from: ManualWorld.time(1), until: ManualWorld.time(4), failure, share: 1, number: 0)
        ])
        let world = try DeclaredWorld(Self.holding(100), disk: disk)
        world.startApp()
        world.track(0.5, count: 2)
        world.track(2)
        world.end(with: Self.answer(#"{"on": true}"#), at: 3, where: { $0.number.kind == .config })
        #expect(world.sequences(.lost(.storageError)) == [0, 1, 2] && world.stored == [])
        world.track(5)
        #expect(world.stored == [3])
    }

    @Test("what waits is in memory: the process takes it along, and nothing of what was there before")
    func holdsInMemory() throws {
        let world = try DeclaredWorld(Self.holding(100, #"{"limit": 4}"#))
        world.startApp()
        world.end(with: Self.answer(#"{"on": true}"#), at: 1, where: { $0.number.kind == .config })
        world.track(2, count: 3)
        world.act(3, .launch(passive: false), .enterForeground)
        world.track(4, count: 2)
        world.act(5, .kill)
        #expect(world.sequences(.lost(.killed)) == [3, 4])
        #expect(world.stored == [0, 1, 2])
        world.act(6, .launch(passive: false), .enterForeground)
        world.track(7, count: 3)
        #expect(world.stored == [0, 1, 2, 5, 6, 7], "the store's limit is not theirs")
        world.end(with: .failed(.refused), at: 8, where: { $0.number.kind == .config })
        #expect(world.stored == [2, 5, 6, 7])
        #expect(world.sequences(.evicted(.storageLimit)) == [0, 1])
    }
}
