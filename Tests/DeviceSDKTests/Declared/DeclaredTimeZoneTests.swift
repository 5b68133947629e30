import AppModel
import Testing
import Timebase
import Wire

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, time zones")
struct DeclaredTimeZoneTests {
    private static let sdk = """
        {"name": "zone-ios", "upload": {"flushBulkSize": 1},
         "events": {"tag": "/bs_id", "business": {"name": "{{event}}"},
                    "common": {"n": "{{name}}", "z": "{{device.timeZone}}", "u": "{{device.timeZone|upper}}"}}}
        """

    private static func world(_ zones: TimeZones) throws -> DeclaredWorld {
        let world = try DeclaredWorld(sdk, zones: zones)
        world.startApp()
        world.track(1)
        return world
    }

    @Test(
        "a zone by its name, and an offset as iOS calls it",
        arguments: [
            (TimeZones(offset: .hours(8)), "GMT+0800"), (TimeZones(offset: .minutes(-330)), "GMT-0530"),
            (TimeZones(), "GMT"), (TimeZones(offset: .minutes(30)), "GMT+0030"),
            (TimeZones(offset: .hours(-11)), "GMT-1100"),
            (TimeZones([(UTCOffsets(first: .hours(1)), 1)], names: ["Europe/Berlin"]), "Europe/Berlin"),
        ])
    func names(zones: TimeZones, name: String) throws {
        let event = try #require(try Self.world(zones).json(0).elements?.first)
        #expect(event["z"]?.string == name && event["u"]?.string == name.uppercased())
    }

    @Test("of several zones that in which the device lives")
    func several() throws {
        let names = ["Asia/Kolkata", "America/New_York", "Europe/Berlin", "Asia/Shanghai"]
        let zones = TimeZones(
            names.indices.map { (table: UTCOffsets(first: .hours(Int64($0) - 2)), weight: 1) }, names: names)
        let world = try Self.world(zones)
        let event = try #require(try world.json(0).elements?.first)
        let own = world.system.plan.utcOffsets(index: 0)
        let index = try #require(zones.tables.firstIndex(of: own))
        #expect(event["z"]?.string == names[index])
    }
}
