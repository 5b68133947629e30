import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import KitSDK

@Suite("Kit, uploads and what they remove")
struct KitUploadTests {
    /// A device with a finished day of two rows, whose app has just started on the next one.
    private func nextDay(_ change: (inout KitRules) -> Void = { _ in }) -> KitWorld {
        let world = KitWorld(change: change)
        world.visit(10)
        world.act(20, .kill)
        world.visit(KitWorld.day)
        return world
    }

    @Test("nothing leaves on the day itself, everything at the first start of another one")
    func starts() {
        let world = KitWorld()
        world.visit(10)
        world.act(20, .enterBackground)
        world.act(30, .enterForeground)
        world.act(40, .kill)
        world.visit(50)
        #expect(world.uploads.isEmpty)
        world.act(60, .kill)
        world.visit(KitWorld.day)
        #expect(world.uploads.count == 1)
        #expect(world.uploads.first?.request.timeout == .seconds(8))
        #expect(world.uploads.first?.request.wantsBody == true)
        // A hot start is none.
        world.take(at: KitWorld.day + 1)
        world.act(KitWorld.day + 2, .enterBackground)
        world.act(KitWorld.day * 2, .enterForeground)
        #expect(world.uploads.count == 1)
    }

    @Test(
        "success is 2xx, a type of JSON, and statusCode 200 in an object",
        arguments: [
            (200, "application/json", "{\"statusCode\":200}", true),
            (201, "text/json", "{\"statusCode\":\"200\"}", true),
            (200, "application/json; charset=utf-8", "{\"a\":1,\"statusCode\":200}", true),
            (200, "text/javascript", "{\"statusCode\":200}", true),
            (200, "application/json", "{\"statusCode\":200.0}", true),
            (200, "application/json", "{\"statusCode\":2e2}", true),
            (200, "application/json", "{\"statusCode\":200.5}", false),
            (200, "application/json", "{\"statusCode\":\"+200\"}", false),
            (200, "application/json", "{\"statusCode\":\"0200\"}", false),
            (200, "application/json", "{\"statusCode\":true}", false),
            (200, "text/html", "{\"statusCode\":200}", false),
            (200, "", "{\"statusCode\":200}", false),
            (200, "application/json", "{\"statusCode\":500}", false),
            (200, "application/json", "{}", false), (200, "application/json", "", false),
            (200, "application/json", "[200]", false), (200, "application/json", "{\"statusCode\":", false),
            (204, "application/json", "", false), (302, "application/json", "{\"statusCode\":200}", false),
            (400, "application/json", "{\"statusCode\":200}", false),
            (503, "application/json", "{\"statusCode\":200}", false),
        ] as [(UInt16, String, String, Bool)])
    func success(status: UInt16, type: String, body: String, isPositive: Bool) {
        let world = nextDay()
        let before = world.stored
        world.answer(body, status: status, type: type, at: KitWorld.day + 1)
        #expect(world.sequences(.delivered) == (isPositive ? [0, 1] : []))
        #expect(world.stored == (isPositive ? Array(before.dropFirst(2)) : before))
    }

    @Test("a failure keeps the files, and the next start sends them again, whatever the day")
    func retries() {
        let world = nextDay()
        world.fail(.timedOut, at: KitWorld.day + 8)
        world.act(KitWorld.day + 9, .kill)
        world.visit(KitWorld.day + 10)
        #expect(world.uploads.count == 2)
        #expect(world.uploads.last?.request.isRetry == true)
        world.take(at: KitWorld.day + 11)
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.fates[0]?.attempts == 2)
    }

    @Test("midnight between the archive and its answer costs the day that has just ended")
    func midnight() {
        let world = KitWorld()
        world.visit(10)
        world.act(20, .kill)
        let evening = KitWorld.midnight + KitWorld.day - 2
        world.visit(evening)
        world.act(evening + 1, .tap(screen: 0, control: 0))
        let written = world.device.nextSequence
        world.act(evening + 3, .tap(screen: 0, control: 0))
        world.take(at: evening + 4)
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.sequences(.lost(.clearedUnsent)) == Array(2..<written))
        #expect(world.stored == Array(written..<world.device.nextSequence))
        #expect(!world.stored.isEmpty)
    }

    @Test("the corrected SDK removes what the archive had, and nothing else")
    func sentOnly() {
        let world = KitWorld { $0.clear = .sentOnly }
        world.visit(10)
        world.act(20, .kill)
        let evening = KitWorld.midnight + KitWorld.day - 2
        world.visit(evening)
        world.act(evening + 3, .tap(screen: 0, control: 0))
        world.take(at: evening + 4)
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.sequences(.lost(.clearedUnsent)) == [])
        #expect(world.stored == Array(2..<world.device.nextSequence))
    }

    @Test("a kill loses nothing and cuts the upload; without a radio it ends at once")
    func kill() {
        let world = nextDay()
        world.act(KitWorld.day + 1, .kill)
        #expect(world.deaths == 2 && world.openUploads.isEmpty)
        #expect(world.fates.isEmpty)
        world.setNetwork(.none, at: KitWorld.day + 2)
        world.visit(KitWorld.day + 3)
        world.fail(.offline, at: KitWorld.day + 3)
        world.finish()
        #expect(world.fates.values.allSatisfy { $0.disposition == .pending(.stored) })
        #expect(world.fates[0]?.attempts == 1)
    }

    @Test("rows under way at the end are told apart from those in files")
    func finish() {
        let world = nextDay()
        world.finish()
        #expect(world.sequences(.pending(.inFlight)) == [0, 1])
        #expect(world.sequences(.pending(.stored)) == Array(2..<world.device.nextSequence))
    }

    @Test("events from before the run are yesterday's, so the first start sends them")
    func prefill() throws {
        let world = KitWorld { $0.storage.prefill = 5 }
        world.visit(10)
        #expect(world.uploads.count == 1)
        let log = try #require(try KitWorld.logs(world.uploads[0]).first)
        #expect(log.name.hasPrefix("2026-01-04"))
        #expect(log.lines.count == 6)
        world.take(at: 11)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4])
    }

    @Test("a day's first row fixes the version in the phone's line")
    func version() throws {
        var app = AppDescription.plainForTests
        app.versions = ["1.0", "2.0"]
        let world = KitWorld(app: app)
        world.visit(10)
        world.act(20, .kill, .updateApp(version: 1))
        world.visit(30)
        world.act(40, .kill)
        world.visit(KitWorld.day)
        world.act(KitWorld.day + 1, .kill)
        world.visit(KitWorld.day * 2)
        let logs = try KitWorld.logs(try #require(world.uploads.last))
        #expect(logs.map { $0.lines[0].hasSuffix(",1.0,1") } == [true, false])
        #expect(logs.map { $0.lines[0].hasSuffix(",2.0,2") } == [false, true])
    }
}
