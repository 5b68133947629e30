import Accounting
import AppModel
import SDKDescription
import Testing
import Timebase
import Wire
import World

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, events")
struct DeclaredEventTests {
    /// A description that uses every kind of template.
    private static let json = #"""
        {"consts": {"v": "1-0-0"}, "identity": {"prefix": "anon:", "session": {"id": "ms"}},
         "upload": {"flushBulkSize": 1},
         "request": {"path": "/in", "query": {"k": "{{apiKey}} x"}, "headers": {"X-App": "{{app.id|upper}}"},
                     "perEvent": {"at": "{{sent|s}}"},
                     "body": {"first": true, "events": "{{events}}", "last": "{{sent|iso}}"}},
         "events": {"tag": "/p/inner/bs_id", "key": ["/name", "/row", "/p/inner/n"],
          "common": {"user": "{{userId?}}", "name": "{{name}}", "row": "{{row}}", "t": "{{time|ms|text}}",
                     "p": {"jsonText": {"schema": "s/{{v}}", "inner": "{{properties}}"}},
                     "q": {"base64url": ["{{screen.name}}", null, 1.50]}},
          "screen": {"name": "Saw {{screen.name|upper}}", "properties": {"n": "\"a\"", "before": "{{screen.previous.name?}}"}}}}
        """#

    @Test("a body, byte by byte")
    func body() throws {
        let world = try DeclaredWorld(Self.json)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.answer(200, at: 1.5)
        world.act(2, .login(account: 1, signUp: false))
        world.act(2.25, .appear(screen: 1, referrer: 0))
        let start = ManualWorld.start.milliseconds
        let first = try #require(world.uploads.first)
        #expect(first.head.path == "/in?k=key%20x")
        #expect(first.head.headerLines == "X-App: CN.EXAMPLE.SHOP\r\n")
        // ["home",null,1.50] and ["page",null,1.50] in base64.
        #expect(
            first.text == """
                {"first":true,"events":[{"name":"Saw HOME","row":1,"t":"\(start + 1000)",\
                "p":"{\\"schema\\":\\"s/1-0-0\\",\\"inner\\":{\\"n\\":\\"\\\\\\"a\\\\\\"\\",\\"bs_id\\":\\"17-0\\"}}",\
                "q":"WyJob21lIixudWxsLDEuNTBd","at":\(start / 1000 + 1)}],"last":"\(Self.iso(start + 1000))"}
                """)
        let second = try world.json(1)["events"]?.elements?.first
        #expect(second?["user"]?.string?.hasPrefix("user-") == true)
        let text = try #require(second?["p"]?.string)
        let inner = try JSONReader.readStrictly(Array(text.utf8))["inner"]
        #expect(inner?.compactText == #"{"n": "\"a\"", "before": "home", "bs_id": "17-1"}"#)
    }

    /// By the formula for the time of a day, apart from the encoder's.
    private static func iso(_ milliseconds: Int64) -> String {
        let text = Instant(nanoseconds: milliseconds * 1_000_000).text
        return text.contains(".") ? text : text.replacing("Z", with: ".000Z")
    }

    @Test("every event knows the screen before its own, from the second screen of a process on")
    func previousScreen() throws {
        let world = try DeclaredWorld(
            #"""
            {"upload": {"flushBulkSize": 7},
             "events": {"tag": "/bs_id",
                        "common": {"n": "{{name}}", "s": "{{screen.name}}", "p": "{{screen.previous.name}}",
                                   "b": "{{screen.previous.name?|upper}}"},
                        "screen": {"name": "s", "before": ["screenEnd"]}, "screenEnd": {"name": "e"},
                        "tap": {"name": "t"}, "business": {"name": "{{event}}"}}}
            """#)
        world.startApp()
        world.track(1)
        world.act(2, .appear(screen: 0, referrer: nil), .tap(screen: 0, control: 0))
        world.act(3, .appear(screen: 1, referrer: 0), .tap(screen: 1, control: 0))
        world.track(4)
        let events = try #require(try world.json(0).elements)
        let buy = world.system.plan.app.events[Int(AppDescription.buy)].name
        #expect(events.compactMap { $0["n"]?.string } == [buy, "s", "t", "e", "s", "t", buy])
        #expect(events.map { $0["s"]?.string } == [nil, "home", "home", "home", "page", "page", "page"])
        #expect(events.map { $0["p"]?.string } == [nil, nil, nil, nil, "home", "home", "home"])
        #expect(events.map { $0["b"]?.string } == [nil, nil, nil, nil, "HOME", "HOME", "HOME"])
    }

    @Test("an event without the harness's id is known by its key's parts")
    func naturalKey() throws {
        let world = try DeclaredWorld(Self.json, tagged: false)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.answer(200, at: 1.5)
        let sealed = try #require(world.fates[0])
        let expected = Array("declared\u{1F}Saw HOME\u{1F}1\u{1F}".utf8) + Array("\"a\"".utf8)
        // The last part is in JSON that is written as a text.
        let hash = expected.withUnsafeBytes { Hash128($0) }
        #expect(sealed.naturalKey?.high == hash.high && sealed.naturalKey?.low == hash.low)
    }

    @Test("properties of the app's are merged, and those of the envelope win")
    func merging() throws {
        let world = try DeclaredWorld(
            #"{"preset": "posthog-ios", "upload": {"flushBulkSize": 3}}"#)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        let events = try #require(try world.json(0)["batch"]?.elements)
        #expect(
            events.compactMap { $0["event"]?.string } == [
                "Application Installed", "Application Opened", "$screen",
            ])
        #expect(events[1]["properties"]?["from_background"]?.content == .bool(false))
        #expect(events[2]["properties"]?["$screen_name"]?.string == "home")
        #expect(events[0]["properties"]?["$screen_name"] == nil)
        let ids = Set(events.compactMap { $0["uuid"]?.string })
        #expect(ids.count == 3 && ids.allSatisfy { $0.count == 36 && $0.dropFirst(14).first == "7" })
    }

    @Test("Segment: a return is an app that is opened anew and one that comes to the foreground")
    func segmentReturn() throws {
        let world = try DeclaredWorld(
            """
            {
                "preset": "segment-ios", "config": [],
                "upload": {"flushBulkSize": 3, "flushInterval": "none", "timerRuns": null}
            }
            """)
        world.startApp()
        #expect(world.counts == [])
        world.act(10, .enterBackground)
        #expect(world.counts == [3])
        world.answer(200, at: 11)
        world.act(20, .enterForeground)
        #expect(world.counts == [3])
        world.act(30, .enterBackground)
        let events = try #require(try world.json(1)["batch"]?.elements)
        #expect(
            events.compactMap { $0["event"]?.string } == [
                "Application Opened", "Application Foregrounded", "Application Backgrounded",
            ])
        #expect(events[0]["properties"]?["from_background"]?.content == .bool(true))
        #expect(events[0]["properties"]?["version"]?.string != nil)
    }

    @Test("Mixpanel: a login tells the distinct_id of the events before it")
    func mixpanelLogin() throws {
        let world = try DeclaredWorld(#"{"preset": "mixpanel-ios"}"#)
        world.startApp()
        world.track(1)
        world.act(2, .login(account: 1, signUp: false))
        world.act(3, .enterBackground)
        let events = try #require(try world.json(0).elements)
        #expect(events.compactMap { $0["event"]?.string }.last == "$identify")
        let before = try #require(events.first?["properties"]?["distinct_id"]?.string)
        let login = try #require(events.last?["properties"])
        #expect(before.hasPrefix("$device:") && login["$anon_distinct_id"]?.string == before)
        #expect(login["distinct_id"]?.string?.hasPrefix("user-") == true)
        #expect(login["$had_persisted_distinct_id"]?.content == .bool(true))
    }

    @Test(
        "a session ends after the time without events, or with the process; its end is told when the next one begins"
    )
    func sessions() throws {
        let world = try DeclaredWorld(
            #"""
            {"identity": {"session": {"id": "ms", "idle": "30m"}}, "upload": {"flushInterval": "none"},
             "events": {"key": ["/i"], "common": {"i": "{{row}}", "s": "{{session.id}}", "n": "{{session.index}}",
              "e": "{{session.eventIndex}}", "before": "{{session.previous.id}}"},
              "screen": {"name": "s"}, "sessionStart": {"name": "start"}, "sessionEnd": {"name": "end"}}}
            """#, tagged: false)
        world.startApp()
        for second in [10.0, 1700, 3600] { world.act(second, .appear(screen: 0, referrer: nil)) }
        world.act(3700, .kill)
        world.act(3800, .launch(passive: false))
        let names = world.device.allRows.map { world.system.labels[Int($0.template)].name }
        #expect(names == ["start", "s", "s", "end", "start", "s", "end", "start"])
        #expect(
            world.device.allRows.map { world.device.epochs[$0.epoch].session } == [1, 1, 1, 1, 2, 2, 2, 3])
    }

    @Test(
        "a device is told by its id as it stands in events: with the prefix where nothing has it without",
        arguments: [
            (#""who": "{{distinctId}}""#, "who"), (#""who": "{{distinctId|lower}}""#, "who"),
            (#""who": "{{distinctId}}", "id": "{{anonymousId}}""#, "id"),
        ])
    func identity(fields: String, place: String) throws {
        let world = try DeclaredWorld(
            """
            {"identity": {"prefix": "Device:"}, "upload": {"flushBulkSize": 1},
             "events": {"tag": "/bs_id", "common": {\(fields)}, "screen": {"name": "s"}}}
            """)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        let plan = world.system.plan
        let told = try #require(plan.system.identity(ofDevice: 0, in: plan).anonymousID)
        let event = try #require(try world.json(0).elements?.first)
        #expect(told == event[place]?.string)
        #expect(event["who"]?.string?.lowercased().hasPrefix("device:") == true)
    }

    @Test("an id that begins with its time is as old as its device, and datasets tell the same")
    func ages() throws {
        let world = try DeclaredWorld(
            """
            {"identity": {"anonymous": "uuid7"},
             "events": {"tag": "/bs_id", "common": {"who": "{{anonymousId}}"}, "screen": {"name": "s"}}}
            """)
        var plan = world.system.plan
        let rules = try #require(plan.system as? DeclaredRules)
        plan.deviceCount = 4
        plan.arrival = ArrivalSchedule(over: .seconds(40))
        let system = DeclaredSystem(plan: plan, rules: rules)
        for (index, second) in [Int64(0), 10, 20].enumerated() {
            let appeared = plan.start + .seconds(second)
            let device = system.makeDevice(index: index, slot: UInt32(index), number: UInt32(index))
            #expect(device.epochs.current.anonymousSince == appeared)
            let id = try #require(rules.identity(ofDevice: index, in: plan).anonymousID)
            let digits = String((appeared + plan.clockSkew(index: index)).milliseconds, radix: 16)
            #expect(id.filter { $0 != "-" }.hasPrefix("0" + digits))
        }
    }

    @Test("the first session of each installation has none before it")
    func firstSessions() throws {
        let world = try DeclaredWorld(
            #"""
            {"identity": {"session": {"id": "ms"}}, "upload": {"flushBulkSize": 1, "flushInterval": "none"},
             "events": {"tag": "/bs_id", "common": {"s": "{{session.id}}", "before": "{{session.previous.id}}",
              "old": "{{session.previous.id?}}"}, "screen": {"name": "s"}}}
            """#)
        var sessions: [(own: String?, before: String?)] = []
        for (number, start) in [0.0, 10, 20, 30].enumerated() {
            world.act(start, .launch(passive: false), .enterForeground)
            world.act(start + 1, .appear(screen: 0, referrer: nil))
            world.answer(200, at: start + 2)
            let event = try #require(try world.json(number).elements?.first)
            sessions.append((event["s"]?.string, event["before"]?.string))
            #expect((event["old"] == nil) == (event["before"]?.content == .null))
            if number == 1 { world.uninstall(at: start + 3) }
        }
        #expect(sessions.map { $0.before } == [nil, sessions[0].own, nil, sessions[2].own])
        #expect(Set(sessions.map { $0.own }).count == 4)
    }

    @Test("a session that is called by its second has eight digits of chance behind it, other ones each time")
    func sessionsBySecond() throws {
        let world = try DeclaredWorld(
            #"""
            {"identity": {"session": {"id": "secondsRandom8"}}, "upload": {"flushBulkSize": 4},
             "events": {"tag": "/bs_id", "common": {"s": "{{session.id}}"}, "screen": {"name": "s"}},
             "storage": {"backend": "sqlite"}}
            """#)
        world.startApp()
        for second in [0.5, 1] { world.act(second, .appear(screen: 0, referrer: nil)) }
        world.act(2, .kill)
        world.act(2, .launch(passive: false), .enterForeground)
        for second in [2.5, 3] { world.act(second, .appear(screen: 0, referrer: nil)) }
        let events = try #require(try world.json(0).elements)
        let ids = events.compactMap { $0["s"]?.string.flatMap { Int64($0) } }
        #expect(ids.count == 4 && ids[0] == ids[1] && ids[2] == ids[3])
        let start = ManualWorld.start.milliseconds / 1000
        #expect(ids.map { $0 / 100_000_000 } == [start, start, start + 2, start + 2])
        #expect(ids[0] % 100_000_000 != ids[2] % 100_000_000)
    }
}
