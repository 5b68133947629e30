import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// Thousands of random lives: actions, answers, kills and networks in random order.
@Suite("Sensors, random lives")
struct RandomLifeTests {
    @Test(
        "books balance, each event is sealed once, the store keeps its limit",
        arguments: [SensorsRules.Version.v1, .v4, .document])
    func books(version: SensorsRules.Version) {
        for life in 0..<400 {
            // A failure names its seed: run that life alone to see it again.
            var random = RandomStream(key: 0xBEAC_0000 + UInt64(life)).child(UInt64(version.rawValue.count))
            let world = ManualWorld(version) { RandomLifeTests.change(&$0, &random) }
            var seconds = 0.0
            world.startApp()
            for _ in 0..<120 {
                seconds += Distribution.exponential(mean: 4).sample(&random)
                step(world, at: seconds, &random)
                let limit = world.system.rules.storage.limit
                #expect(world.device.store.count <= limit, "seed \(life)")
            }
            let captured = world.device.nextSequence
            world.finish()
            #expect(world.fates.keys.sorted() == Array(0..<captured), "seed \(life)")
            #expect(world.device.detached.isEmpty)
        }
        print("random lives of \(version.rawValue): seeds 0 to 399")
    }

    private static func change(_ rules: inout SensorsRules, _ random: inout RandomStream) {
        rules.storage.limit = 20 + Int(random.below(60))
        rules.storage.evict = 1 + Int(random.below(15))
        rules.storage.prefill = Int(random.below(30))
        rules.storage.evictsRowsInFlight = random.chance(0.8)
        rules.storage.deleteFailureChance = random.chance(0.3) ? 0.2 : 0
        rules.storage.insertFailureChance = random.chance(0.3) ? 0.2 : 0
        rules.upload.batch = 1 + Int(random.below(12))
        rules.upload.flushBulkSize = Int(random.below(20))
        rules.upload.blocksTracking = random.chance(0.5)
        rules.storage.evictFrom = random.chance(0.3) ? .newest : .oldest
        rules.storage.order = random.chance(0.3) ? .newest : .oldest
        rules.storage.ttl = random.chance(0.3) ? .seconds(Int64(20 + random.below(100))) : nil
        rules.upload.jitter = random.chance(0.3) ? .seconds(4) : .zero
        rules.upload.retry = .drawn(&random)
        rules.debugMode = random.chance(0.1) ? .debugAndTrack : .off
        rules.remoteConfig.enabled = random.chance(0.5)
        rules.remoteConfig.maximumInterval = .zero
    }

    private func step(_ world: ManualWorld, at seconds: Double, _ random: inout RandomStream) {
        switch random.below(20) {
        case 0: world.act(seconds, .kill)
        case 1: world.act(seconds, .launch(passive: random.chance(0.3)), .enterForeground)
        case 2: world.act(seconds, .enterBackground)
        case 3: world.act(seconds, .enterForeground)
        case 4: world.act(seconds, .crash(reason: 0))
        case 5: world.act(seconds, .login(account: UInt32(random.below(3)), signUp: false))
        case 6: world.act(seconds, .logout, .updateApp(version: UInt16(random.below(2))))
        case 7:
            let kind = NetworkKind.allCases[Int(random.below(6))]
            world.setNetwork(kind, at: seconds)
        case 8...13: answer(world, at: seconds, &random)
        default: world.track(seconds, count: Int(random.below(8)))
        }
    }

    private func answer(_ world: ManualWorld, at seconds: Double, _ random: inout RandomStream) {
        world.run(to: seconds)
        guard !world.open.isEmpty else { return }
        let request = world.open[Int(random.below(UInt64(world.open.count)))]
        let outcome: RequestOutcome
        if request.number.kind == .config {
            let bodies = [
                "", "{}", #"{"v":"2","configs":{"disableSDK":true,"effect_mode":1}}"#,
                #"{"v":"3","configs":{"event_blacklist":["BuyGoods"],"disableDebugMode":true}}"#,
            ]
            let body = bodies[Int(random.below(4))]
            outcome = .answered(status: random.chance(0.7) ? 200 : 500, body: Array(body.utf8))
        } else if random.chance(0.3) {
            outcome = .failed(.timedOut)
        } else {
            let statuses: [UInt16] = [200, 200, 200, 302, 400, 404, 429, 500]
            outcome = .answered(status: statuses[Int(random.below(8))], body: [])
        }
        // That everything a body needs is still there.
        if random.chance(0.1) { _ = world.encode(request) }
        world.end(request.number.kind, request.number.number, with: outcome, at: seconds)
    }
}
