import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("Codeless SDK, configuration")
struct CodelessConfigTests {
    private static let buttonPath = "HomeViewController-UIView-UIButton & 0-0-0"

    private func entry(
        _ viewPath: String, event: String = "ButtonClick", keyPath: String = "product.price",
        keyName: String = "price", appKey: String = "key 1", appVersion: String = "1.0.0"
    ) -> String {
        #"{"appKey":"\#(appKey)","appVersion":"\#(appVersion)","viewEvent":"\#(event)","#
            + #""viewPath":"\#(viewPath)","keyPath":"\#(keyPath)","keyName":"\#(keyName)"}"#
    }

    /// An app whose button buys something, under a configuration.
    private func world(answer: String, status: UInt16 = 200) -> CodelessWorld {
        var app = AppDescription.codelessForTests
        app.events[0].properties = [
            PropertyRule("name", .constant(.string("pen"))), PropertyRule("price", .constant(.number(9.5))),
        ]
        let world = CodelessWorld(app: app) {
            $0.remoteConfig.enabled = true
            $0.upload.flushBulkSize = 1
        }
        world.startApp()
        world.answerFetch(status, answer, at: 0.5)
        return world
    }

    private func business(_ world: CodelessWorld, control: UInt16 = 0) -> [String: String] {
        world.act(1, .tap(screen: 0, control: control))
        return world.uploads.last.map { CodelessBatch($0.body).events[0].business } ?? ["": "nothing sent"]
    }

    @Test("fetched once at each cold start, for the app's key and version")
    func fetch() {
        let world = world(answer: "[]")
        #expect(world.fetches.map(\.head.path) == ["/codeless/v1/config?appKey=key%201&appVersion=1.0.0"])
        #expect(world.fetches[0].head.method == .get)
        #expect(world.fetches[0].body.isEmpty)
        #expect(world.fetches[0].request.wantsBody)
        world.act(2, .enterBackground)
        world.act(300, .enterForeground)
        #expect(world.fetches.count == 1)
        world.act(400, .kill)
        world.act(401, .updateApp(version: 1), .launch(passive: true))
        #expect(world.fetches.count == 2)
        #expect(world.fetches[1].head.path.hasSuffix("appVersion=1.1.0"))
    }

    @Test("an entry adds the value at its key path to the events of its view")
    func match() {
        let entries = [entry(Self.buttonPath), entry(Self.buttonPath, keyPath: "title", keyName: "label")]
        let world = world(answer: "[\(entries.joined(separator: ","))]")
        #expect(business(world) == ["price": "9.5", "label": "Buy"])
        #expect(business(world, control: AppDescription.gesture) == [:])
    }

    @Test("an entry concerns no other event, path, version or app")
    func noMatch() {
        let others = [
            entry("HomeViewController-UIView-UIButton & 0-0-1"), entry(Self.buttonPath, event: "ViewTap"),
            entry(Self.buttonPath, appKey: "other"), entry(Self.buttonPath, appVersion: "1.1.0"),
            entry(Self.buttonPath, keyPath: "product.weight"),
        ]
        #expect(business(world(answer: "[\(others.joined(separator: ","))]")) == [:])
    }

    @Test("an entry may name one row of a list, or all of them")
    func rows() throws {
        let app = AppDescription.codelessForTests
        let views = AppViews(app: app)
        let path = views.tree(of: 0).viewPath(to: views.tree(of: 0).controls[Int(AppDescription.row)])
        let every = world(
            answer:
                "[\(entry(path.head + "*" + path.tail, event: "ListItemClick", keyPath: "text", keyName: "t"))]"
        )
        #expect(business(every, control: AppDescription.row).keys.contains("t"))
        let rows = (0..<5).map { row in
            entry(
                path.text(row: UInt16(row)), event: "ListItemClick", keyPath: "text", keyName: "row\(row)")
        }
        let one = world(answer: "[\(rows.joined(separator: ","))]")
        one.act(1, .tap(screen: 0, control: AppDescription.row))
        let event = try #require(one.uploads.last.map { CodelessBatch($0.body).events[0] })
        let row = try #require(event.indexPath.split(separator: ":").last)
        #expect(Array(event.business.keys) == ["row\(row)"])
    }

    @Test(
        "anything but an array with 2xx leaves the process without a configuration",
        arguments: [("{}", 200), ("", 200), ("<html>", 200), ("ARRAY", 404), ("ARRAY", 500)]
            as [(String, UInt16)])
    func useless(body: String, status: UInt16) {
        let answer = body == "ARRAY" ? "[\(entry(Self.buttonPath))]" : body
        let world = world(answer: answer, status: status)
        #expect(business(world) == [:])
        #expect(world.fetches.count == 1)
    }

    @Test("entries that lack a text are left out, the others count")
    func partial() {
        let world = world(answer: #"[{"appKey":"key 1"},7,\#(entry(Self.buttonPath))]"#)
        #expect(business(world) == ["price": "9.5"])
    }

    @Test("an event keeps the business data of its capture, whatever is in force when it is sent")
    func captureTime() {
        let world = world(answer: "[\(entry(Self.buttonPath))]")
        world.tap(1)
        world.act(2, .crash(reason: 0))
        world.act(3, .launch(passive: false), .enterForeground)
        world.answerFetch(404, at: 4)
        world.tap(5)
        #expect(CodelessBatch(world.uploads[1].body).events[0].business == ["price": "9.5"])
        #expect(CodelessBatch(world.uploads[2].body).events[0].business == [:])
    }

    @Test("a fetch that ends after its process changes nothing")
    func lateAnswer() {
        let world = CodelessWorld { $0.remoteConfig.enabled = true }
        world.startApp()
        world.act(1, .kill)
        #expect(world.open.isEmpty)
        #expect(world.device.fetch == nil)
    }
}
