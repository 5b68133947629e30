import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import GrowingSDK

/// Hundreds of random lives: rules, actions, answers, kills, networks and disks in random order.
@Suite("GrowingIO, random lives")
struct GrowingRandomLifeTests {
    @Test("books balance, and each event is sealed once", arguments: GrowingRules.Version.allCases)
    func books(version: GrowingRules.Version) {
        for life in 0..<250 {
            // A failure names its seed: run that life alone to see it again.
            var random = RandomStream(key: 0x6E0_0000 + UInt64(life)).child(UInt64(version.rawValue.count))
            let world = GrowingWorld(version, disk: Self.disk(&random)) { Self.change(&$0, &random) }
            var seconds = 0.0
            world.act(0, .launch(passive: false), .enterForeground)
            for _ in 0..<120 {
                seconds += Distribution.exponential(mean: 4).sample(&random)
                step(world, at: seconds, &random)
            }
            let captured = world.device.nextSequence
            world.finish()
            #expect(world.fates.keys.sorted() == Array(0..<captured), "seed \(life)")
            #expect(world.device.detached.isEmpty)
        }
        print("random lives of GrowingIO \(version.rawValue): seeds 0 to 249")
    }

    @Test("what is lost is what the ids lack", arguments: [GrowingRules.Version.v3])
    func gaps(version: GrowingRules.Version) {
        for life in 0..<100 {
            var random = RandomStream(key: 0x6A9_0000 + UInt64(life))
            let world = GrowingWorld(version) { $0.storage.writeBuffer = 1 + Int(random.below(30)) }
            var seconds = 0.0
            world.act(0, .launch(passive: false), .enterForeground)
            for _ in 0..<60 {
                seconds += Distribution.exponential(mean: 4).sample(&random)
                step(world, at: seconds, &random)
            }
            // Whatever is still on the device, and what was delivered, has each its own id from 1 on.
            let lost = world.sequences(.lost(.killed)).count
            let present = Int(world.device.nextSequence) - lost
            #expect(Int(world.device.lastID) == Int(world.device.nextSequence), "seed \(life)")
            #expect(Int(world.device.lastID) - present == lost, "seed \(life)")
        }
    }

    private static func disk(_ random: inout RandomStream) -> DiskSchedule {
        guard random.chance(0.3) else { return DiskSchedule() }
        let failure = DiskFailure.allCases[Int(random.below(3))]
        let from = Double(random.below(200))
        return DiskSchedule([
            .init(
                from: GrowingWorld.time(from), until: GrowingWorld.time(from + Double(random.below(200))),
                failure, share: 1, number: 0)
        ])
    }

    private static func change(_ rules: inout GrowingRules, _ random: inout RandomStream) {
        rules.storage.writeBuffer = 1 + Int(random.below(20))
        rules.storage.realtimeWriteBuffer = Int(random.below(3))
        rules.storage.prefill = Int(random.below(30))
        rules.storage.deleteFailureChance = random.chance(0.3) ? 0.2 : 0
        rules.storage.insertFailureChance = random.chance(0.3) ? 0.2 : 0
        if !rules.isVersion4 {
            rules.storage.queueLimit = 5 + Int(random.below(30))
            rules.storage.queueRefill = Int(random.below(12))
            if random.chance(0.4) {
                rules.channels = [
                    GrowingChannel(types: ["own"], template: "app/%@/ios/ctvt", isCustom: random.chance(0.5))
                ]
                rules.events = [GrowingOwnEvent(type: "own", base: .visit, moment: .foreground)]
            }
        } else if random.chance(0.3) {
            rules.upload.maxBytes = 2000 + Int(random.below(4000))
        }
        rules.upload.batch = 1 + Int(random.below(12))
        rules.upload.whileInBackground = random.chance(0.3)
        rules.upload.jitter = random.chance(0.3) ? .seconds(1) : .zero
        rules.upload.cellularLimit = Int(random.below(20_000))
        rules.upload.retry = .drawn(&random)
        rules.upload.keeps = random.chance(0.3) ? .serverErrors(and: [404]) : .notSuccess
        rules.debugEnabled = random.chance(0.1)
        rules.autotrack.pages = .all
        rules.services.network = !random.chance(0.05)
        rules.services.database = !random.chance(0.1)
        if random.chance(0.2) { rules.excludedEvents = ["PAGE"] }
        if random.chance(0.3) {
            var rule = GrowingInterceptorRule(name: "drop", callback: .eventDidBuild)
            rule.share = 0.2
            rule.dropsEvent = true
            rules.interceptors = [rule]
        }
    }

    private func step(_ world: GrowingWorld, at seconds: Double, _ random: inout RandomStream) {
        switch random.below(22) {
        case 0: world.act(seconds, .kill)
        case 1: world.act(seconds, .launch(passive: random.chance(0.3)), .enterForeground)
        case 2: world.act(seconds, .enterBackground)
        case 3: world.act(seconds, .enterForeground)
        case 4: world.act(seconds, .crash(reason: 0))
        case 5:
            world.act(
                seconds, .login(account: UInt32(random.below(3)), signUp: false),
                .profile(update: 0, subject: 1))
        case 6: world.act(seconds, .logout, .updateApp(version: UInt16(random.below(2))))
        case 7: world.setNetwork(NetworkKind.allCases[Int(random.below(6))], at: seconds)
        case 8...13: answer(world, at: seconds, &random)
        case 14:
            world.act(
                seconds, .appear(screen: UInt16(random.below(2)), referrer: nil), .web(event: 2, subject: 0))
        case 15...17: world.tap(seconds, count: Int(random.below(8)))
        default: world.track(seconds, count: Int(random.below(8)))
        }
    }

    private func answer(_ world: GrowingWorld, at seconds: Double, _ random: inout RandomStream) {
        world.run(to: seconds)
        guard !world.open.isEmpty else { return }
        // That everything a body needs is still there.
        for request in world.open where random.chance(0.5) { _ = world.encode(request) }
        let statuses: [UInt16] = [200, 200, 200, 204, 302, 400, 404, 413, 500]
        if random.chance(0.3) {
            world.end(.upload, nil, with: .failed(.timedOut), at: seconds)
        } else {
            world.end(
                .upload, nil, with: .answered(status: statuses[Int(random.below(9))], body: []), at: seconds)
        }
    }
}
