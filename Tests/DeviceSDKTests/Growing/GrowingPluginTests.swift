import Accounting
import AppModel
import Synchronization
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, services, modules, interceptors")
struct GrowingPluginTests {
    /// An encryption of an app's own (the published text's `CustomEncryptionClass`): adds the factor and the
    /// place to every byte.
    struct Shifting: GrowingEncryptionService {
        var codec: String? { "1" }

        func encryptEventData(_ data: inout WireBuffer, factor: UInt8) {
            let coded = data.bytes.enumerated().map { $1 &+ factor &+ UInt8(truncatingIfNeeded: $0) }
            data.removeAll()
            data.append(contentsOf: coded)
        }

        func encryptLocalData(_ data: [UInt8]) -> [UInt8] { data.reversed() }
        func decryptLocalData(_ data: [UInt8]) -> [UInt8] { data.reversed() }

        static func decode(_ factor: UInt8) -> ([UInt8]) -> [UInt8] {
            { $0.enumerated().map { $1 &- factor &- UInt8(truncatingIfNeeded: $0) } }
        }
    }

    @Test("an encryption of one's own is what goes over the wire, and what local files are written with")
    func encryption() throws {
        var services = GrowingServices(rules: GrowingRules(version: .document))
        services.compression = GrowingLZ4()
        services.encryption = Shifting()
        let world = GrowingWorld(.document, network: .cellular4G, services: services)
        world.act(0.077, .launch(passive: false))
        let (head, body) = world.encode(world.open[0])
        // Under XOR it is nothing at all, or nothing that is JSON.
        #expect((try? GrowingBody(head, body).events()) == nil)
        let read = try GrowingBody(head, body, key: Shifting.decode)
        #expect(try read.events().first?["eventType"] == "VISIT")
        world.answer(200, at: 1)
        #expect(
            String(decoding: world.device.trafficFile.reversed(), as: UTF8.self) == "\(body.count)/2026-01-05"
        )
    }

    struct Branded: GrowingNetworkService {
        var timeout: Interval? { .seconds(7) }
        func prepare(_ head: inout RequestHead) {
            head.path = "/proxy" + head.path
            head.headerLines += "X-Brand: shop\r\n"
        }
    }

    @Test("a network service of one's own has the last word on requests")
    func network() {
        var services = GrowingServices(rules: GrowingRules(version: .v3))
        services.network = Branded()
        let world = GrowingWorld(.v3, services: services)
        world.act(0, .launch(passive: false))
        #expect(world.open.first?.timeout == .seconds(7))
        let head = world.encode(world.open[0]).head
        #expect(head.path.hasPrefix("/proxy/v3/projects/acc-1/collect?stm="))
        #expect(head.headerLines.hasSuffix("X-Brand: shop\r\n"))
    }

    @Test("shells bring their modules; those without a wire do nothing")
    func modules() {
        var rules = GrowingRules(version: .v3)
        #expect(rules.activeModules == [.hybrid, .mobileDebugger, .webCircle])
        rules.shell = .tracker
        #expect(rules.activeModules == [.mobileDebugger])
        rules.modules.added = [.hybrid]
        rules.modules.removed = [.mobileDebugger]
        #expect(rules.activeModules == [.hybrid])
        #expect(GrowingRules.Module.allCases.filter(\.isSimulated) == [.hybrid])
    }

    /// Counts what it is called for, and changes what it is handed.
    final class Watching: GrowingInterceptor, GrowingModule {
        let log = Mutex<[String]>([])
        let name: String
        init(_ name: String) { self.name = name }

        func initialize(_ context: inout GrowingContext) {
            log.withLock { $0.append("init") }
            context.addInterceptor(self)
        }

        func channels(_ channels: inout [GrowingChannel]) {
            log.withLock { $0.append("channels \(channels.count)") }
        }

        func eventTriggered(_ event: GrowingTriggeredEvent) -> GrowingVerdict {
            log.withLock { $0.append("triggered \(event.type)") }
            return .keep
        }

        func eventWillBuild(_ builder: inout GrowingEventBuilder) -> GrowingVerdict {
            log.withLock { $0.append("willBuild \(builder.event.type)") }
            let before = builder["attributes.chain"]
            if case .text(let text)? = before {
                builder["attributes.chain"] = .text(text + name)
            } else {
                builder["attributes.chain"] = .text(name)
            }
            return .keep
        }

        func eventDidBuild(_ event: inout GrowingEventBuilder) -> GrowingVerdict {
            log.withLock { $0.append("didBuild \(event.event.type)") }
            return .keep
        }

        func requestTemplate(for channel: GrowingChannel) -> String? {
            log.withLock { $0.append("request \(channel.types.first ?? "rest")") }
            return nil
        }
    }

    @Test("a module is initialized once and then called back in the text's order")
    func callbacks() {
        let module = Watching("a")
        let world = GrowingWorld(.document, modules: [module])
        world.act(0, .launch(passive: false))
        _ = world.encode(world.open[0])
        let log = module.log.withLock { $0 }
        #expect(
            Array(log.prefix(5)) == [
                "init", "channels 2", "triggered VISIT", "willBuild VISIT", "didBuild VISIT",
            ])
        #expect(log.contains("request VISIT"))
        // 4.x has no callbacks for channels and requests.
        let other = Watching("b")
        let new = GrowingWorld(.v4, modules: [other])
        new.act(0, .launch(passive: false))
        _ = new.encode(new.open[0])
        #expect(!other.log.withLock { $0 }.contains { $0.hasPrefix("channels") || $0.hasPrefix("request") })
    }

    @Test("the order among interceptors is another in each process, and the same for each encoding")
    func order() {
        let world = GrowingWorld(.v3, network: .none, modules: [Watching("a"), Watching("b"), Watching("c")])
        for process in 0..<12 {
            world.act(Double(process), .launch(passive: false), .kill)
        }
        let chains = world.encodedEvents().compactMap { text -> String? in
            guard let range = text.firstRange(of: "\"chain\":\"") else { return nil }
            return String(text[range.upperBound...].prefix(3))
        }
        #expect(chains.count == 12)
        #expect(chains.allSatisfy { Set($0).count == 3 })
        #expect(Set(chains).count > 2)
        #expect(world.encodedEvents() == world.encodedEvents())
    }

    @Test(
        "interceptors of a scenario set and remove fields, and drop events with and without a gap in the ids")
    func rules() {
        func rule(
            _ callback: GrowingInterceptorRule.Callback, _ change: (inout GrowingInterceptorRule) -> Void
        )
            -> GrowingInterceptorRule
        {
            var rule = GrowingInterceptorRule(name: "r", callback: callback)
            change(&rule)
            return rule
        }
        let world = GrowingWorld(.v3) {
            $0.interceptors = [
                rule(.eventWillBuild) {
                    $0.types = ["CUSTOM"]
                    $0.sets = [.init("attributes.env", "test"), .init("appVersion", "9/9")]
                    $0.removes = ["language", "attributes.sku"]
                },
                rule(.eventTriggered) {
                    $0.types = ["VIEW_CLICK"]
                    $0.dropsEvent = true
                },
                rule(.eventDidBuild) {
                    $0.eventNames = ["WatchVideo"]
                    $0.dropsEvent = true
                },
            ]
        }
        world.startApp()
        world.tap(1, count: 2)
        world.track(2)
        world.act(3, .business(event: 1, subject: 0))
        world.track(4)
        #expect(world.types(.suppressed(.intercepted)) == ["VIEW_CLICK", "VIEW_CLICK", "CUSTOM"])
        let texts = world.encodedEvents()
        #expect(texts.map { GrowingSessionTests.number("globalSequenceId", $0) } == [2, 4])
        for text in texts {
            #expect(text.contains(#""env":"test""#) && text.contains(#""appVersion":"9\/9""#))
            #expect(!text.contains("\"language\"") && !text.contains("sku"))
            #expect(text.contains(#""bs_id":"17-"#) && text.contains(#""price":"9.5""#))
        }
    }

    @Test("a share of the events, drawn by seed")
    func share() {
        let world = GrowingWorld(.v4) {
            var rule = GrowingInterceptorRule(name: "some", callback: .eventDidBuild)
            rule.share = 0.25
            rule.dropsEvent = true
            rule.types = ["CUSTOM"]
            $0.interceptors = [rule]
        }
        world.startApp()
        world.track(1, count: 400)
        let dropped = world.sequences(.suppressed(.intercepted)).count
        #expect((60...140).contains(dropped))
        #expect(world.device.storedCount == 400 - dropped)
    }

    /// What interceptors copied.
    final class Copies: GrowingEventCopySink {
        let lines = Mutex<[String]>([])
        func copy(_ event: UnsafeRawBufferPointer, to name: String) {
            lines.withLock { $0.append(name + " " + String(decoding: event, as: UTF8.self)) }
        }
    }

    @Test("example 3.1: an interceptor keeps a copy of every event that was built")
    func copies() {
        let sink = Copies()
        let world = GrowingWorld(.document, copies: sink) {
            var rule = GrowingInterceptorRule(name: "own database", callback: .eventDidBuild)
            rule.copyTo = "own"
            $0.interceptors = [rule]
        }
        world.startApp()
        world.track(1, count: 2)
        let lines = sink.lines.withLock { $0 }
        #expect(lines.count == 3 && lines[0].hasPrefix("own {") && lines[0].contains("VISIT"))
        #expect(Array(lines.dropFirst()) == world.encodedEvents().map { "own " + $0 })
    }

    @Test("the table of hooks tells what each version hooks")
    func hooks() {
        let old = GrowingHooks.table(GrowingRules(version: .v3))
        #expect(old.contains(.viewDidAppear) && old.contains(.sendAction) && old.contains(.gesture))
        #expect(!old.contains(.viewWillAppear) && !old.contains(.setSelectedViewController))
        #expect(old.markdown.contains("| `viewDidAppear:` | UIViewController |"))
        var tracker = GrowingRules(version: .v4)
        tracker.shell = .tracker
        let table = GrowingHooks.table(tracker)
        #expect(table.contains(.didEnterBackground) && !table.contains(.viewDidAppear))
    }

    @Test(
        "the end of an input is a change: of text fields, and of text views in 4.x, which 3.x hears nothing of",
        arguments: GrowingRules.Version.allCases)
    func inputs(version: GrowingRules.Version) {
        var app = AppDescription.forGrowing
        app.screens[0].controls = ["UITextField", "UISearchBar", "Shop.NoteTextView"].map {
            Control(className: $0, action: "edit:", target: "HomeViewController", label: "Note")
        }
        let world = GrowingWorld(version, app: app)
        world.startApp()
        for control in [0, 1, 2] as [UInt16] { world.act(1, .tap(screen: 0, control: control)) }
        let events = world.encodedEvents()
        #expect(events.count == (version == .v4 ? 3 : 2))
        #expect(events.allSatisfy { $0.contains("VIEW_CHANGE") })
    }
}
