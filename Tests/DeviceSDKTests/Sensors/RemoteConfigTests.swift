import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, remote configuration")
struct RemoteConfigTests {
    private func world(
        _ version: SensorsRules.Version, _ change: @escaping (inout SensorsRules) -> Void = { _ in }
    ) -> ManualWorld {
        ManualWorld(version) {
            $0.remoteConfig.enabled = true
            change(&$0)
        }
    }

    private func seconds(_ world: ManualWorld) -> [Double] {
        world.fetches.map { ($0.plannedAt - ManualWorld.start).fractionalSeconds }
    }

    @Test("1.10.17 fetches when the app becomes active, three tries 30 s apart")
    func earlyFetch() {
        let world = world(.v1)
        world.act(0, .launch(passive: false))
        #expect(world.fetches.isEmpty)
        world.act(0.4, .enterForeground)
        #expect(world.fetches.first?.timeout == .seconds(10))
        world.answerFetch(500, at: 1)
        world.run(to: 31)
        world.answerFetch(404, at: 32)
        world.run(to: 62)
        world.end(.config, nil, with: .failed(.timedOut), at: 72)
        world.run(to: 300)
        #expect(seconds(world) == [0.4, 31, 62])
    }

    @Test("the background cancels a pending try", arguments: [SensorsRules.Version.v1, .v4])
    func cancelledRetry(version: SensorsRules.Version) {
        let world = world(version)
        world.act(0, .launch(passive: false), .enterForeground)
        world.answerFetch(500, at: 1)
        world.act(20, .enterBackground)
        world.run(to: 60)
        #expect(world.fetches.count == 1)
    }

    @Test("the published text fetches on entering the background")
    func documentFetch() {
        let world = world(.document)
        world.act(0, .launch(passive: false), .enterForeground)
        world.act(10, .enterBackground)
        #expect(seconds(world) == [10])
        world.answerFetch(500, at: 11)
        world.run(to: 41)
        #expect(seconds(world) == [10, 41])
    }

    @Test("4.9.1 fetches at a start when 24 to 48 hours have passed since the last fetch began")
    func interval() {
        let world = world(.v4) { $0.upload.networks = [] }
        world.act(0, .launch(passive: false), .enterForeground)
        world.answerFetch(304, at: 1)
        let next = (world.device.nextFetchAt - ManualWorld.start).fractionalSeconds
        #expect((86_400...172_800).contains(next))
        world.act(100, .enterBackground)
        world.act(next - 1, .enterForeground)
        world.act(next - 0.5, .enterBackground)
        #expect(world.fetches.count == 1)
        world.act(next, .enterForeground)
        #expect(seconds(world) == [0, next])
    }

    @Test("4.9.1 does not try without a network, and that counts as a failed try")
    func offline() {
        let world = world(.v4)
        world.setNetwork(.none, at: 0)
        world.act(1, .launch(passive: false), .enterForeground)
        world.run(to: 40)
        #expect(world.fetches.isEmpty)
        world.setNetwork(.wifi, at: 41)
        world.run(to: 61)
        #expect(seconds(world) == [61])
    }

