import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, channels and own events")
struct GrowingChannelTests {
    private static func advertising(_ rules: inout GrowingRules) {
        rules.channels = [
            GrowingChannel(types: ["vst"], template: "v3/%@/ios/pv?stm=%llu", isCustom: false),
            GrowingChannel(types: ["reengage", "activate"], template: "app/%@/ios/ctvt", isCustom: false),
        ]
        var activate = GrowingOwnEvent(type: "activate", base: .base, moment: .firstLaunch)
        activate.extra = [.init("rngg_mch", "url_scheme")]
        rules.events = [
            GrowingOwnEvent(type: "vst", base: .visit, moment: .visit), activate,
            GrowingOwnEvent(type: "reengage", base: .base, moment: .foreground),
        ]
    }

    private func bodies(_ world: GrowingWorld) throws -> [(RequestHead, GrowingBody)] {
        try world.open.map { request in
            let (head, body) = world.encode(request)
            return (head, try GrowingBody(head, body))
        }
    }

    @Test("example 3.2: own events through own channels, in the second protocol's form")
    func ownChannels() throws {
        // Built with the flag that makes bodies plain in the text: the second protocol's are coded all the same.
        let world = GrowingWorld(.document) {
            Self.advertising(&$0)
            $0.buildFlags = [.encryption]
        }
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploads.map(\.channel) == [0, 2, 3])
        let bodies = try bodies(world)
        #expect(
            bodies.map(\.0.path) == [
                "/v3/projects/acc-1/collect?stm=1767571200000", "/v3/acc-1/ios/pv?stm=1767571200000",
                "/app/acc-1/ios/ctvt?stm=1767571200000",
            ])
        let visit = try #require(try bodies[1].1.events().first)
        #expect(visit["t"] == "vst" && visit["tm"] == "1767571200000" && visit["d"] == "cn.example.shop")
        #expect(visit["gesid"] == "2" && visit["esid"] == "1" && visit["attributes.bs_id"] == "17-1")
        #expect(
            visit["s"]?.count == 36 && visit["os"] == "iOS" && visit["av"] == "3.2.1"
                && visit["cv"] == "1.0.0")
        let activate = try #require(try bodies[2].1.events().first)
        #expect(activate["t"] == "activate" && activate["rngg_mch"] == "url_scheme" && activate["os"] == nil)
        for (head, body) in bodies.dropFirst() {
            #expect(body.headers["Content-Type"] == "application/octet-stream")
            #expect(body.headers["X-Compress-Codec"] == "3" && body.headers["X-Crypt-Codec"] == "1")
            #expect(head.method == .post)
        }
        #expect(bodies[0].1.headers["X-Compress-Codec"] == nil)
        // Only the first start activates; coming back engages anew.
        world.answerAll(200, at: 1)
        world.act(2, .enterBackground)
        world.act(3, .enterForeground)
        #expect(world.uploads.last?.channel == 3)
        world.finish()
        #expect(world.types(.delivered) == ["VISIT", "vst", "activate"])
    }

    @Test(
        "every channel's answers go through the event manager: 200 to 299 delete, all else keeps",
        arguments: [GrowingRules.Version.v3, .document])
    func answers(version: GrowingRules.Version) {
        for status in [199, 200, 204, 299, 300, 302, 400, 413, 429, 500, 503] as [UInt16] {
            let world = GrowingWorld(version, Self.advertising)
            world.act(0, .launch(passive: false), .enterForeground)
            for channel in [0, 2, 3] { world.answer(status, at: 1, channel: channel) }
            let isSuccess = (200...299).contains(status)
            #expect(
                world.types(.delivered) == (isSuccess ? ["VISIT", "vst", "activate"] : []), "\(status)")
            #expect(world.fates.count == (isSuccess ? 3 : 0), "\(status)")
            // The next tick tries each again.
            world.run(to: 5)
            #expect(world.uploads.dropFirst(3).map(\.channel) == (isSuccess ? [] : [0, 2, 3]), "\(status)")
        }
    }

    @Test("3.2.1 does not send to a channel's template: its own requests, in its own form, to its own path")
    func unusedTemplates() throws {
        let world = GrowingWorld(.v3, Self.advertising)
        world.act(0, .launch(passive: false), .enterForeground)
        #expect(world.uploads.map(\.channel) == [0, 2, 3])
        for (head, body) in try bodies(world) {
            #expect(head.path == "/v3/projects/acc-1/collect?stm=1767571200000")
            #expect(body.headers["Content-Type"] == "application/json")
            #expect(body.headers["X-Compress-Codec"] == nil && body.headers["X-Crypt-Codec"] == nil)
        }
        let activate = try #require(try bodies(world).last?.1.events().first)
        #expect(activate["eventType"] == "activate" && activate["rngg_mch"] == "url_scheme")
        #expect(activate["t"] == nil && activate["deviceId"]?.count == 36)
        #expect(
            world.system.rules.uploadPaths(of: world.system.plan.target) == ["/v3/projects/acc-1/collect"])
    }

    @Test("a module of 3.2.1 that makes requests of its own sends them as the advertising module does")
    func ownRequests() throws {
        let world = GrowingWorld(.v3) {
            Self.advertising(&$0)
            $0.channels[0].dialect = .v2
        }
        world.act(0, .launch(passive: false), .enterForeground)
        let bodies = try bodies(world)
        #expect(
            bodies.map(\.0.path) == [
                "/v3/projects/acc-1/collect?stm=1767571200000", "/v3/acc-1/ios/pv?stm=1767571200000",
                "/v3/projects/acc-1/collect?stm=1767571200000",
            ])
        #expect(bodies.map { $0.1.headers["X-Crypt-Codec"] } == [nil, "1", nil])
        #expect(try bodies[1].1.events().first?["t"] == "vst")
        #expect(try bodies[2].1.events().first?["eventType"] == "activate")
        #expect(
            world.system.rules.uploadPaths(of: world.system.plan.target) == [
                "/v3/projects/acc-1/collect", "/v3/acc-1/ios/pv",
            ])
    }

    @Test("the second protocol is coded by the services that are there: Snappy where that is the compression")
    func snappy() throws {
        let world = GrowingWorld(.document) {
            Self.advertising(&$0)
            $0.services.compression = .snappy
        }
        world.act(0, .launch(passive: false))
        for (_, body) in try bodies(world) {
            #expect(body.headers["X-Compress-Codec"] == "2" && body.headers["X-Crypt-Codec"] == "1")
            #expect(try body.events().count == 1)
        }
    }

    @Test("own events without a channel of theirs go through 3.x's last one; 4.x has no store for them")
    func withoutChannel() {
        for version in [GrowingRules.Version.v3, .v4] {
            let world = GrowingWorld(version) {
                $0.events = [GrowingOwnEvent(type: "ping", base: .custom, moment: .launch)]
            }
            world.startApp()
            if version == .v3 {
                #expect(world.open.count == 1 && world.uploads.last?.channel == 2)
            } else {
                #expect(world.types(.lost(.storageError)) == ["ping"])
            }
        }
    }

    @Test("two custom channels both send what is in the realtime store")
    func twoCustomChannels() {
        let world = GrowingWorld(.document) {
            $0.channels = [GrowingChannel(types: ["own"], template: "v3/projects/%@/collect", isCustom: true)]
        }
        world.startApp()
        world.track(1)
        world.run(to: 5)
        #expect(world.uploads.suffix(2).map(\.channel) == [1, 2])
        #expect(world.uploads.suffix(2).map(\.sequences) == [[1], [1]])
        world.answer(500, at: 6)
        world.answer(200, at: 7)
        #expect(world.sequences(.delivered) == [0, 1])
        world.finish()
        #expect(world.fates.count == 2)
    }

    @Test("an interceptor replaces a channel's request")
    func requestTemplate() {
        let world = GrowingWorld(.document) {
            var rule = GrowingInterceptorRule(name: "move", callback: .requestWithChannel)
            rule.toTemplate = "v4/%@/in"
            $0.interceptors = [rule]
        }
        world.act(0, .launch(passive: false))
        #expect(world.encode(world.open[0]).head.path == "/v4/acc-1/in?stm=1767571200000")
        #expect(
            world.system.rules.uploadPaths(of: world.system.plan.target) == [
                "/v3/projects/acc-1/collect", "/v4/acc-1/in",
            ])
    }

    @Test("paths: the account is the target's; a path that is none of GrowingIO's stays as it is")
    func paths() {
        let below = GrowingWorld(.document, path: "/a/b/v3/projects/x%20y/collect?k=1", Self.advertising)
        below.act(0, .launch(passive: false))
        #expect(
            below.open.map { below.encode($0).head.path } == [
                "/a/b/v3/projects/x%20y/collect?k=1&stm=1767571200000",
                "/a/b/v3/x%20y/ios/pv?k=1&stm=1767571200000",
                "/a/b/app/x%20y/ios/ctvt?k=1&stm=1767571200000",
            ])
        let other = GrowingWorld(.v4, path: "/in") { $0.accountId = "acc-2" }
        other.act(0, .launch(passive: false))
        #expect(other.encode(other.open[0]).head.path == "/in?stm=1767571200000")
    }
}
