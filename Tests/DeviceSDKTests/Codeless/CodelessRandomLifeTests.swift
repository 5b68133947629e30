import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK

/// Thousands of random lives, each beside a model that keeps lists of events and nothing else.
@Suite("Codeless SDK, random lives")
struct CodelessRandomLifeTests {
    @Test("books balance, and memory, files and fates are those of a naive model", arguments: [false, true])
    func books(corrected: Bool) {
        for life in 0..<300 {
            // A failure names its seed: run that life alone to see it again.
            var random = RandomStream(key: 0xC0DE_0000 + UInt64(life)).child(corrected ? 1 : 0)
            let limit = 1 + Int(random.below(4))
            let world = CodelessWorld(app: life % 3 == 0 ? .announced : .codelessForTests) {
                $0.upload.concurrency = limit
                $0.upload.flushBulkSize = 3 + Int(random.below(5))
                $0.upload.batch = $0.upload.flushBulkSize - Int(random.below(2))
                $0.storage.prefill = Int(random.below(12))
                $0.retryFailedParts = corrected
                $0.persistEventsID = corrected
            }
            var model = NaiveCache(world)
            var seconds = 0.0
            for _ in 0..<150 {
                seconds += Distribution.exponential(mean: 4).sample(&random)
                step(world, &model, at: seconds, &random)
                #expect(world.memory == model.memory, "seed \(life)")
                #expect(world.files.flatMap { $0 } == model.files, "seed \(life)")
                #expect(world.openUploads.count <= limit + 1, "seed \(life)")
            }
            let captured = world.device.nextSequence
            world.finish()
            #expect(world.fates.keys.sorted() == Array(0..<captured), "seed \(life)")
            #expect(Set(world.sequences(.delivered)) == model.delivered, "seed \(life)")
            let left = model.delivered.union(model.memory).union(model.files)
            #expect(
                Set(world.sequences(.lost(.killed))) == Set(0..<captured).subtracting(left), "seed \(life)")
        }
        print("random lives of the codeless SDK, \(corrected ? "corrected" : "as published"): seeds 0 to 299")
    }

    private func step(
        _ world: CodelessWorld, _ model: inout NaiveCache, at seconds: Double, _ random: inout RandomStream
    ) {
        world.run(to: seconds)
        let wasRunning = world.device.isRunning
        switch random.below(20) {
        case 0:
            let isAnnounced = world.system.plan.app.terminationNotice == 1 && model.isInBackground
            world.act(seconds, .kill)
            if wasRunning { model.die(writing: isAnnounced) }
        case 1:
            world.act(seconds, .crash(reason: 0))
            if wasRunning { model.die(writing: true) }
        case 2:
            let isPassive = random.chance(0.3)
            world.act(seconds, .launch(passive: isPassive))
            if wasRunning { model.die(writing: false) }
            model.isInBackground = isPassive
        case 3:
            world.act(seconds, .enterBackground)
            model.isInBackground = wasRunning
        case 4, 5:
            world.act(seconds, .enterForeground)
            model.isInBackground = false
        case 6: world.setNetwork(NetworkKind.allCases[Int(random.below(6))], at: seconds)
        case 7...13: answer(world, &model, at: seconds, &random)
        default: world.tap(seconds, count: 1 + Int(random.below(5)))
        }
        model.note(world)
    }

    private func answer(
        _ world: CodelessWorld, _ model: inout NaiveCache, at seconds: Double, _ random: inout RandomStream
    ) {
        guard !world.open.isEmpty else { return }
        let request = world.open[Int(random.below(UInt64(world.open.count)))]
        let sent = CodelessBatch(world.encode(request).body).events
            .compactMap { EventID(text: $0.bsID.utf8)?.sequence }
        #expect(sent.count == Int(request.eventCount))
        if request.network == .none || random.chance(0.3) {
            world.fail(
                request.network == .none ? .offline : .reset, at: seconds, upload: request.number.number)
        } else {
            let status: UInt16 = [200, 204, 404, 500][Int(random.below(4))]
            if status < 300 { model.acknowledge(sent) }
            world.answer(status, at: seconds, upload: request.number.number)
        }
    }
}

extension AppDescription {
    /// Whose ends in the background are announced.
    fileprivate static let announced: AppDescription = {
        var app = AppDescription.codelessForTests
        app.terminationNotice = 1
        return app
    }()
}

/// What the published text says becomes of events, with lists.
private struct NaiveCache {
    var memory: [UInt32] = []
    var files: [UInt32]
    var delivered: Set<UInt32> = []
    var isInBackground = false
    private var captured: UInt32

    init(_ world: CodelessWorld) {
        captured = world.device.nextSequence
        files = Array(0..<captured)
    }

    mutating func note(_ world: CodelessWorld) {
        while captured < world.device.nextSequence {
            memory.append(captured)
            captured += 1
        }
    }

    mutating func acknowledge(_ sent: [UInt32]) {
        delivered.formUnion(sent)
        memory.removeAll { delivered.contains($0) }
        files.removeAll { delivered.contains($0) }
    }

    mutating func die(writing: Bool) {
        if writing { files += memory }
        memory = []
        isInBackground = false
    }
}
