import DeviceSDK
import SensorsSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Devices' stores and disks")
struct DeviceStoreBindingTests {
    private func rules(_ members: String) throws -> SensorsRules {
        try document(population(members)).rules()
    }

    private func population(_ members: String) -> String {
        """
        {"duration": "1m", "populations": [{"name": "ios", "devices": 10, "system": "sensors", \(members)}]}
        """
    }

    @Test("are in memory unless the scenario says otherwise; VACUUM is the published text's")
    func defaults() throws {
        #expect(try rules(#""version": "1.10.17""#).storage.backend == .memory)
        let files = try rules(#""version": "4.9.1", "sdk": {"storage": {"backend": "sqlite"}}"#)
        #expect(files.storage.backend == .sqlite)
        #expect(!files.storage.vacuum)
        #expect(try !rules(#""version": "1.10.17""#).storage.vacuum)
        #expect(try rules(#""version": "document""#).storage.vacuum)
        #expect(try rules(#""version": "4.9.1", "sdk": {"storage": {"vacuum": true}}"#).storage.vacuum)
    }

    @Test("entries reach the plans of the populations that they concern")
    func entries() throws {
        let loaded = try document(
            """
            {"duration": "1m", "populations": [
               {"name": "a", "devices": 10, "system": "sensors"},
               {"name": "b", "devices": 10, "system": "sensors"}],
             "timeline": [
               {"at": "10s", "for": "5s", "device": {"disk": "full"}, "population": "b"},
               {"at": "20s", "share": 0.5, "device": {"disk": "corrupt"}},
               {"at": "2m", "device": {"disk": "full"}}]}
            """)
        let start = ScenarioDocument.virtualStart
        let plans = loaded.plans(start: start).populations
        #expect(!plans[0].disk.isEmpty && !plans[1].disk.isEmpty)
        #expect(
            loaded.timeline.map(\.text) == ["disk: full, b, for 5s", "disk: corrupt, 50 % of devices"])
        #expect(loaded.warnings.map(\.pointer) == ["/timeline/2/at"])
        #expect(loaded.collectorEntries.isEmpty, "an external target has nothing to do with it")
    }

    @Test("an entry has a network or a disk, and no damage ends")
    func conflicts() throws {
        let base = """
            {"duration": "1m", "populations": [{"name": "a", "devices": 10, "system": "sensors"}], "timeline":
            """
        #expect(
            problems(base + #"[{"at": "1s", "device": {"disk": "full", "network": "none"}}]}"#).map(\.pointer)
                == ["/timeline/0/device"])
        #expect(
            problems(base + #"[{"at": "1s", "device": {}}]}"#).map(\.pointer) == ["/timeline/0/device"])
        #expect(
            problems(base + #"[{"at": "1s", "device": {"disk": "ful"}}]}"#).map(\.pointer)
                == ["/timeline/0/device/disk"])
        let damaged = try document(base + #"[{"at": "1s", "for": "2s", "device": {"disk": "corrupt"}}]}"#)
        #expect(damaged.warnings.map(\.pointer) == ["/timeline/0/device"])
    }

    @Test("files are for 2000 devices, counted over all populations after scaling")
    func limit() throws {
        func text(_ first: Int, _ second: Int) -> String {
            let sdk = #""sdk": {"storage": {"backend": "sqlite"}}"#
            return """
                {"duration": "1m", "populations": [
                   {"name": "m", "devices": 5000, "system": "sensors"},
                   {"name": "a", "devices": \(first), "system": "sensors", \(sdk)},
                   {"name": "b", "devices": \(second), "system": "sensors", \(sdk)}]}
                """
        }
        #expect(try document(text(1500, 500)).populations.count == 3)
        let found = problems(text(1500, 501))
        #expect(found.map(\.pointer) == ["/populations/1/sdk/storage/backend"])
        #expect(found.first?.found.contains("2001 devices") == true)
    }
}
