import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, uploads")
struct GrowingUploadTests {
    @Test(
        "ticks at 5 s and then every 15 s, each channel by itself", arguments: GrowingRules.Version.allCases)
    func ticks(version: GrowingRules.Version) {
        let world = GrowingWorld(version)
        world.startApp()
        world.track(1)
        world.run(to: 4.9)
        #expect(world.uploads.count == 1)
        world.run(to: 5)
        #expect(world.plannedSeconds == [0, 5])
        world.answer(200, at: 6)
        world.tap(7)
        world.run(to: 30)
        #expect(world.plannedSeconds == [0, 5, 20])
        // Ticks go on by the grid, whatever came between.
        world.answer(200, at: 31)
        world.track(64)
        world.run(to: 66)
        #expect(world.plannedSeconds == [0, 5, 20, 65])
    }

    @Test("a leeway delays each tick, and not the grid")
    func jitter() {
        let world = GrowingWorld(.v3) { $0.upload.jitter = .seconds(1) }
        world.startApp()
        for index in 0..<20 {
            world.track(Double(index) * 15 + 1)
            world.run(to: Double(index) * 15 + 7)
            let late = (world.plannedSeconds.last ?? 0) - Double(index) * 15 - 5
            #expect((0..<1).contains(late))
            world.answer(200, at: Double(index) * 15 + 7)
        }
        #expect(Set(world.plannedSeconds.map { $0.truncatingRemainder(dividingBy: 15) }).count > 10)
    }

    @Test("entering the background sends nothing; the tick that was slept through is made up for at once")
    func background() {
        let world = GrowingWorld(.v4)
        world.startApp()
        world.track(1)
        world.act(2, .enterBackground)
        world.run(to: 25)
        #expect(world.uploads.count == 1)
        world.act(25, .enterForeground)
        world.run(to: 25)
        #expect(world.plannedSeconds == [0, 25, 25])
        let other = GrowingWorld(.v4) {
            $0.upload.whileInBackground = true
            $0.upload.onBackground = true
        }
        other.startApp()
        other.act(2, .enterBackground)
        other.track(2.5)
        other.run(to: 10)
        #expect(other.plannedSeconds == [0, 2, 5])
    }

    @Test("an absence without a tick moves none", arguments: GrowingRules.Version.allCases)
    func shortAbsence(version: GrowingRules.Version) {
        let world = GrowingWorld(version)
        world.startApp()
        world.track(6)
        world.act(7, .enterBackground)
        world.act(9, .enterForeground)
        world.run(to: 29)
        let later = world.plannedSeconds.filter { $0 > 6 }
        #expect(!later.isEmpty && later.allSatisfy { $0 == 20 }, "\(world.plannedSeconds)")
    }

    @Test("one request in flight per channel")
    func oneAtATime() {
        let world = GrowingWorld(.v3)
        world.startApp()
        world.track(1)
        world.run(to: 5)
        world.track(6)
        world.run(to: 50)
        #expect(world.uploads.map(\.channel) == [0, 1])
        world.fail(.timedOut, at: 64)
        world.run(to: 65)
        #expect(world.uploads.last?.sequences == [1, 2])
    }

    @Test("as much left as a batch goes on at once", arguments: GrowingRules.Version.allCases)
    func goesOn(version: GrowingRules.Version) {
        let world = GrowingWorld(version) { $0.upload.batch = 10 }
        world.startApp()
        world.track(1, count: 25)
        world.run(to: 5)
        world.answer(200, at: 6)
        world.answer(200, at: 7)
        #expect(world.uploads.map { $0.sequences.count } == [1, 10, 10])
        #expect(world.plannedSeconds == [0, 5, 6])
        // Five are left, less than a batch: they wait for the tick.
        world.run(to: 20)
        #expect(world.plannedSeconds.last == 20)
        #expect(world.uploads.last?.sequences.count == 5)
    }

