import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, what an answer means")
struct AnswerTests {
    static let statuses: [UInt16] = [200, 204, 302, 400, 403, 404, 413, 429, 500, 503]

    @Test("1.10.17 deletes below 300 and keeps everything else", arguments: statuses)
    func earlyStatuses(status: UInt16) {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        world.answer(status, at: 15.5)
        #expect(world.fate(0) == (status < 300 ? .delivered : nil))
        #expect(world.stored == (status < 300 ? [] : [0]))
        world.finish()
        #expect(world.fate(0) == (status < 300 ? .delivered : .pending(.stored)))
    }

    @Test("4.9.1 keeps on 5xx, 403 and 404 and deletes on every other answer", arguments: statuses)
    func recentStatuses(status: UInt16) {
        let world = ManualWorld(.v4)
        world.act(0, .launch(passive: false), .enterForeground)
        world.answer(status, at: 0.5)
        let isKept = [403, 404, 500, 503].contains(status)
        #expect(world.stored == (isKept ? [0] : []))
        let fate: Disposition = status < 300 ? .delivered : .rejected(status: status)
        #expect(world.fate(0) == (isKept ? nil : fate))
    }

    @Test("in debug mode every answer deletes", arguments: [SensorsRules.Version.v1, .v4], statuses)
    func debugStatuses(version: SensorsRules.Version, status: UInt16) {
        let world = ManualWorld(version) { $0.debugMode = .debugAndTrack }
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploadedSequences == [[0]])
        world.answer(status, at: 0.5)
        #expect(world.fate(0) == (status < 300 ? .delivered : .rejected(status: status)))
        #expect(world.stored.isEmpty)
    }

    @Test("in debug mode a failure of the transport keeps the row")
    func debugFailure() {
        let world = ManualWorld(.v1) { $0.debugMode = .debugOnly }
        world.act(0, .launch(passive: false), .enterForeground)
        world.fail(.refused, at: 1)
        #expect(world.stored == [0])
        world.track(2)
        #expect(world.uploadedSequences == [[0], [0]])
        world.answer(200, at: 3)
        #expect(world.uploadedSequences == [[0], [0], [1]])
    }

    @Test("debug mode sends one event a request, in turn", arguments: [SensorsRules.Version.v1, .v4])
    func debugQueue(version: SensorsRules.Version) {
        let world = ManualWorld(version) { $0.debugMode = .debugAndTrack }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 2)
        #expect(world.uploadedSequences == [[0]])
        #expect(world.stored == [0])
        for moment in 2...4 { world.answer(200, at: Double(moment)) }
        #expect(world.uploadedSequences == [[0], [1], [2]])
        #expect(world.open.isEmpty)
    }

    @Test("a list of kept statuses replaces the version's rule")
    func listedStatuses() {
        for (status, isKept) in [(UInt16(503), true), (500, false)] {
            let world = ManualWorld(.v1) { $0.upload.keeps = .listed([503]) }
            world.startApp()
            world.run(to: 15)
            world.answer(status, at: 16)
            #expect(world.stored == (isKept ? [0] : []))
            #expect(world.fate(0) == (isKept ? nil : .rejected(status: status)))
        }
    }

    @Test("heads: path, debug path, dry run, cookie, headers of the scenario")
    func heads() {
        let plain = ManualWorld(.v4) { $0.cookie = "a=1" }
        plain.act(0, .launch(passive: false))
        let head = plain.encode(plain.open[0]).head
        #expect(head.method == .post)
        #expect(head.path == "/sa?project=shop")
        #expect(
            head.headerLines == """
                User-Agent: SensorsAnalytics iOS SDK\r
                Content-Type: application/x-www-form-urlencoded\r
                Cookie: a=1\r
                X-Env: test\r

                """)
        let debug = ManualWorld(.v4) { $0.debugMode = .debugOnly }
        debug.act(0, .launch(passive: false))
        let other = debug.encode(debug.open[0])
        #expect(other.head.path == "/debug?project=shop")
        #expect(other.head.headerLines.contains("Dry-Run: true\r\n"))
        #expect(other.body.hasPrefix("crc="))
        let text = ManualWorld(.document) { $0.debugMode = .debugAndTrack }
        text.act(0, .launch(passive: false))
        let added = text.encode(text.open[0]).head
        #expect(added.path == "/sa/debug?project=shop")
        #expect(!added.headerLines.contains("Dry-Run"))
    }
}
