import Accounting
import DeviceSDK
import Foundation
import GrowingSDK
import Reporting
import Scenario
import Testing
import Timebase
import Wire

@testable import Beaconswarm

@Suite("Copies that interceptors make")
struct EventCopiesTests {
    private func rules(_ names: [String?]) -> any SystemRuleSet {
        var rules = GrowingRules(version: .v3)
        rules.interceptors = names.map { name in
            var rule = GrowingInterceptorRule(name: "rule", callback: .eventDidBuild)
            rule.copyTo = name
            return rule
        }
        return rules
    }

    private func copy(_ text: String, to name: String, in copies: EventCopies) {
        Array(text.utf8).withUnsafeBytes { copies.copy($0, to: name) }
    }

    @Test("have their names when they are whole, one file for each name, and no secrets")
    func lines() throws {
        let scratch = try Scratch()
        let folder = RunFolder(existing: scratch.path)
        let copies = try #require(
            try EventCopies(
                [rules(["own", nil, "other"]), rules(["own"])], in: folder,
                redactor: Redactor(secrets: ["hunter2"])))
        #expect(OutputFile.exists(scratch.file("copy-own.ndjson.partial")))
        copy(#"{"n":1,"k":"hunter2"}"#, to: "own", in: copies)
        copy(#"{"n":2}"#, to: "own", in: copies)
        copy(#"{"n":3}"#, to: "nobody", in: copies)
        #expect(!OutputFile.exists(scratch.file("copy-own.ndjson")))
        try copies.finish()
        let text = try String(contentsOfFile: scratch.file("copy-own.ndjson"), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 2 && text.hasSuffix("{\"n\":2}\n"))
        #expect(!text.contains("hunter2"))
        #expect(try OutputFile.read(scratch.file("copy-other.ndjson"), failing: .usage).isEmpty)
        #expect(!OutputFile.exists(scratch.file("copy-own.ndjson.partial")))
        #expect(!OutputFile.exists(scratch.file("copy-nobody.ndjson")))
    }

    @Test("are not there where nobody copies, and cannot be made where there is no folder")
    func none() async throws {
        let scratch = try Scratch()
        let folder = RunFolder(existing: scratch.path)
        #expect(try EventCopies([rules([nil])], in: folder, redactor: Redactor(secrets: [])) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        let nowhere = try await failure {
            try EventCopies(
                [rules(["own"])], in: RunFolder(existing: scratch.file("no")), redactor: Redactor(secrets: [])
            )
        }
        #expect(nowhere.code == .internalError && nowhere.message.contains("copy-own.ndjson"))
    }

    @Test("keep their partial names if one of them cannot be finished")
    func unfinished() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.file("copy-own.ndjson/inside"), withIntermediateDirectories: true)
        let copies = try #require(
            try EventCopies(
                [rules(["own"])], in: RunFolder(existing: scratch.path), redactor: Redactor(secrets: [])))
        copy("{}", to: "own", in: copies)
        let failed = try await failure { try copies.finish() }
        #expect(failed.code == .internalError && failed.message.contains("copy-own.ndjson"))
        #expect(
            try OutputFile.read(scratch.file("copy-own.ndjson.partial"), failing: .usage)
                == Array("{}\n".utf8))
    }
}

@Suite("The file of missing events")
struct MissingFileTests {
    /// Device 0 has `captured` events that it takes as delivered; the collector holds the first `held`.
    private func audit(captured: UInt32, held: UInt32) -> Audit {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [captured]
        var receipts = Receipts()
        for sequence in 0..<captured {
            let id = EventID(device: 0, sequence: sequence)
            beliefs.note(delivered: id)
            if sequence < held { _ = receipts.record(id) }
        }
        return Audit.compare(beliefs: beliefs, receipts: receipts)
    }

    private func report() async throws -> (ScenarioBench, Report) {
        let bench = try ScenarioBench()
        let result = try await Beaconswarm.play(try bench.options(), in: .virtual)
        return (bench, result.report.report)
    }

