import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// 1.10.17: one blocking request at a time.
@Suite("Sensors 1.10.17, uploads")
struct SerialUploadTests {
    @Test("flushes at the 100th row, 50 rows a request, until the store is empty")
    func bulkTrigger() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.track(1, count: 98)
        #expect(world.uploads.isEmpty)
        world.track(2)
        #expect(world.uploadedSequences == [Array(0...49)])
        world.answer(200, at: 2.5)
        #expect(world.uploadedSequences.last == Array(50...99))
        #expect(world.stored == Array(50...99))
        world.answer(204, at: 3)
        #expect(world.uploads.count == 2)
        #expect(world.plannedSeconds == [2, 2.5])
        #expect(world.sequences(.delivered) == Array(0...99))
        #expect(world.fates[0]?.ackedAt == ManualWorld.time(2.5))
        #expect(world.fates[99]?.attempts == 1)
    }

    @Test("events of pages count, and upload nothing by themselves, not even in debug mode")
    func pages() {
        for mode in [SensorsRules.DebugMode.off, .debugAndTrack] {
            let world = ManualWorld(.v1) {
                $0.upload.flushBulkSize = 3
                $0.debugMode = mode
            }
            world.startApp()
            world.act(1, .appear(screen: 1, referrer: nil))
            while let upload = world.open.first, upload.number.kind == .upload { world.answer(200, at: 1) }
            let rows = world.device.storedCount
            for second in [2.0, 3.0] { world.act(second, .web(event: AppDescription.fromPage, subject: 0)) }
            #expect(world.open.isEmpty && world.device.storedCount == rows + 2)
            world.track(4)
            #expect(world.open.count == 1, "the app's own event finds enough")
        }
    }

    @Test("the timer flushes every 15 s in the foreground and not in the background")
    func timer() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 14.999)
        #expect(world.uploads.isEmpty)
        world.run(to: 15)
        #expect(world.plannedSeconds == [15])
        world.answer(500, at: 15.1)
        world.act(20, .enterBackground)
        // Entering the background flushes too: the row again, with $AppEnd.
        #expect(world.uploadedSequences.last == [0, 1])
        #expect(world.uploads.last?.request.isRetry == true)
        world.answer(500, at: 20.1)
        world.run(to: 300)
        #expect(world.plannedSeconds == [15, 20])
    }

    @Test("a tick takes along what was captured at its very moment")
    func tieOfActionAndTimer() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.track(15)
        world.run(to: 15)
        #expect(world.uploadedSequences == [[0, 1]])
    }

    @Test("ticks with an empty store are skipped without losing their rhythm")
    func rhythm() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        world.answer(200, at: 15)
        #expect(world.device.nextDue == .distantFuture)
        world.track(50)
        #expect(world.device.nextDue == ManualWorld.time(60))
        world.run(to: 60)
        world.answer(200, at: 61)
        world.track(75)
        world.run(to: 75)
        #expect(world.plannedSeconds == [15, 60, 75])
    }

    @Test("track waits behind a running request; its answer lets the queue go on in order")
    func waiting() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        world.track(16, count: 3)
        #expect(world.stored == [0])
        #expect(world.device.nextSequence == 4)
        world.run(to: 45)
        #expect(world.uploads.count == 1)
        world.fail(.timedOut, at: 75)
        // The three events are in the store; then the tick of 30 s has its turn and carries all.
        #expect(world.stored == [0, 1, 2, 3])
        #expect(world.uploadedSequences == [[0], [0, 1, 2, 3]])
        #expect(world.plannedSeconds == [15, 30])
        // The tick of 45 s is next, then those of 60 and 75 s; all find an empty store.
        world.answer(200, at: 76)
        #expect(world.uploads.count == 2)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3])
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[3]?.capturedAt == ManualWorld.time(16))
    }

    @Test("a kill during a request loses what waits behind it, and nothing else")
    func killDuringRequest() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        world.track(16, count: 2)
        world.act(17, .kill)
        #expect(world.deaths == 1)
        #expect(world.sequences(.lost(.killed)) == [1, 2])
        #expect(world.stored == [0])
        world.act(20, .launch(passive: false), .enterForeground)
        world.run(to: 35)
        #expect(world.uploadedSequences.last == [0, 3])
        #expect(world.uploads.last?.request.isRetry == true)
        world.answer(200, at: 36)
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[3]?.attempts == 1)
    }

    @Test("an answer to a request of a dead process changes nothing")
    func lateAnswer() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.run(to: 15)
        let number = world.open[0].number
        world.act(16, .kill)
        var effects = DeviceEffects()
        world.system.complete(
            number, of: &world.device, outcome: .answered(status: 200, body: []), at: world.now,
            effects: &effects)
        #expect(effects.sealed.isEmpty)
        #expect(world.stored == [0])
    }

    @Test("a request that was asked for in the call in which the process dies is taken back")
    func deathInTheSameCall() {
        let world = ManualWorld(.v1)
        world.startApp()
        var effects = DeviceEffects()
        world.system.fireTimer(of: &world.device, at: ManualWorld.time(15), effects: &effects)
        #expect(effects.requests.count == 1)
        world.system.perform(.kill, on: &world.device, at: ManualWorld.time(16), effects: &effects)
        #expect(effects.requests.isEmpty)
        #expect(effects.died == [0])
        #expect(world.device.store.record(0)?.attempts == 0)
    }

    @Test("without a network it tries all the same, fails at once, and carries nothing")
    func offline() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.setNetwork(.none, at: 1)
        world.run(to: 15)
        #expect(world.open.map(\.network) == [.none])
        world.fail(.offline, at: 15)
        #expect(world.stored == [0])
        world.setNetwork(.wifi, at: 16)
        world.run(to: 30)
        #expect(world.uploads.last?.request.isRetry == false)
        world.answer(200, at: 30)
        #expect(world.fates[0]?.attempts == 1)
    }

    /// 5G has no name in 1.x: it is NULL there, as no network is, and NULL's mask is that of all networks.
    @Test(
        "the mask keeps 2G out, and 5G is let through as unknown",
        arguments: [(NetworkKind.cellular2G, 0), (.cellular3G, 1), (.cellular5G, 1), (.none, 1)],
        [SensorsRules.Version.v1, .document])
    func networkMask(network: (kind: NetworkKind, uploads: Int), version: SensorsRules.Version) {
        let world = ManualWorld(version)
        world.startApp()
        world.setNetwork(network.kind, at: 1)
        world.run(to: 16)
        #expect(world.uploads.count == network.uploads)
    }

    @Test("an app that allows no network uploads on none, known or not", arguments: NetworkKind.allCases)
    func noNetworkAllowed(kind: NetworkKind) {
        let world = ManualWorld(.v1) { $0.upload.networks = [] }
        world.startApp()
        world.setNetwork(kind, at: 1)
        world.run(to: 16)
        #expect(world.uploads.isEmpty)
    }

    @Test(
        "5G goes by the mask where unknown networks are not tried, and in 4.9.1",
        arguments: [(SensorsRules.Version.v1, false), (.v4, false), (.v4, true)])
    func knownNetwork(version: SensorsRules.Version, allowed: Bool) {
        let world = ManualWorld(version) {
            $0.upload.triesWithoutNetwork = false
            if !allowed { $0.upload.networks.remove(.cellular5G) }
        }
        world.startApp()
        world.track(0.5)
        let before = world.uploads.count
        world.setNetwork(.cellular5G, at: 1)
        world.run(to: 16)
        #expect(world.uploads.count - before == (allowed ? 1 : 0))
    }

    @Test("a failed deletion ends the loop; delivered rows go out again and count once")
    func failedDeletion() {
        let world = ManualWorld(.v1) { $0.storage.deleteFailureChance = 1 }
        world.startApp()
        world.run(to: 15)
        world.answer(200, at: 15.1)
        #expect(world.fate(0) == nil)
        #expect(world.stored == [0])
        world.run(to: 30)
        #expect(world.uploadedSequences == [[0], [0]])
        world.answer(200, at: 30.1)
        world.finish()
        #expect(world.fates.count == 1)
        #expect(world.fate(0) == .delivered)
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[0]?.ackedAt == world.time(15.1))
    }
}
