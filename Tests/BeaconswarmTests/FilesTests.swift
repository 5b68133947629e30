import Accounting
import Foundation
import Reporting
import TestSupport
import Testing
import Timebase
import Wire

@testable import Beaconswarm

/// A folder that goes with the test.
final class Scratch {
    let path: String

    init() throws {
        path = TestFolder.newPath("beaconswarm-tests")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

@Suite("Beliefs on disk")
struct BeliefsFileTests {
    @Test("read back what was believed", arguments: [UInt64(1), 2, 3])
    func roundTrip(seed: UInt64) throws {
        var stream = RandomStream(key: seed)
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = (0..<40).map { _ in UInt32(stream.below(300)) }
        for (device, captured) in beliefs.capturedCounts.enumerated() {
            for sequence in 0..<captured {
                let id = EventID(device: UInt32(device), sequence: sequence)
                switch stream.below(9) {
                case 0: beliefs.note(undelivered: id, .lost(.killed))
                case 1: beliefs.note(undelivered: id, .evicted(.storageLimit))
                case 2: beliefs.note(undelivered: id, .rejected(status: 413))
                case 3: break
                default: beliefs.note(delivered: id)
                }
            }
        }
        beliefs.note(delivered: NaturalKey(high: stream.next(), low: stream.next()))
        beliefs.note(undelivered: NaturalKey(high: stream.next(), low: stream.next()), .pending(.stored))
        let instant = Instant(milliseconds: 1_700_000_000_123)
        beliefs.captureTimes = instant - .hours(3)...instant + .hours(1)
        var times = RunTimes(run: instant...instant + .hours(1), wall: instant...instant + .hours(2))
        times.skew = .seconds(40)
        let read = try BeliefsFile.parse(BeliefsFile.render(beliefs, times: times), path: "beliefs.txt")
        #expect(read.beliefs == beliefs, "seed \(seed)")
        #expect(read.times == times)
    }

    @Test("of version 1 are read too: without times and fates")
    func firstVersion() throws {
        let text = "beaconswarm.beliefs/1 2\n1 5 0-2,4\nc \(String(repeating: "0a", count: 16))\n"
        let read = try BeliefsFile.parse(Array(text.utf8), path: "beliefs.txt")
        #expect(read.times == nil)
        #expect(read.beliefs.capturedCounts == [0, 5] && read.beliefs.delivered.count == 4)
        #expect(read.beliefs.undeliveredNatural.count == 1)
    }

    @Test(
        "refuse a damaged file and name its line",
        arguments: [
            ("", 1), ("x", 1), ("beaconswarm.beliefs/1 2\n5 1 0\n", 2),
            ("beaconswarm.beliefs/1 2\n0 3 0-3\n", 2),
            ("beaconswarm.beliefs/1 2\n0 3 2-1\n", 2), ("beaconswarm.beliefs/1 2\n0 3 0\nd xyz\n", 3),
            ("beaconswarm.beliefs/2 2\nrun 5 4\n", 2), ("beaconswarm.beliefs/2 2\n0 3 0 lost/no:1\n", 2),
            ("beaconswarm.beliefs/2 2\n0 3 0 lost/killed:1-3\n", 2),
            ("beaconswarm.beliefs/4 2\n", 1), ("beaconswarm.beliefs/2 900000000000\n", 1),
            ("beaconswarm.beliefs/2 -1\n", 1), ("beaconswarm.beliefs/2 2\n0 4000000000 0-3999999999\n", 2),
            ("beaconswarm.beliefs/2 2\n0 3 0-x-1\n", 2), ("beaconswarm.beliefs/2 2\n0 3 0,0\n", 2),
            ("beaconswarm.beliefs/2 2\n0 9 0 lost/killed::1\n", 2),
            ("beaconswarm.beliefs/2 2\n1 3 0\n1 3 0\n", 3),
        ] as [(String, Int)])
    func damaged(text: String, line: Int) {
        do {
            _ = try BeliefsFile.parse(Array(text.utf8), path: "b.txt")
            Issue.record("took \(text)")
        } catch {
            #expect(error.message.hasPrefix("b.txt:\(line):"))
        }
    }

    @Test("cut anywhere are refused by name")
    func cut() throws {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [3, 0, 2]
        for id in [EventID(device: 0, sequence: 1), EventID(device: 2, sequence: 0)] {
            beliefs.note(delivered: id)
        }
        beliefs.note(delivered: NaturalKey(high: 1, low: 2))
        let bytes = BeliefsFile.render(beliefs, times: nil)
        #expect(try BeliefsFile.parse(bytes, path: "b.txt").beliefs == beliefs)
        for count in 0..<bytes.count {
            #expect(throws: CommandFailure.self, "the first \(count) bytes") {
                _ = try BeliefsFile.parse(Array(bytes.prefix(count)), path: "b.txt")
            }
        }
        let end = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last ?? ""
        let without = Array(bytes.dropLast(end.utf8.count + 1))
        #expect(end == "end \(SHA256.hexadecimal(of: without))")
        #expect(throws: CommandFailure.self) { _ = try BeliefsFile.parse(without, path: "b.txt") }
    }

    @Test("with a single byte changed are refused by name")
    func changed() throws {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [3, 0, 2]
        beliefs.note(delivered: EventID(device: 0, sequence: 1))
        let bytes = BeliefsFile.render(beliefs, times: nil)
        for index in bytes.indices {
            for byte in Array("0123456789 \n-".utf8) where byte != bytes[index] {
                var changed = bytes
                changed[index] = byte
                do throws(CommandFailure) {
                    _ = try BeliefsFile.parse(changed, path: "b.txt")
                    // The version before has no sum.
                    #expect(index == 20 || index == 21, "took byte \(index) as \(byte)")
                } catch {
                    #expect(error.message.hasPrefix("b.txt:") && error.code == .invalidScenario)
                }
            }
        }
    }

    @Test(
        "changed anywhere are read or refused, and what is read is written the same", arguments: UInt64(0)..<8
    )
    func mutated(seed: UInt64) throws {
        var stream = RandomStream(key: seed)
        let text = """
            beaconswarm.beliefs/2 3
            run 1000 2000
            wall 900 2100
            skew 50
            captured 1000 1900
            0 120 0-49,60-119 lost/killed:50-59
            2 7 0-2,4 pending/stored:3 evicted/storage_limit:5-6
            """
        for round in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0...stream.below(3) {
                bytes[Int(stream.below(UInt64(bytes.count)))] =
                    Array("0123456789-,:/ \nlu".utf8)[
                        Int(stream.below(18))]
            }
            guard let first = try? BeliefsFile.parse(bytes, path: "b.txt") else { continue }
            let again = try BeliefsFile.parse(
                BeliefsFile.render(first.beliefs, times: first.times), path: "b.txt")
            #expect(again.beliefs == first.beliefs, "seed \(seed), round \(round)")
        }
    }
}