    @Test("paths of fetches: the version goes back, 4.x adds app and project")
    func paths() {
        let body = #"{"v":"21","configs":{"nv":"b7/c","disableSDK":false}}"#
        let early = world(.v1)
        early.act(0, .launch(passive: false), .enterForeground)
        #expect(early.encode(early.fetches[0]).head.path == "/config/iOS.conf")
        early.answerFetch(200, body, at: 1)
        early.act(2, .enterBackground)
        early.act(3, .enterForeground)
        #expect(early.encode(early.fetches[1]).head.path == "/config/iOS.conf?v=21")

        let recent = world(.v4) {
            $0.remoteConfig.minimumInterval = .zero
            $0.remoteConfig.maximumInterval = .zero
        }
        recent.act(0, .launch(passive: false), .enterForeground)
        let head = recent.encode(recent.fetches[0]).head
        #expect(head.method == .get)
        #expect(head.path == "/config/iOS.conf?app_id=cn.example.shop&project=shop")
        #expect(head.headerLines == "X-Env: test\r\n")
        recent.answerFetch(200, body, at: 1)
        recent.act(2, .enterBackground)
        recent.act(3, .enterForeground)
        #expect(
            recent.encode(recent.fetches[1]).head.path
                == "/config/iOS.conf?v=21&nv=b7%2Fc&app_id=cn.example.shop&project=shop")
    }

    @Test("1.10.17: disableSDK is told once, takes effect at the return, and stored rows still go")
    func disable() {
        let world = world(.v1)
        world.act(0, .launch(passive: false), .enterForeground)
        world.answerFetch(200, #"{"v":"1","configs":{"disableSDK":true}}"#, at: 1)
        #expect(world.device.nextSequence == 2)
        world.track(2)
        #expect(world.stored == [0, 1, 2])
        world.act(3, .enterBackground)
        world.answer(500, at: 3.5)
        world.act(4, .enterForeground)
        #expect(world.uploadedSequences.last == [0, 1, 2, 3])
        world.answer(200, at: 5)
        world.answerFetch(200, #"{"v":"1","configs":{"disableSDK":true}}"#, at: 5)
        world.track(6)
        world.act(7, .login(account: 1, signUp: false), .registerSuperProperties(group: 0))
        #expect(
            world.names(.suppressed(.sdkDisabled)) == ["$AppStart", "BuyGoods", "$SignUp"])
        #expect(world.device.epochs.current.account == nil)
        #expect(world.device.epochs.current.superGroups == 0)
        #expect(world.device.nextDue == .distantFuture)
        // On disk: a kill does not bring the SDK back; another configuration does.
        world.act(8, .kill, .launch(passive: false), .enterForeground)
        #expect(world.names(.suppressed(.sdkDisabled)).count == 4)
        world.answerFetch(200, "{}", at: 9)
        world.act(10, .kill, .launch(passive: false))
        #expect(world.stored.count == 1)
    }

    @Test("4.9.1: the change is tracked and flushed; effect_mode 1 works at once, 0 at the start")
    func effectMode() {
        for (mode, isNow) in [(1, true), (0, false)] {
            let world = world(.v4)
            world.act(0, .launch(passive: false), .enterForeground)
            world.answer(200, at: 0.5)
            let body =
                #"{"v":"9","configs":{"event_blacklist":["BuyGoods"],"autoTrackMode":1,"effect_mode":\#(mode)}}"#
            world.answerFetch(200, body, at: 1)
            #expect(world.uploadedSequences == [[0], [1]])
            world.answer(200, at: 1.5)
            #expect(world.sequences(.delivered) == [0, 1])
            world.track(2)
            world.act(3, .tap(screen: 0, control: 0))
            #expect(world.fate(2) == (isNow ? .suppressed(.blacklisted) : nil))
            #expect(world.fate(3) == (isNow ? .suppressed(.autotrackOff) : nil))
            world.act(4, .enterBackground)
            world.act(5, .enterForeground)
            world.track(6)
            #expect(world.fate(6) == .suppressed(.blacklisted))
        }
    }

    @Test("1.10.17 knows no blacklist")
    func earlyBlacklist() {
        let world = world(.v1)
        world.act(0, .launch(passive: false), .enterForeground)
        world.answerFetch(
            200, #"{"configs":{"event_blacklist":["BuyGoods"],"effect_mode":1}}"#, at: 1)
        world.act(2, .kill, .launch(passive: false))
        world.track(3)
        #expect(world.fates.isEmpty)
    }

    @Test("4.9.1: disableSDK with effect now stops the timer and flushes; false starts it again")
    func disableNow() {
        let world = world(.v4) {
            $0.remoteConfig.minimumInterval = .zero
            $0.remoteConfig.maximumInterval = .zero
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.answer(200, at: 0.5)
        world.track(0.6)
        world.answerFetch(200, #"{"configs":{"disableSDK":true,"effect_mode":1}}"#, at: 1)
        #expect(world.uploadedSequences.last == [1, 2])
        world.fail(.reset, at: 2)
        #expect(world.device.nextDue == .distantFuture)
        world.act(3, .enterBackground)
        #expect(world.fate(3) == .suppressed(.sdkDisabled))
        world.fail(.reset, at: 4)
        world.act(5, .enterForeground)
        world.answerFetch(200, #"{"configs":{"disableSDK":false,"effect_mode":1}}"#, at: 6)
        #expect(world.device.flushDue == ManualWorld.time(21))
        // $AppRemoteConfigChanged is built by a disabled SDK too.
        #expect(world.stored.last == 5)
    }

    @Test("disableDebugMode ends debug mode and brings the URL back")
    func disableDebug() {
        let world = world(.v1) { $0.debugMode = .debugOnly }
        world.act(0, .launch(passive: false), .enterForeground)
        world.answer(200, at: 0.5)
        world.answerFetch(200, #"{"configs":{"disableDebugMode":true}}"#, at: 1)
        world.act(2, .enterBackground)
        world.answer(200, at: 2.5)
        world.act(3, .enterForeground)
        #expect(world.open.filter { $0.number.kind == .upload }.isEmpty)
        world.run(to: 18)
        let upload = world.open.filter { $0.number.kind == .upload }
        #expect(upload.count == 1)
        #expect(world.encode(upload[0]).head.path == "/sa?project=shop")
        #expect(!world.encode(upload[0]).head.headerLines.contains("Dry-Run"))
    }

    @Test("bodies: missing fields are the defaults, what is no object changes nothing")
    func bodies() throws {
        let parser = ManualWorld(.v4).system.parser
        func config(_ text: String) -> SensorsConfig? {
            SensorsConfig(body: Array(text.utf8), parser: parser, isVersion4: true)
        }
        var none = SensorsConfig.none
        none.text = #"{"configs":{}}"#
        #expect(config("{}") == none)
        #expect(config("[1]") == nil)
        #expect(config("oops") == nil)
        #expect(config("") == nil)
        #expect(config(#"{"v":3,"configs":{"disableSDK":1,"autoTrackMode":99}}"#)?.disablesSDK == true)
        #expect(config(#"{"configs":{"autoTrackMode":99}}"#)?.autoTrackMode == nil)
        let full = try #require(
            config(
                #"{"v":"21","configs":{"nv":"n","disableSDK":false,"disableDebugMode":true,"autoTrackMode":5,"#
                    + #""event_blacklist":["B","A"],"effect_mode":1}}"#))
        #expect(full.disablesDebugMode && full.takesEffectNow)
        #expect(full.autoTrackMode == 5)
        #expect(
            full.text
                == #"{"v":"21","configs":{"disableSDK":false,"disableDebugMode":true,"autoTrackMode":5,"#
                + #""event_blacklist":["B","A"],"effect_mode":1,"nv":"n"}}"#)
    }

    @Test("4.9.1 quotes the fields that came, and no others")
    func quoted() {
        let parser = ManualWorld(.v4).system.parser
        func text(_ body: String, isVersion4: Bool = true) -> String? {
            SensorsConfig(body: Array(body.utf8), parser: parser, isVersion4: isVersion4)?.text
        }
        #expect(text(#"{"configs":{"disableSDK":1}}"#) == #"{"configs":{"disableSDK":1}}"#)
        #expect(
            text(#"{"configs":{"supportTransportEncrypt":true,"key":{"pkv":3}},"v":"2","other":[]}"#)
                == #"{"v":"2","configs":{"supportTransportEncrypt":true}}"#)
        #expect(text(#"{"v":null,"configs":{}}"#) == #"{"v":null,"configs":{}}"#)
        #expect(text(#"{"v":"2"}"#, isVersion4: false)?.isEmpty == true)
    }

    @Test("4.9.1: an empty name on the blacklist matches nothing, not even what has no name")
    func emptyName() {
        let world = world(.v4) { $0.upload.networks = [] }
        world.act(0, .launch(passive: false), .enterForeground)
        world.answerFetch(200, #"{"configs":{"event_blacklist":["","BuyGoods"],"effect_mode":1}}"#, at: 1)
        world.track(2)
        world.act(3, .profile(update: 0, subject: 0), .item(update: 0, subject: 0))
        #expect(world.names(.suppressed(.blacklisted)) == ["BuyGoods"])
    }
}
