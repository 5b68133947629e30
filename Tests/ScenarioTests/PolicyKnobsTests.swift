import Foundation
import SensorsSDK
import Testing
import Timebase

@testable import DeviceSDK
@testable import Scenario

@Suite("Knobs of policies")
struct PolicyKnobsTests {
    /// The rows of the page's table: a knob's path, and the systems with what the page says of each.
    private func table() throws -> [(knob: String, cells: [String: String])] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/Beaconswarm/Documentation.docc/PolicyKnobs.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { String($0).trimmingCharacters(in: .whitespaces) } }
        let systems = try #require(rows.first).dropFirst()
        return rows.dropFirst(2).map { row in
            (
                row[0].trimmingCharacters(in: ["`"]),
                Dictionary(uniqueKeysWithValues: zip(systems, row.dropFirst()))
            )
        }
    }

    @Test("the page's table says of each knob and system what the format has")
    func documentation() throws {
        let rows = try table()
        #expect(rows.count == 24)
        for row in rows {
            #expect(row.cells.keys.sorted() == SystemFormat.all.map(\.name).sorted())
            for system in SystemFormat.all {
                let keys = row.knob.split(separator: ".").map(String.init)
                let isThere = system.shape().child(keys[0])?.child(keys[1]) != nil
                #expect(
                    row.cells[system.name] == (isThere ? "yes" : "no"), "\(row.knob) of \(system.name)")
            }
        }
    }

    @Test("a knob that a system lacks is known, and told with what may stand there")
    func refused() throws {
        for row in try table() {
            for system in SystemFormat.all where row.cells[system.name] == "no" {
                let keys = row.knob.split(separator: ".").map(String.init)
                let found = problems(
                    """
                    {"duration": "1m", "populations": [{"name": "a", "devices": 1, "system": "\(system.name)",
                     "sdk": {"\(keys[0])": {"\(keys[1])": 1}}}]}
                    """)
                #expect(found.map(\.kind) == [.notSupported], "\(row.knob) of \(system.name)")
            }
        }
    }

    @Test("reads a back-off, and everything that may stand in its place")
    func backoff() throws {
        func read(_ json: String) throws -> RetryPolicy {
            try document(scenario(population: #""sdk": {"upload": \#(json)}"#)).rules().upload.retry
        }
        #expect(try read("{}").isIdle)
        #expect(try read(#"{"backoff": "none"}"#).isIdle)
        var expected = RetryPolicy.Backoff()
        #expect(try read(#"{"backoff": {}}"#).backoff == expected)
        #expect(expected.initial == .seconds(1) && expected.factor == 2 && expected.limit == .minutes(5))
        expected.initial = .seconds(15)
        expected.factor = 1.5
        expected.limit = .minutes(10)
        expected.jitter = 0.5
        let whole = #"{"initial": "15s", "factor": 1.5, "max": "10m", "jitter": 0.5}"#
        let policy = try read(#"{"backoff": \#(whole), "splitOn413": true, "retryAfter": true}"#)
        #expect(policy.backoff == expected && policy.splitsOn413 && policy.heedsRetryAfter)
    }

    @Test(
        "tells what is wrong with a back-off, where it stands",
        arguments: [
            (#""full""#, ""), ("3", ""), (#"{"initial": "0s"}"#, "/initial"),
            (#"{"factor": 0.5}"#, "/factor"),
            (#"{"jitter": 1.5}"#, "/jitter"), (#"{"initial": "10m", "max": "1m"}"#, ""),
            (#"{"minimum": "1s"}"#, "/minimum"),
        ])
    func badBackoff(json: String, pointer: String) {
        let found = problems(scenario(population: #""sdk": {"upload": {"backoff": \#(json)}}"#))
        #expect(found.map(\.pointer) == ["/populations/0/sdk/upload/backoff" + pointer])
    }

    @Test("reads the ends of a store and an age")
    func storage() throws {
        let json = #""sdk": {"storage": {"evictFrom": "newest", "order": "newest", "ttl": "7d"}}"#
        let storage = try document(scenario(population: json)).rules().storage
        #expect(storage.evictFrom == .newest && storage.order == .newest && storage.ttl == .hours(168))
        let none = #""sdk": {"storage": {"ttl": "none"}}"#
        #expect(try document(scenario(population: none)).rules().storage.ttl == nil)
    }
}
