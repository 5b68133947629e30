import Testing
import Timebase

@testable import AppModel

@Suite("What planted patterns do to users")
struct PatternTests {
    private func model(
        _ patterns: UserPatterns, _ persona: PersonaDescription = Presets.power, seed: UInt64 = 5,
        app: AppDescription = Presets.shop
    ) -> UserModels {
        var calendar = calendar(seed: seed, devices: 8)
        calendar.patterns = patterns
        return UserModels(app: app, persona: persona, calendar: calendar)
    }

    private func life(_ models: UserModels, device: Int, days: Int64 = 20) -> [PlannedAction] {
        AppModelTests.life(models.model(of: device), seed: 5, device: device, end: day(days))
    }

    private func id(_ number: Int, _ name: String = "planted") -> PatternID {
        PatternID(number, name: "\(name)-\(number)")
    }

    private func event(_ name: String) -> UInt16 {
        UInt16(Presets.shop.events.firstIndex { $0.name == name } ?? 0)
    }

    private func isEvent(_ planned: PlannedAction, _ event: UInt16) -> Bool {
        if case .business(event, _) = planned.action { true } else { false }
    }

    @Test("a smaller chance leaves a part of the events, and everything else as it was")
    func chance() {
        let cart = event("AddToCart")
        var patterns = UserPatterns()
        let window = day(3)..<day(12)
        patterns.changes = [.init(pattern: id(0), event: cart, factor: 0.3, window: window)]
        var (kept, all) = (0, 0)
        for device in 0..<8 {
            let changed = life(model(patterns), device: device)
            let plain = life(model(UserPatterns()), device: device)
            // The flag of the action before tells that one follows.
            let others = { (actions: [PlannedAction]) in
                actions.filter { !isEvent($0, cart) }.map(\.action)
            }
            #expect(others(changed) == others(plain))
            let left = changed.filter { isEvent($0, cart) }.map(\.at)
            let were = plain.filter { isEvent($0, cart) }.map(\.at)
            #expect(left.filter { !window.contains($0) } == were.filter { !window.contains($0) })
            #expect(Set(left).isSubset(of: were))
            kept += left.filter { window.contains($0) }.count
            all += were.filter { window.contains($0) }.count
        }
        let isThird = abs(Double(kept) - 0.3 * Double(all)) < 5 * (0.21 * Double(all)).squareRoot()
        #expect(all > 200 && isThird, "\(kept) of \(all)")
    }

    @Test("an order that is withheld takes with it all that belongs to it, and nothing else")
    func deals() {
        let (submit, pay) = (event("SubmitOrder"), event("PayOrder"))
        let order = Presets.shop.events[Int(submit)].catalogue
        var patterns = UserPatterns()
        patterns.changes = [.init(pattern: id(0), event: submit, factor: 0.5, window: start..<day(30))]
        var (orders, withheld, payments, updates) = (0, 0, 0, 0)
        for device in 0..<8 {
            let changed = life(model(patterns), device: device)
            let left = Set(changed.filter { isEvent($0, submit) }.map(\.at))
            var gone: UInt32?
            let expected = life(model(UserPatterns()), device: device).filter { planned in
                switch planned.action {
                case .business(submit, let subject):
                    gone = left.contains(planned.at) ? nil : subject
                    orders += 1
                    withheld += gone == nil ? 0 : 1
                    return gone == nil
                case .business(pay, let subject):
                    payments += subject == gone ? 1 : 0
                    return subject != gone
                case .profile(let update, let subject)
                where Presets.shop.profiles[Int(update)].catalogue == order:
                    updates += subject == gone ? 1 : 0
                    return subject != gone
                default: return true
                }
            }
            #expect(changed.map(\.at) == expected.map(\.at))
            #expect(changed.map(\.action) == expected.map(\.action))
        }
        let isHalf = abs(Double(withheld) - 0.5 * Double(orders)) < 5 * (0.25 * Double(orders)).squareRoot()
        #expect(orders > 50 && isHalf, "\(withheld) of \(orders)")
        #expect(payments > withheld / 2 && updates > withheld / 2)
    }

