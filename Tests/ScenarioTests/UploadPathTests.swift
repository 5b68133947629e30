import CollectorModel
import Testing
import Timebase

@testable import Scenario

@Suite("Paths that the collector of a run must be told")
struct UploadPathTests {
    private func paths(_ populations: String...) throws -> [UploadPath] {
        let named = populations.enumerated().map { #"{"name": "p\#($0)", "devices": 1, \#($1)}"# }
        let text = #"{"duration": "1m", "populations": [\#(named.joined(separator: ", "))]}"#
        return try document(text).plans(start: ScenarioDocument.virtualStart).collector.uploadPaths
    }

    @Test("none, where each system's devices post to the system's own path")
    func known() throws {
        for (name, versions) in SimulatedSystems.all {
            #expect(CollectorSystem(rawValue: name) != nil, "no collector reads \(name)")
            for version in versions {
                let members = #""system": "\#(name)", "version": "\#(version)""#
                #expect(try paths(members) == [], "\(name) \(version)")
            }
        }
        #expect(
            try paths(#""system": "sensors", "target": {"url": "http://h/x/sa?project=p"}"#) == [])
    }

    @Test(
        "every system whose uploads a collector reads can be simulated",
        arguments: CollectorSystem.allCases)
    func simulated(system: CollectorSystem) {
        let names = SimulatedSystems.all.map(\.name)
        #expect(names.contains(system.rawValue), "\(system.rawValue) is missing in SystemFormat.all")
    }

    @Test("those of targets that have others, once each and with their system")
    func own() throws {
        let tracking = #""system": "trackingsdk", "target": {"url": "http://h/ingest?a=b", "apiKey": "k"}"#
        #expect(
            try paths(tracking, tracking, #""system": "sensors", "target": {"url": "http://h/in"}"#) == [
                UploadPath(path: "/ingest", system: .trackingSDK), UploadPath(path: "/in", system: .sensors),
            ])
    }
}