@Suite("The event file")
struct EventFileTests {
    static let names = EventFile.PopulationNames(
        name: "a\"b", system: "sensors", labels: [EventLabel(type: "track", name: "$AppStart")])

    static func event(_ sequence: UInt32, _ disposition: Disposition) -> SealedEvent {
        SealedEvent(
            id: EventID(device: 3, sequence: sequence), label: 0, attempts: 2, disposition: disposition,
            capturedAt: Instant(nanoseconds: 1_700_000_000_000_250_000),
            ackedAt: disposition == .delivered ? Instant(milliseconds: 1_700_000_001_000) : .distantFuture)
    }

    @Test("has one JSON object per line with the contract's keys, and its name only when it is whole")
    func lines() throws {
        let scratch = try Scratch()
        let file = try EventFile(path: scratch.file("e.ndjson"), populations: [Self.names])
        file.write([Self.event(0, .delivered), Self.event(1, .rejected(status: 413))], population: 0)
        #expect(!OutputFile.exists(scratch.file("e.ndjson")))
        try file.finish()
        #expect(!OutputFile.exists(scratch.file("e.ndjson.partial")))
        let text = try String(contentsOfFile: scratch.file("e.ndjson"), encoding: .utf8)
        let objects = try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 2)
        #expect(
            Set(objects[0].keys) == [
                "id", "population", "system", "type", "name", "captured_at", "fate", "cause", "attempts",
                "acked_at",
            ])
        #expect(objects[0]["id"] as? String == "3-0")
        #expect(objects[0]["population"] as? String == "a\"b")
        #expect(objects[0]["captured_at"] as? Double == 1_700_000_000_000.25)
        #expect(objects[0]["acked_at"] as? Double == 1_700_000_001_000)
        #expect(objects[0]["cause"] is NSNull)
        #expect(objects[1]["fate"] as? String == "rejected")
        #expect(objects[1]["cause"] as? String == "413")
        #expect(objects[1]["acked_at"] is NSNull)
    }

    @Test("packs itself where the name asks for it")
    func packed() throws {
        let scratch = try Scratch()
        let file = try EventFile(path: scratch.file("e.ndjson.gz"), populations: [Self.names])
        for sequence in 0..<5000 { file.write([Self.event(UInt32(sequence), .lost(.killed))], population: 0) }
        try file.finish()
        let bytes = try OutputFile.read(scratch.file("e.ndjson.gz"), failing: .usage)
        var text = WireBuffer()
        try bytes.withUnsafeBytes { try GzipDecoder(limit: 1 << 24).decompress($0, into: &text) }
        #expect(text.text.split(separator: "\n").count == 5000)
    }

    @Test("refuses to replace a file, and names without a known ending")
    func refuses() throws {
        let scratch = try Scratch()
        try OutputFile.write([1], to: scratch.file("e.ndjson"))
        for name in ["e.ndjson", "e.txt"] {
            do {
                _ = try EventFile(path: scratch.file(name), populations: [])
                Issue.record("took \(name)")
            } catch {
                #expect(error.code == .usage)
            }
        }
    }

    @Test("keeps its partial name when the disk is full")
    func full() throws {
        guard OutputFile.exists("/dev/full") else { return }
        do {
            let file = try AppendingFile(path: "/dev/full")
            try file.append([1, 2, 3])
            Issue.record("wrote to a full disk")
        } catch {
            #expect(error.code == .internalError)
            #expect(error.message.contains("/dev/full"))
        }
    }
}

@Suite("A run's folder")
struct RunFolderTests {
    @Test("is never made over an existing one")
    func existing() throws {
        let scratch = try Scratch()
        do {
            _ = try RunFolder(creating: scratch.path)
            Issue.record("took an existing folder")
        } catch {
            #expect(error.code == .usage)
        }
        let deep = try RunFolder(creating: scratch.file("a/b/c"))
        #expect(OutputFile.exists(deep.path))
    }

    @Test("has a default name of scenario, mode and UTC that is safe for a file system")
    func name() {
        let instant = Instant(milliseconds: 1_700_000_000_000)
        #expect(
            RunFolder.defaultPath(scenario: "x/../y z", mode: .live, at: instant)
                == "reports/x-..-y-z-live-20231114T221320Z")
    }
}
