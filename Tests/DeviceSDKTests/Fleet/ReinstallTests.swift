import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK
@testable import GrowingSDK
@testable import KitSDK
@testable import TrackingSDK

extension GrowingWorld {
    /// `idfa` and `idfv` as JSON.
    fileprivate static func advertised(_ block: GrowingDeviceBlock) -> String {
        String(decoding: block.advertising.json, as: UTF8.self)
    }
}

@Suite("Apps that are installed again")
struct ReinstallTests {
    private static let later = 86_400.0 * 3

    @Test("GrowingIO: deviceId stays, idfv does not; sessions go on, sequences begin again")
    func growing() {
        let world = GrowingWorld(.v3)
        world.act(0, .launch(passive: false), .enterForeground)
        world.tap(1, count: 3)
        let before = world.device.epochs.current
        world.setNetwork(.cellular4G, at: 2)
        world.uninstall(at: 3)
        // The taps were in memory, which is gone with the process; the VISIT was in the file.
        #expect(world.sequences(.lost(.uninstalled)) == [0])
        #expect(world.sequences(.lost(.killed)) == [1, 2, 3])
        world.act(Self.later, .launch(passive: false), .enterForeground)
        let after = world.device.epochs.current
        #expect(after.installation == 1 && after.network == .cellular4G && after.session > before.session)
        #expect(world.device.lastID == 1)
        let traits = GrowingTraits(plan: world.system.plan, isVersion4: false, index: 0)
        #expect(traits.vendorID(ofInstallation: 0) != traits.vendorID(ofInstallation: 1))
        let block = GrowingDeviceBlock(plan: world.system.plan, rules: world.system.rules)
        block.prepare(index: 0, epoch: before, zone: .zero)
        let first = block.traits
        let vendor = GrowingWorld.advertised(block)
        block.prepare(index: 0, epoch: after, zone: .zero)
        #expect(block.traits.deviceID == first.deviceID)
        #expect(vendor.contains(traits.vendorID(ofInstallation: 0).text))
        #expect(GrowingWorld.advertised(block).contains(traits.vendorID(ofInstallation: 1).text))
    }

    @Test("codeless: deviceId is a new one, and the memory begins where the new installation does")
    func codeless() {
        let world = CodelessWorld { $0.upload.flushBulkSize = 2 }
        world.startApp()
        world.tap(1, count: 2)
        world.answer(200, at: 1.5)
        world.tap(2)
        world.uninstall(at: 3)
        #expect(world.memory.isEmpty && world.device.storedCount == 0 && world.fates.count == 3)
        world.act(Self.later, .launch(passive: false), .enterForeground)
        world.tap(Self.later + 1, count: 2)
        #expect(world.uploadedSequences == [[0, 1], [3, 4]])
        let batches = [world.batch(0), world.batch(1)]
        #expect(batches[0].deviceID != batches[1].deviceID && batches[0].eventsID != batches[1].eventsID)
        #expect(batches[0].events[0].sessionID != batches[1].events[0].sessionID)
    }

    @Test("Kit: the folder is new, the id in its names the keychain's")
    func kit() throws {
        let world = KitWorld()
        world.visit(10)
        let first = world.stored
        world.uninstall(at: 20)
        #expect(world.sequences(.lost(.uninstalled)) == first && world.stored.isEmpty)
        world.visit(KitWorld.day)
        let second = world.stored
        #expect(second.first == UInt32(first.count))
        world.act(KitWorld.day + 10, .kill)
        world.visit(KitWorld.day * 2)
        let upload = try #require(world.uploads.first)
        let logs = try KitWorld.logs(upload)
        #expect(world.uploads.count == 1 && logs.count == 1)
        #expect(
            logs[0].name
                == world.system.encoder.logName(
                    day: world.device.day(of: world.time(KitWorld.day)), of: world.device))
    }

    @Test("TrackingSDK: the file begins anew")
    func tracking() {
        let world = TrackingSDKWorld(start: KitWorld.beginning) { _ in }
        world.act(0, .launch(passive: false), .enterForeground)
        let count = world.device.nextSequence
        world.uninstall(at: 3)
        #expect(count > 0 && world.fates.count == Int(count) && world.device.storedCount == 0)
        world.act(Self.later, .launch(passive: false), .enterForeground)
        #expect(
            world.device.storedCount == Int(world.device.nextSequence - count) && world.device.storedCount > 0
        )
    }
}
