import Scenario
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Time zones by name")
struct KnownZonesTests {
    /// Dates and offsets of the IANA database (`zdump -v`).
    @Test(
        arguments: [
            ("Asia/Shanghai", "2026-03-02T00:00:00Z", 8.0), ("Europe/Berlin", "2026-03-29T00:59:59Z", 1),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", 2), ("Europe/Berlin", "2026-10-25T01:00:00Z", 1),
            ("America/New_York", "2026-03-08T06:59:59Z", -5),
            ("America/New_York", "2026-03-08T07:00:00Z", -4),
            ("Asia/Kolkata", "2030-01-01T00:00:00Z", 5.5),
            ("Australia/Lord_Howe", "2026-01-01T00:00:00Z", 11),
            ("Australia/Lord_Howe", "2026-06-01T00:00:00Z", 10.5), ("UTC", "2026-06-01T00:00:00Z", 0),
        ])
    func offsets(name: String, at: String, hours: Double) throws {
        let zone = try #require(ZoneTable.known.offsets(name))
        let instant = try #require(Instant(text: at))
        #expect(zone.offset(at: instant).offset.fractionalSeconds == hours * 3600)
    }

    @Test(arguments: ["GMT+3", "CET", "Mars/Olympus", "", "europe"])
    func unknown(name: String) {
        #expect(ZoneTable.known.offsets(name) == nil)
    }
}