    @Test("a payment that is withheld leaves the order")
    func closing() {
        let pay = event("PayOrder")
        var patterns = UserPatterns()
        patterns.changes = [.init(pattern: id(0), event: pay, factor: 0, window: start..<day(30))]
        for device in 0..<4 {
            let plain = life(model(UserPatterns()), device: device).map(\.action)
            let changed = life(model(patterns), device: device).map(\.action)
            #expect(
                changed
                    == plain.filter { if case .business(pay, _) = $0 { false } else { true } })
        }
    }

    @Test("counts deals over and over, and withholds one at a time")
    func dealCount() {
        var deals = DealCount()
        for number in 0..<300 {
            #expect(UInt32(deals.ordinal) % Deal.perDevice == UInt32(number) % Deal.perDevice)
            #expect(!deals.isWithheld)
            deals.isWithheld = number % 3 != 0
            #expect(deals.isWithheld == (number % 3 != 0))
            #expect(UInt32(deals.ordinal) % Deal.perDevice == UInt32(number) % Deal.perDevice)
            deals.beginNext()
        }
    }

    @Test("a steady user's events are withheld one by one")
    func steady() {
        let cart = event("AddToCart")
        var patterns = UserPatterns()
        patterns.changes = [.init(pattern: id(0), event: cart, factor: 0, window: start..<day(30))]
        let changed = life(model(patterns, Presets.steady), device: 0, days: 1).filter {
            $0.at < start + .hours(1)
        }
        let plain = life(model(UserPatterns(), Presets.steady), device: 0, days: 1).filter {
            $0.at < start + .hours(1)
        }
        #expect(plain.contains { isEvent($0, cart) })
        #expect(changed == plain.filter { !isEvent($0, cart) })
    }

    @Test("a release reaches each device at its first launch after the device's moment")
    func release() {
        var app = Presets.shop
        app.versions.append("9.0.0")
        var patterns = UserPatterns()
        patterns.releases = [.init(pattern: id(0), version: 3, at: day(5), over: .hours(48))]
        var updates: [Instant] = []
        for device in 0..<8 {
            let actions = life(model(patterns, app: app), device: device)
            for (index, planned) in actions.enumerated() where planned.action == .updateApp(version: 3) {
                updates.append(planned.at)
                #expect(actions[index + 1].action.isLaunch)
            }
            #expect(actions.filter { $0.action == .updateApp(version: 3) }.count == 1)
            let versions = actions.compactMap { planned in
                if case .updateApp(let version) = planned.action { version } else { nil }
            }
            #expect(versions == versions.sorted() && versions.last == 3)
        }
        #expect(updates.allSatisfy { $0 >= day(5) } && updates.contains { $0 > day(6) })
    }

    @Test("a version that is not out yet is not installed by chance")
    func unreleased() {
        var app = Presets.shop
        app.versions.append("9.0.0")
        var persona = Presets.power
        persona.updateChance = 1
        var patterns = UserPatterns()
        patterns.releases = [.init(pattern: id(0), version: 3, at: day(10), over: .zero)]
        for planned in life(model(patterns, persona, app: app), device: 1)
        where planned.action == .updateApp(version: 3) {
            #expect(planned.at >= day(10))
        }
    }

    @Test("bots are the same devices throughout, and people beside them do what they did")
    func bots() {
        var patterns = UserPatterns()
        patterns.bots = [.init(pattern: id(7), share: 0.5, persona: Presets.bot)]
        let mixed = model(patterns)
        let kinds = (0..<8).map { mixed.model(of: $0).persona.name }
        #expect(Set(kinds) == ["power", "bot"])
        for device in 0..<8 where kinds[device] == "power" {
            #expect(
                life(mixed, device: device, days: 4) == life(model(UserPatterns()), device: device, days: 4))
        }
    }

    @Test("bots who delete the app come back as their own persona says", arguments: [true, false])
    func botsInstallAgain(comeBack: Bool) throws {
        var back = Reinstallation()
        back.share = 1
        back.after = .constant(3600)
        var bot = Presets.bot
        bot.retention = Retention([.init(seconds: 3600, share: 0.5), .init(seconds: 7200, share: 0.01)])
        bot.reinstall = comeBack ? back : nil
        var calendar = calendar(seed: 5, devices: 8)
        calendar.reinstall = comeBack ? nil : back
        calendar.patterns.bots = [.init(pattern: id(7), share: 1, persona: bot)]
        let models = UserModels(app: Presets.shop, persona: Presets.power, calendar: calendar)
        for device in 0..<8 {
            let actions = life(models, device: device, days: 2)
            let deletion = try #require(actions.firstIndex { $0.action == .uninstall })
            #expect((deletion + 1 < actions.count) == comeBack)
        }
    }

    @Test("a campaign moves no notification of the timeline")
    func campaign() {
        let push = PushNotification(at: day(2), share: 0.5, within: .hours(1))
        var early = PushNotification(at: day(1), share: 1, within: .hours(1))
        early.pattern = id(4)
        var plain = calendar(seed: 5, devices: 8, pushes: [push])
        let numbers = plain.pushes.map(\.number)
        var patterns = UserPatterns()
        patterns.campaigns = [early]
        plain.patterns = patterns
        #expect(plain.pushes.map(\.pattern) == [id(4), nil])
        #expect(Array(plain.pushes.map(\.number).dropFirst()) == numbers)
        let came = (0..<8).compactMap { plain.opening(of: $0, since: day(1), before: day(1) + .hours(2)) }
        #expect(came.count == 8 && came.allSatisfy { $0 < day(1) + .hours(1) })
    }

    @Test("what is drawn for a pattern goes by its name, whatever stands before it")
    func names() {
        func drawn(_ name: String, number: Int) -> [[PlannedAction]] {
            let id = PatternID(number, name: name)
            var patterns = UserPatterns()
            patterns.releases = [.init(pattern: id, version: 3, at: day(2), over: .hours(96))]
            patterns.bots = [.init(pattern: id, share: 0.5, persona: Presets.bot)]
            var push = PushNotification(at: day(3), share: 0.5, within: .hours(5))
            push.pattern = id
            patterns.campaigns = [push]
            let models = model(patterns)
            return (0..<8).map { life(models, device: $0, days: 6) }
        }
        #expect(drawn("a", number: 0) == drawn("a", number: 7))
        #expect(drawn("a", number: 0) != drawn("b", number: 0))
    }

    @Test("a mistake puts another event in the place, or beside it")
    func mistakes() {
        let tap = PlannedAction(at: day(1), action: .business(event: 2, subject: 9), isAnswered: false)
        let stream = RandomStream(key: 3)
        let wrong = TrackingBug(
            pattern: id(0), event: 2, variant: 30, isExtra: false, share: 1, window: day(0)..<day(2))
        let twice = TrackingBug(
            pattern: id(1), event: 2, variant: 31, isExtra: true, share: 1, window: day(0)..<day(2))
        let instead = [wrong, twice].calls(for: tap, version: 0, stream: stream)
        #expect(instead.first.action == .business(event: 30, subject: 9) && instead.extra == nil)
        let beside = [twice].calls(for: tap, version: 0, stream: stream)
        #expect(beside.first.action == tap.action && beside.first.isAnswered)
        #expect(beside.extra?.action == .business(event: 31, subject: 9) && beside.extra?.isAnswered == false)
        let late = PlannedAction(at: day(3), action: tap.action)
        #expect([twice].calls(for: late, version: 0, stream: stream).extra == nil)
        var only = twice
        only.version = 1
        #expect([only].calls(for: tap, version: 0, stream: stream).extra == nil)
        #expect([only].calls(for: tap, version: 1, stream: stream).extra != nil)
        #expect(
            [twice].calls(for: PlannedAction(at: day(1), action: .logout), version: 0, stream: stream).extra
                == nil)
    }
}