    private func objects(_ path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("names each, with the event file's own line where there is one")
    func lines() async throws {
        let (bench, report) = try await report()
        let folder = RunFolder(existing: bench.scratch.path)
        let line = #"{"id":"0-3","population":"ios","captured_at":17}"#
        for name in ["e.ndjson", "e.ndjson.gz"] {
            var bytes = Array((#"{"id":"0-2","population":"ios"}"# + "\n" + line + "\n").utf8)
            if name.hasSuffix(".gz") {
                var (plain, packed) = (WireBuffer(), WireBuffer())
                plain.append(contentsOf: bytes)
                GzipEncoder(level: 6).compress(plain, into: &packed)
                bytes = packed.bytes
            }
            try OutputFile.write(bytes, to: bench.scratch.file(name))
            let missing = audit(captured: 5, held: 3)
            let lines = try EventLines.lines(of: Set(missing.missing), in: bench.scratch.file(name))
            try folder.write(missing: missing, of: report, lines: lines)
            let found = try objects(bench.scratch.file("missing.ndjson"))
            #expect(found.map { $0["id"] as? String } == ["0-3", "0-4"])
            #expect(found[0]["captured_at"] as? Int == 17 && found[1]["captured_at"] == nil, "\(name)")
            #expect(found[1]["population"] as? String == "ios")
        }
        // Without an event file the times stay open.
        try folder.write(missing: audit(captured: 5, held: 3), of: report, lines: [:])
        #expect(try objects(bench.scratch.file("missing.ndjson")).count == 2)
    }

    @Test("are found in pieces that cut them, and one that cannot be read is no file without lines")
    func pieces() async throws {
        let (bench, _) = try await report()
        let text: [UInt8] =
            Array(#"{"id":"0-2"}"#.utf8) + [0x0A] + Array(#"{"id":"0-3","name":"x"}"#.utf8) + [0x0A]
        var bytes: [UInt8] = []
        for piece in [text[..<5], text[5..<20], text[20...]] {
            var (plain, packed) = (WireBuffer(), WireBuffer())
            plain.append(contentsOf: Array(piece))
            GzipEncoder(level: 6).compress(plain, into: &packed)
            bytes += packed.bytes
        }
        let path = bench.scratch.file("pieces.ndjson.gz")
        try OutputFile.write(bytes, to: path)
        let ids: Set = [EventID(device: 0, sequence: 2), EventID(device: 0, sequence: 3)]
        let found = try EventLines.lines(of: ids, in: path)
        #expect(found.count == 2)
        #expect(found[EventID(device: 0, sequence: 3)] == Array(#"{"id":"0-3","name":"x"}"#.utf8))
        try OutputFile.write(Array(bytes.dropLast(9)), to: path)
        for file in [path, path + "x", bench.scratch.path] {
            let failure = #expect(throws: CommandFailure.self) { try EventLines.lines(of: ids, in: file) }
            #expect(failure?.code == .usage && failure?.message.contains(file) == true)
        }
    }

    @Test("says how many it leaves out")
    func many() async throws {
        let (bench, report) = try await report()
        let folder = RunFolder(existing: bench.scratch.path)
        try folder.write(missing: audit(captured: 10_007, held: 0), of: report, lines: [:])
        let found = try objects(bench.scratch.file("missing.ndjson"))
        #expect(found.count == Audit.missingLimit + 1)
        #expect(found.last?["left_out"] as? Int == 7)
    }

    @Test("goes when nothing is missing any more")
    func gone() async throws {
        let (bench, report) = try await report()
        let folder = RunFolder(existing: bench.scratch.path)
        try folder.write(missing: audit(captured: 2, held: 0), of: report, lines: [:])
        #expect(OutputFile.exists(bench.scratch.file("missing.ndjson")))
        try folder.write(missing: audit(captured: 2, held: 2), of: report, lines: [:])
        #expect(!OutputFile.exists(bench.scratch.file("missing.ndjson")))
    }
}

@Suite("A collector that cannot start")
struct RefusedCollectorTests {
    private func refused(
        listen: String = "127.0.0.1:0", store: String, faults: String? = nil, systems: String? = nil,
        paths: [String] = []
    ) async throws -> CommandFailure {
        let options = CollectOptions(
            listen: listen, store: store, faults: faults, systems: systems, paths: paths)
        return try await failure { try await Beaconswarm.collect(options) }
    }

    @Test(
        "for its address",
        arguments: [
            ("8106", "HOST:PORT"), ("127.0.0.1", "HOST:PORT"), ("127.0.0.1:", "HOST:PORT"),
            (":8106", "HOST:PORT"),
            ("127.0.0.1:x", "HOST:PORT"), ("127.0.0.1:65536", "65535"), ("127.0.0.1:-1", "65535"),
            ("", "HOST:PORT"),
        ])
    func address(listen: String, allowed: String) async throws {
        let scratch = try Scratch()
        let failure = try await refused(listen: listen, store: scratch.file("s.sqlite"))
        #expect(failure.code == .usage && failure.message.contains(allowed), "\(failure.message)")
        #expect(!OutputFile.exists(scratch.file("s.sqlite")))
    }

    @Test("for its systems and paths, each with what is allowed")
    func options() async throws {
        let scratch = try Scratch()
        let store = scratch.file("s.sqlite")
        for systems in ["sensor", "sensors,", "sensors,,kit", "Sensors"] {
            let failure = try await refused(store: store, systems: systems)
            #expect(failure.code == .usage && failure.message.contains("trackingsdk"), "\(systems)")
        }
        for path in ["sensors", "sensors=sa", "sensor=/sa", "sensors=/sa?x=1", "=/sa"] {
            let failure = try await refused(store: store, paths: [path])
            #expect(failure.code == .usage && failure.message.contains("SYSTEM=/PATH"), "\(path)")
        }
        #expect(!OutputFile.exists(store))
    }

    @Test("for its faults, with every problem and its place")
    func faults() async throws {
        let scratch = try Scratch()
        let file = scratch.file("faults.json")
        try Data(#"{"timeline": [{"at": "1s", "collector": {"fault": "outrage"}}], "sede": 1}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        let failure = try await refused(store: scratch.file("s.sqlite"), faults: file)
        #expect(failure.code == .invalidScenario)
        #expect(failure.message.contains("\(file):1:") && failure.message.contains("outage"))
        #expect(failure.message.split(separator: "\n").count == 2, "\(failure.message)")
        let missing = try await refused(store: scratch.file("s.sqlite"), faults: scratch.file("no.json"))
        #expect(missing.code == .invalidScenario && missing.message.contains("no.json"))
        #expect(!OutputFile.exists(scratch.file("s.sqlite")))
    }

    @Test("for its store, whose file stays as it was")
    func store() async throws {
        let scratch = try Scratch()
        let text = Array(String(repeating: "no database at all ", count: 100).utf8)
        try OutputFile.write(text, to: scratch.file("text"))
        let foreign = try await refused(store: scratch.file("text"))
        #expect(foreign.code == .internalError && foreign.message.contains("no SQLite database"))
        #expect(try OutputFile.read(scratch.file("text"), failing: .usage) == text)
        #expect(try await refused(store: scratch.path).message.contains("name a file"))
        #expect(try await refused(store: scratch.file("no/s.sqlite")).message.contains("No such file"))
    }
}
