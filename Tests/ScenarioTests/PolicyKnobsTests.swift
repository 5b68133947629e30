import Foundation
import SensorsSDK
import Testing
import Timebase

@testable import DeviceSDK
@testable import Scenario

/// The page's table of knobs, a row each.
///
/// `BEACONSWARM_WRITE_MATRIX=1 swift test --filter PolicyKnobsTests` writes it anew: the knobs are the page's, the
/// systems and what each has are the format's.
private struct KnobTable {
    private static let url = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Beaconswarm/Documentation.docc/PolicyKnobs.md")
    private static let headings = ["Knob"] + SystemFormat.all.map(\.name)

    /// Group and key of each.
    let knobs: [[String]]
    private let page: String
    private let lines: [Substring]

    init() throws {
        page = try String(contentsOf: Self.url, encoding: .utf8)
        lines = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        knobs = lines.dropFirst(2).compactMap { line in
            line.split(separator: "`").dropFirst().first?.split(separator: ".").map(String.init)
        }
    }

    /// The table as it should be.
    private var expected: [String] {
        let cells =
            [Self.headings, Self.headings.map { _ in "---" }]
            + knobs.map { knob in
                ["`\(knob.joined(separator: "."))`"]
                    + SystemFormat.all.map { $0.has(knob) ? "yes" : "no" }
            }
        return cells.map { "| " + $0.joined(separator: " | ") + " |" }
    }

    /// Compares the page's lines with these, or puts them there.
    func demand() throws {
        guard ProcessInfo.processInfo.environment["BEACONSWARM_WRITE_MATRIX"] != nil else {
            for (line, expected) in zip(lines, expected) { #expect(line == expected) }
            return
        }
        let renewed = page.replacingOccurrences(
            of: lines.joined(separator: "\n"), with: expected.joined(separator: "\n"))
        try renewed.write(to: Self.url, atomically: true, encoding: .utf8)
    }
}

@Suite("Knobs of policies")
struct PolicyKnobsTests {
    @Test("the page's table says of each knob and system what the format has")
    func documentation() throws {
        let table = try KnobTable()
        #expect(table.knobs.count == 24)
        try table.demand()
    }

    @Test("a knob that a system lacks is known, and told with what may stand there")
    func refused() throws {
        for knob in try KnobTable().knobs {
            for system in SystemFormat.all where !system.has(knob) {
                let found = problems(
                    """
                    {"duration": "1m", "populations": [{"name": "a", "devices": 1, "system": "\(system.name)",
                     "sdk": {"\(knob[0])": {"\(knob[1])": 1}}}]}
                    """)
                #expect(found.map(\.kind) == [.notSupported], "\(knob) of \(system.name)")
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
