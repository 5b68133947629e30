import Accounting
import DeviceSDK
import Foundation
import Testing
import Timebase

@testable import Beaconswarm

@Suite("What is told of events that were acknowledged and are not held")
struct MissingUploadsTests {
    private let start = Instant(milliseconds: 1_700_000_000_000)

    /// A file with lines of events, each with the seconds after which it was acknowledged.
    private func file(_ scratch: Scratch, _ events: [(id: String, after: Double?)]) throws -> String {
        let path = scratch.file("events.ndjson")
        let lines = events.map { event in
            let acked = event.after.map { String(1_700_000_000_000 + $0 * 1000) } ?? "null"
            let fate = event.after == nil ? "pending" : "delivered"
            return
                #"{"id":"\#(event.id)","population":"a:b","fate":"\#(fate)","attempts":1,"acked_at":\#(acked)}"#
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The audit of a store that lacks these of device 0 to 2's delivered events, and has all others.
    private func audit(_ delivered: [String], lacking: Set<String>) -> Audit {
        var (beliefs, receipts) = (DeviceBeliefs(), Receipts())
        beliefs.capturedCounts = [9, 9, 9]
        for id in delivered.compactMap({ EventID(text: $0.utf8) }) {
            beliefs.note(delivered: id)
            if !lacking.contains(id.text) { _ = receipts.record(id) }
        }
        return Audit.compare(beliefs: beliefs, receipts: receipts)
    }

    private func sentence(_ lacking: Set<String>, during seconds: ClosedRange<Int64> = 0...60) throws
        -> String?
    {
        let scratch = try Scratch()
        let events: [(id: String, after: Double?)] = [
            ("0-0", 2), ("0-1", 2), ("0-2", 3.5), ("1-0", 2), ("1-1", 2), ("2-0", 8.25), ("2-1", nil),
        ]
        let delivered = events.filter { $0.after != nil }.map(\.id)
        let range = start + .seconds(seconds.lowerBound)...start + .seconds(seconds.upperBound)
        return try MissingUploads(
            audit(delivered, lacking: lacking), events: try file(scratch, events),
            during: RunTimes(run: range, wall: range)
        ).sentence
    }

    @Test("when they were acknowledged, and whether whole uploads are gone or parts of them")
    func uploads() throws {
        let whole = try #require(try sentence(["0-0", "0-1", "2-0"]))
        #expect(
            whole.hasPrefix("All of acked_not_found were acknowledged from 2023-11-14T22:13:22"), "\(whole)")
        #expect(
            whole.contains("(2 s into the run) to ") && whole.contains("(8.25 s into the run), by 2 uploads"))
        #expect(whole.hasSuffix("; the store holds nothing of any of them."), "\(whole)")
        let parts = try #require(try sentence(["0-0", "1-1"]))
        #expect(parts.contains(" at 2023-11-14T22:13:22") && !parts.contains(" to 2023"), "\(parts)")
        #expect(parts.hasSuffix("by 2 uploads; the store holds the rest of each."), "\(parts)")
        let both = try #require(try sentence(["0-2", "1-1"]))
        #expect(both.hasSuffix("; the store holds nothing of 1 of them, and the rest of 1."), "\(both)")
        #expect(try sentence(["0-2"])?.hasSuffix("by 1 upload; the store holds nothing of it.") == true)
    }

    @Test("not of all where the file lacks one")
    func cut() throws {
        let scratch = try Scratch()
        let path = try file(scratch, [("0-0", 2), ("0-1", 2)])
        let told = try MissingUploads(
            audit(["0-0", "0-1", "0-2"], lacking: ["0-1", "0-2"]), events: path, during: nil)
        let sentence = try #require(told.sentence)
        #expect(sentence.hasPrefix("1 of acked_not_found were acknowledged at "), "\(sentence)")
        #expect(sentence.hasSuffix("by 1 upload.") && told.lines.count == 1, "\(sentence)")
    }

    @Test("nothing where nothing is missing, or the file is of another run")
    func nothing() throws {
        #expect(try sentence([]) == nil)
        #expect(try sentence(["0-0"], during: 3...60) == nil)
        #expect(try sentence(["0-0"], during: 0...1) == nil)
    }

    @Test("a device's story names the first of its own")
    func device() {
        let events = (0..<8).map { sequence in
            SealedEvent(
                id: EventID(device: 3, sequence: sequence), label: 0, attempts: 1, disposition: .delivered,
                capturedAt: start, ackedAt: start + .seconds(1))
        }
        #expect(AuditedLoss(missing: ["4-1"]).sentence(of: events).isEmpty)
        let one = AuditedLoss(missing: ["3-1", "4-1"])
        #expect(one.has(events[1]) && !one.has(events[0]))
        #expect(one.sentence(of: events).contains("did not find 1 event in the collector's store that was"))
        let many = AuditedLoss(missing: Set(events.map(\.id.text))).sentence(of: events)
        #expect(many.contains("8 events") && many.hasSuffix(": 3-0, 3-1, 3-2, 3-3, 3-4, …\n"), "\(many)")
    }

    @Test("names are read from missing.ndjson, of events with ids and without, but not its last line")
    func names() throws {
        let scratch = try Scratch()
        let path = scratch.file("missing.ndjson")
        try Data(
            "{\"id\":\"1-2\",\"population\":\"a\"}\n{\"id\":\"0f\",\"population\":null}\n{\"left_out\":3}\n"
                .utf8
        )
        .write(to: URL(fileURLWithPath: path))
        #expect(MissingNames.read(path) == ["1-2", "0f"] && MissingNames.read(path + "x").isEmpty)
    }
}
