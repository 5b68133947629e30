import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

/// Thousands of random lives, each beside a model that keeps sets of events and nothing else.
@Suite("TrackingSDK, random lives")
struct TrackingSDKRandomLifeTests {
    @Test(
        "books balance, and file and fates are those of a naive model",
        arguments: TrackingSDKRules.Clear.allCases)
    func books(clear: TrackingSDKRules.Clear) {
        for life in 0..<300 {
            // A failure names its seed: run that life alone to see it again.
            var random = RandomStream(key: 0x7AC4_0000 + UInt64(life)).child(clear == .all ? 0 : 1)
            let prefill = Int(random.below(8))
            let sockets = 1 + Int(random.below(5))
            let world = TrackingSDKWorld {
                $0.clear = clear
                $0.storage.prefill = prefill
                $0.upload.sockets = sockets
                $0.upload.success = random.chance(0.2) ? .any2xx : .ok
            }
            var model = NaiveModel(world: world, prefill: prefill)
            var seconds = 0.0
            for _ in 0..<150 {
                seconds += Distribution.exponential(mean: 2).sample(&random)
                step(world, &model, at: seconds, &random)
                #expect(Set(world.stored) == model.file, "seed \(life)")
                #expect(world.device.storedCount == model.file.count, "seed \(life)")
                #expect(world.open.count <= sockets, "seed \(life)")
            }
            let captured = world.device.nextSequence
            world.finish()
            #expect(world.fates.keys.sorted() == Array(0..<captured), "seed \(life)")
            #expect(Set(world.sequences(.delivered)) == model.delivered, "seed \(life)")
            let lost = Set(0..<captured).subtracting(model.file).subtracting(model.delivered)
            #expect(Set(world.sequences(.lost(.clearedUnsent))) == lost, "seed \(life)")
        }
        print("random lives of TrackingSDK, clear \(clear.rawValue): seeds 0 to 299")
    }

    private func step(
        _ world: TrackingSDKWorld, _ model: inout NaiveModel, at seconds: Double,
        _ random: inout RandomStream
    ) {
        switch random.below(20) {
        case 0:
            world.act(seconds, .kill)
            model.open = [:]
        case 1: world.act(seconds, .launch(passive: random.chance(0.3)))
        case 2: world.act(seconds, .enterBackground)
        case 3, 4: world.act(seconds, .enterForeground)
        case 5: world.setNetwork(NetworkKind.allCases[Int(random.below(6))], at: seconds)
        case 6...12: answer(world, &model, at: seconds, &random)
        default: world.track(seconds, count: 1 + Int(random.below(4)))
        }
        model.note(world)
    }

    private func answer(
        _ world: TrackingSDKWorld, _ model: inout NaiveModel, at seconds: Double,
        _ random: inout RandomStream
    ) {
        guard !world.open.isEmpty else { return }
        let request = world.open[Int(random.below(UInt64(world.open.count)))]
        let statuses: [UInt16] = [200, 200, 200, 204, 302, 400, 413, 500]
        let status = statuses[Int(random.below(8))]
        let fails = random.chance(0.3) || request.network == .none
        model.end(request.number.number, status: fails ? nil : status, world.system.rules)
        if fails {
            world.fail(
                request.network == .none ? .offline : .timedOut, at: seconds, upload: request.number.number)
        } else {
            world.answer(status, at: seconds, upload: request.number.number)
        }
    }
}

/// What the published code does, with sets.
private struct NaiveModel {
    var file: Set<UInt32>
    var open: [UInt32: Set<UInt32>] = [:]
    var delivered: Set<UInt32> = []
    private var captured: UInt32
    private var uploads: UInt32 = 0
    private var deaths = 0

    init(world: TrackingSDKWorld, prefill: Int) {
        file = Set(0..<UInt32(prefill))
        captured = UInt32(prefill)
    }

    /// Every event goes into the file, and begins an upload of all that the file has then.
    mutating func note(_ world: TrackingSDKWorld) {
        if world.deaths != deaths {
            open = [:]
            deaths = world.deaths
        }
        while captured < world.device.nextSequence {
            file.insert(captured)
            open[uploads] = file
            captured += 1
            uploads += 1
        }
    }

    mutating func end(_ upload: UInt32, status: UInt16?, _ rules: TrackingSDKRules) {
        let carried = open.removeValue(forKey: upload) ?? []
        guard let status, rules.upload.success.accepts(status) else { return }
        delivered.formUnion(carried)
        switch rules.clear {
        case .all: file = []
        case .sentOnly: file.subtract(carried)
        }
    }
}