    @Test("every 2xx is success; all else keeps the rows, and the head of the queue holds up the rest")
    func stall() {
        let world = GrowingWorld(.v4) { $0.upload.batch = 4 }
        world.startApp()
        world.track(1, count: 6)
        var seconds = 5.0
        for status in [302, 400, 403, 404, 413, 429, 500, 503] as [UInt16] {
            world.run(to: seconds)
            #expect(world.uploads.last?.sequences == [1, 2, 3, 4])
            world.answer(status, at: seconds + 1)
            seconds += 15
        }
        for failure in [RequestFailure.timedOut, .reset, .refused] {
            world.run(to: seconds)
            world.fail(failure, at: seconds + 1)
            seconds += 15
        }
        #expect(world.sequences(.delivered) == [0])
        world.run(to: seconds)
        world.answer(204, at: seconds + 1)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4])
        #expect(world.fates[1]?.attempts == 12)
    }

    @Test("the rules may drop rows for an answer")
    func keepStatuses() {
        let world = GrowingWorld(.v4) { $0.upload.keeps = .serverErrors(and: [429]) }
        world.startApp()
        world.track(1)
        world.run(to: 5)
        world.answer(503, at: 6)
        world.run(to: 20)
        world.answer(400, at: 21)
        #expect(world.sequences(.rejected(status: 400)) == [1])
        #expect(world.device.storedCount == 0)
    }

    @Test("an answer that is lost lets everything travel again; so does a kill before it")
    func duplicates() {
        let world = GrowingWorld(.v3)
        world.startApp()
        world.track(1, count: 2)
        world.run(to: 5)
        world.act(6, .kill)
        #expect(world.fates[1] == nil)
        world.act(7, .launch(passive: false), .enterForeground)
        world.run(to: 12)
        let again = world.uploads.last { $0.channel == 1 }
        #expect(again?.sequences == [1, 2])
        #expect(again?.request.isRetry == true)
    }

    @Test("without a network nothing is tried, and instant events wait for the next tick")
    func offline() {
        let world = GrowingWorld(.v3, network: .none)
        world.act(0, .launch(passive: false), .enterForeground)
        world.run(to: 30)
        #expect(world.uploads.isEmpty)
        world.setNetwork(.cellular4G, at: 31)
        world.run(to: 35)
        #expect(world.plannedSeconds == [35])
    }

    @Test("policies: instant on every network, Wi-Fi alone for events that say so")
    func policies() {
        let world = GrowingWorld(.v4, network: .cellular4G) { $0.upload.policies = ["CUSTOM": .wifi] }
        world.startApp()
        world.track(1)
        world.tap(1)
        world.run(to: 5)
        #expect(world.uploads.map(\.channel) == [0, 0])
        world.answer(200, at: 6)
        world.setNetwork(.wifi, at: 10)
        world.run(to: 20)
        #expect(world.uploads.last?.channel == 1)
    }

    @Test("the day's bytes over cellular networks are counted, and then only VISIT goes out until midnight")
    func cellularBudget() {
        let world = GrowingWorld(.v4, network: .cellular4G) { $0.upload.cellularLimit = 2000 }
        world.act(0, .launch(passive: false), .enterForeground)
        var bytes = 0
        func answer(_ seconds: Double) {
            bytes += world.open.first.map { world.encode($0).body.count } ?? 0
            world.answer(200, at: seconds)
        }
        answer(0)
        world.track(1, count: 8)
        world.run(to: 5)
        // Not yet spent: the whole batch goes, however large.
        answer(6)
        #expect(bytes > 2000)
        #expect(Int(world.device.trafficBytes) == bytes)
        world.track(7)
        world.run(to: 35)
        #expect(world.open.isEmpty)
        // A process that starts anew reads the bytes from its file.
        world.act(40, .kill)
        world.act(41, .launch(passive: false), .enterForeground)
        #expect(Int(world.device.trafficBytes) == bytes)
        #expect(world.uploads.last?.sequences == [10])
        answer(42)
        // VISIT was sent without a budget, and is not counted.
        #expect(world.device.trafficBytes < UInt64(bytes))
        world.run(to: 60)
        #expect(world.open.isEmpty)
        // The start is at midnight UTC, the devices are eight hours ahead: their day ends at 16:00.
        world.run(to: 16 * 3600 - 1)
        #expect(world.open.isEmpty)
        world.run(to: 16 * 3600 + 15)
        #expect(world.uploads.last?.sequences == [9])
    }

    @Test("Wi-Fi counts nothing")
    func wifi() {
        let world = GrowingWorld(.v3)
        world.act(0, .launch(passive: false), .enterForeground)
        _ = world.open.first.map { world.encode($0) }
        world.answer(200, at: 1)
        #expect(world.device.trafficBytes == 0)
        #expect(world.device.trafficFile.isEmpty)
    }

    @Test("debugEnabled: 3.2.1 sends after every event, 4.x only if it is a debug build itself")
    func debug() {
        for (version, isBuild, isSent) in [
            (GrowingRules.Version.v3, false, true), (.document, false, true), (.v4, false, false),
            (.v4, true, true),
        ] {
            let world = GrowingWorld(version) {
                $0.debugEnabled = true
                $0.debugBuild = isBuild
            }
            world.startApp()
            world.track(1)
            #expect((world.uploads.count == 2) == isSent)
        }
    }

    @Test("4.x leaves out the event with which the stored bytes would reach the limit")
    func maxBytes() {
        let world = GrowingWorld(.v4) {
            $0.usesProtobuf = false
            $0.upload.maxBytes = 4000
        }
        world.startApp()
        world.track(1, count: 20)
        let sizes = world.encodedEvents().map(\.utf8.count)
        world.run(to: 5)
        var sum = 0
        let fitting = sizes.prefix { size in
            sum += size
            return sum < 4000
        }
        #expect(fitting.count > 1 && fitting.count < 20)
        #expect(world.uploads.last?.sequences.count == fitting.count)
        // One that is too large by itself holds up everything behind it, for ever.
        let stalled = GrowingWorld(.v4) {
            $0.usesProtobuf = false
            $0.upload.maxBytes = 100
        }
        stalled.act(0, .launch(passive: false), .enterForeground)
        stalled.run(to: 200)
        #expect(stalled.uploads.isEmpty)
    }

    @Test("the bound on an event's size holds")
    func sizeLimit() {
        for version in GrowingRules.Version.allCases {
            let world = GrowingWorld(version) { $0.upload.maxBytes = 1 << 20 }
            world.startApp()
            world.act(1, .appear(screen: 0, referrer: nil), .beginTimed(event: 1))
            world.tap(1)
            world.track(1)
            world.act(
                2, .tap(screen: 0, control: AppDescription.growingList), .business(event: 1, subject: 4))
            world.act(3, .appear(screen: 1, referrer: 0), .web(event: 2, subject: 1))
            let limits = world.system.encoder.sizeLimits
            let rows = world.encodedRows()
            #expect(rows.count > 5)
            #expect(rows.allSatisfy { $0.storedSize == $0.text.utf8.count })
            #expect(rows.allSatisfy { $0.storedSize <= limits[$0.template] })
            #expect(world.encodedRows(.message).allSatisfy { $0.storedSize <= limits[$0.template] })
            #expect(limits.allSatisfy { $0 < 4096 })
        }
    }

    @Test("no network service: nothing is sent; in 3.x its channel counts as uploading for ever")
    func noNetwork() {
        for version in [GrowingRules.Version.v3, .v4] {
            let world = GrowingWorld(version) { $0.services.network = false }
            world.act(0, .launch(passive: false), .enterForeground)
            world.track(1)
            world.run(to: 100)
            #expect(world.uploads.isEmpty)
            #expect((world.device.uploadingChannels != 0) == (version == .v3))
            world.finish()
            #expect(world.sequences(.pending(.stored)) == [0, 1])
        }
    }
}
