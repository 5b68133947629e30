import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import KitSDK

/// Random lives over several days, each beside a model that keeps files as sets and nothing else.
@Suite("Kit, random lives")
struct KitRandomLifeTests {
    @Test("books balance, and files and fates are those of a naive model", arguments: KitRules.Clear.allCases)
    func books(clear: KitRules.Clear) {
        for life in 0..<200 {
            // A failure names its seed: run that life alone to see it again.
            var random = RandomStream(key: 0x4B17_0000 + UInt64(life)).child(clear == .otherDays ? 0 : 1)
            let world = KitWorld { $0.clear = clear }
            var model = NaiveKit(clear: clear)
            var seconds = 0.0
            for _ in 0..<120 {
                seconds += Distribution.exponential(mean: 3000).sample(&random)
                step(world, &model, at: seconds, &random)
                #expect(Set(world.stored) == Set(model.files.values.flatMap(\.self)), "seed \(life)")
            }
            let captured = world.device.nextSequence
            world.finish()
            #expect(world.fates.keys.sorted() == Array(0..<captured), "seed \(life)")
            #expect(Set(world.sequences(.delivered)) == model.delivered, "seed \(life)")
            #expect(Set(world.sequences(.lost(.clearedUnsent))) == model.lost, "seed \(life)")
        }
    }

    private func step(
        _ world: KitWorld, _ model: inout NaiveKit, at seconds: Double, _ random: inout RandomStream
    ) {
        let before = world.device.nextSequence
        let today = Int((seconds + 8 * 3600) / 86_400)
        switch random.below(8) {
        case 0, 1:
            world.act(seconds, .kill)
            model.archive = nil
        case 2, 3, 4:
            if !world.device.isRunning { model.pack(on: today) }
            world.act(seconds, .enterForeground, .appear(screen: 0, referrer: nil))
        case 5: if world.device.isForeground { world.act(seconds, .tap(screen: 0, control: 0)) }
        default:
            guard !world.open.isEmpty else { return }
            if random.chance(0.5) {
                model.take(on: today)
                world.take(at: seconds)
            } else {
                model.archive = nil
                world.answer("<html>", type: "text/html", at: seconds)
            }
        }
        model.write(before..<world.device.nextSequence, on: today)
    }
}

/// Kit's folder as a person would draw it.
private struct NaiveKit {
    var clear: KitRules.Clear
    var files: [Int: Set<UInt32>] = [:]
    var archive: [Int: Set<UInt32>]?
    var delivered: Set<UInt32> = []
    var lost: Set<UInt32> = []

    init(clear: KitRules.Clear) { self.clear = clear }

    mutating func write(_ rows: Range<UInt32>, on day: Int) {
        if !rows.isEmpty { files[day, default: []].formUnion(rows) }
    }

    mutating func pack(on today: Int) {
        let old = files.filter { $0.key != today }
        archive = old.isEmpty ? nil : old
    }

    mutating func take(on today: Int) {
        guard let archive else { return }
        delivered.formUnion(archive.values.flatMap(\.self))
        for day in files.keys where clear == .otherDays ? day != today : archive[day] != nil {
            lost.formUnion((files[day] ?? []).subtracting(delivered))
            files[day] = nil
        }
        self.archive = nil
    }
}
