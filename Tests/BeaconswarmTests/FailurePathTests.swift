import Accounting
import Foundation
import Glibc
import Measurement
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Files that cannot be read or written")
struct OutputFileTests {
    @Test("say which, and why, with the caller's code")
    func reading() async throws {
        let scratch = try Scratch()
        let missing = try await failure { try OutputFile.read(scratch.file("no"), failing: .usage) }
        #expect(missing.code == .usage && missing.message.contains(scratch.file("no")))
        #expect(missing.message.hasSuffix("No such file or directory"))
        let folder = try await failure { try OutputFile.read(scratch.path, failing: .invalidScenario) }
        #expect(folder.code == .invalidScenario && folder.message.hasSuffix("Is a directory"))
    }

    @Test("a pipe in a folder is not waited for; what a user names may be no file")
    func pipes() async throws {
        let scratch = try Scratch()
        let path = scratch.file("report.json")
        try #require(mkfifo(path, 0o600) == 0)
        for path in [path, "/dev/null"] {
            let refused = try await failure { try OutputFile.read(path, failing: .usage) }
            #expect(refused.code == .usage && refused.message == "cannot read \(path): it is no regular file")
        }
        #expect(try OutputFile.read("/dev/null", failing: .usage, mayBePipe: true).isEmpty)
    }

    @Test("a file is whole or not there: what failed half-way leaves neither it nor its partial")
    func writing() async throws {
        let scratch = try Scratch()
        let path = scratch.file("report.json")
        try OutputFile.write(Array("old".utf8), to: path)
        try OutputFile.write(Array("new".utf8), to: path)
        #expect(try OutputFile.read(path, failing: .usage) == Array("new".utf8))
        // A folder is in the way of the last step, so everything before it has succeeded.
        try FileManager.default.createDirectory(
            atPath: scratch.file("taken/inside"), withIntermediateDirectories: true)
        let failed = try await failure { try OutputFile.write([1], to: scratch.file("taken")) }
        #expect(failed.code == .internalError && failed.message.contains(scratch.file("taken")))
        #expect(!OutputFile.exists(scratch.file("taken.partial")))
        let nowhere = try await failure { try OutputFile.write([1], to: scratch.file("no/file")) }
        #expect(nowhere.message.contains("no/file"))
    }

    @Test("large contents come back as they were, whole")
    func large() throws {
        let scratch = try Scratch()
        var stream = RandomStream(key: 3)
        let bytes = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: stream.next()) }
        try OutputFile.write(bytes, to: scratch.file("large"))
        #expect(try OutputFile.read(scratch.file("large"), failing: .usage) == bytes)
    }

    @Test("a link that leads nowhere is something that is there")
    func dangling() throws {
        let scratch = try Scratch()
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file("link"), withDestinationPath: scratch.file("nowhere"))
        #expect(OutputFile.exists(scratch.file("link")) && !OutputFile.exists(scratch.file("nowhere")))
        #expect(throws: CommandFailure.self) { try RunFolder(creating: scratch.file("link")) }
    }
}

@Suite("Runs that are read back")
struct RunReaderTests {
    private func played(_ change: (inout RunOptions) -> Void = { _ in }) async throws -> (
        ScenarioBench, String
    ) {
        let bench = try ScenarioBench()
        var options = try bench.options()
        change(&options)
        #expect(try await Beaconswarm.simulate(options) == .success)
        return (bench, bench.scratch.file("run"))
    }

    @Test("by the folder, by the report's path, and broken off by its last state")
    func folders() async throws {
        let (bench, folder) = try await played()
        let whole = try RunReader.read(folder)
        #expect(whole.events.captured > 0 && !whole.isPartial)
        #expect(try RunReader.read(folder + "/report.json").fingerprint == whole.fingerprint)
        var partial = whole
        partial.isPartial = true
        partial.judge()
        try OutputFile.write(ReportJSON.write(partial), to: folder + "/report.partial.json")
        #expect(try !RunReader.read(folder).isPartial, "the whole one comes first")
        try FileManager.default.removeItem(atPath: folder + "/report.json")
        #expect(try RunReader.read(bench.scratch.file("run")).isPartial)
    }

    @Test("what is no report is told by its file: cut off, foreign, of another kind")
    func broken() async throws {
        let (bench, folder) = try await played()
        let bytes = try OutputFile.read(folder + "/report.json", failing: .usage)
        let text = String(decoding: bytes, as: UTF8.self)
        let spoiled = [
            String(text.dropLast(20)), "{}", "[]", "",
            text.replacing("beaconswarm.report/1", with: "k6.report/7"),
            text.replacing("\"captured\":", with: "\"captrued\":"),
        ]
        for content in spoiled {
            try Data(content.utf8).write(to: URL(fileURLWithPath: bench.scratch.file("r.json")))
            let failure = try await failure { try RunReader.read(bench.scratch.file("r.json")) }
            #expect(failure.code == .invalidScenario, "\(content.prefix(60))")
            #expect(failure.message.hasPrefix(bench.scratch.file("r.json") + ": "))
        }
    }

    @Test(
        "a format, or a metric without a distribution, that does not exist is wrong usage that says what exists"
    )
    func formats() async throws {
        let (bench, folder) = try await played()
        func refused(_ format: String?, _ metric: String?) async throws -> CommandFailure {
            try await failure { try Beaconswarm.report(folder, format: format, metric: metric, color: false) }
        }
        let unknown = try await refused("pdf", nil)
        #expect(unknown.code == .usage && ReportFormats.names.allSatisfy(unknown.message.contains))
        #expect(try await refused(nil, "http_req_duration").message.contains("--format hgrm"))
        #expect(try await refused("hgrm", "events_lost").message.contains("http_req_duration"))
        #expect(OutputFile.exists(bench.scratch.file("run")))
    }
}

@Suite("Audits by receipts")
struct ForeignAuditTests {
    /// Ten events of device 0, of which the devices take all as delivered.
    private var beliefs: DeviceBeliefs {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [10]
        for sequence in 0..<10 { beliefs.note(delivered: EventID(device: 0, sequence: UInt32(sequence))) }
        return beliefs
    }

    private static let start = Instant(milliseconds: 1_700_000_000_000)
    private var times: RunTimes {
        let range = Self.start...(Self.start + .seconds(60))
        return RunTimes(run: range, wall: range)
    }

    private func audit(_ content: String, name: String = "r.csv", times: RunTimes?) throws -> ForeignAudit {
        let scratch = try Scratch()
        try Data(content.utf8).write(to: URL(fileURLWithPath: scratch.file(name)))
        return try ForeignAudit(receipts: [scratch.file(name)], beliefs: beliefs, times: times)
    }

    private func rows(_ sequences: Range<Int>, at instant: Instant) -> String {
        sequences.map { "0-\($0),\(instant.milliseconds)\n" }.joined()
    }

    @Test("finds what is missing, what is there twice, and what no device made")
    func counts() throws {
        let text = "id\n" + (0..<9).map { "0-\($0)\n" }.joined() + "0-3\n0-77\n"
        let foreign = try audit(text, times: nil)
        #expect(foreign.audit.confirmed == 9 && foreign.audit.ackedNotFound == 1)
        #expect(foreign.audit.missing == [EventID(device: 0, sequence: 9)])
        #expect(foreign.audit.unexpected == 1)
        #expect(foreign.note.contains("not told apart"))
    }

    @Test("leaves rows of other runs out, and says how many by which column")
    func otherRuns() throws {
        let head = "id,received_at\n"
        let text = head + rows(0..<10, at: Self.start + .seconds(5)) + rows(0..<4, at: Self.start - .hours(2))
        let foreign = try audit(text, times: times)
        #expect(foreign.audit.confirmed == 10 && foreign.audit.duplicates == 0)
        #expect(foreign.note.contains("4 rows of other runs left out, by received_at"))
        let single = try audit(
            head + rows(0..<10, at: Self.start) + rows(0..<1, at: Self.start - .hours(2)), times: times)
        #expect(single.note.contains("1 row of other runs"))
    }

    @Test(
        "refuses a store that is given twice, by its own name or by a link of either kind; a copy is another")
    func twice() async throws {
        let scratch = try Scratch()
        let store = scratch.file("r.csv")
        let text = "id\n" + (0..<10).map { "0-\($0)\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: store))
        let files = FileManager.default
        try files.createSymbolicLink(atPath: scratch.file("soft.csv"), withDestinationPath: store)
        try files.linkItem(atPath: store, toPath: scratch.file("hard.csv"))
        for name in ["r.csv", "soft.csv", "hard.csv"] {
            let other = scratch.file(name)
            let refused = try await failure {
                try ForeignAudit(receipts: [store, other], beliefs: beliefs, times: nil)
            }
            #expect(refused.code == .usage && refused.message == "--receipts: \(other) is given twice")
        }
        let copy = scratch.file("copy.csv")
        try files.copyItem(atPath: store, toPath: copy)
        let both = try ForeignAudit(receipts: [store, copy], beliefs: beliefs, times: nil)
        #expect(both.audit.confirmed == 10 && both.audit.duplicates == 10)
    }

    @Test("refuses a store that holds none of the run, and a file without ids")
    func refused() throws {
        let old = "id,received_at\n" + rows(0..<10, at: Self.start - .hours(9))
        for (text, words) in [(old, "is it its store?"), ("name\nx\n", "no column"), ("", "empty")] {
            #expect {
                try audit(text, times: times)
            } throws: {
                guard let failure = $0 as? CommandFailure else { return false }
                return failure.code == .usage && failure.message.contains(words)
                    && failure.message.contains("--receipts")
            }
        }
    }

    @Test("rows that say no time are counted, and that is said")
    func undated() throws {
        let foreign = try audit("id\n" + (0..<10).map { "0-\($0)\n" }.joined(), times: times)
        #expect(foreign.audit.confirmed == 10)
        #expect(foreign.note.contains("neither received_at nor captured_at"))
    }
}

@Suite("The verb audit")
struct AuditVerbTests {
    @Test("refuses runs that it cannot audit, and says why")
    func refused() async throws {
        let bench = try ScenarioBench()
        #expect(try await Beaconswarm.simulate(try bench.options()) == .success)
        let folder = bench.scratch.file("run")
        let ids = bench.scratch.file("ids.csv")
        try OutputFile.write(Array("id\n0-0\n".utf8), to: ids)
        func audit(_ folder: String, events: String? = nil) async throws -> CommandFailure {
            try await failure {
                try await Beaconswarm.audit(folder: folder, receipts: [ids], events: events, json: false)
            }
        }
        let simulated = try await audit(folder)
        #expect(simulated.code == .usage && simulated.message.contains("simulated"))
        // The same run, as if it had been live.
        var report = try RunReader.read(folder)
        report.mode = .live
        try OutputFile.write(ReportJSON.write(report), to: folder + "/report.json")
        let before = try OutputFile.read(folder + "/report.json", failing: .usage)
        #expect(try await audit(folder, events: bench.scratch.file("no.ndjson")).message.contains("--events"))
        try FileManager.default.removeItem(atPath: folder + "/beliefs.txt")
        let unknown = try await audit(folder)
        #expect(unknown.message.contains("beliefs.txt"))
        report.isPartial = true
        try OutputFile.write(ReportJSON.write(report), to: folder + "/report.json")
        #expect(try await audit(folder).message.contains("broken off"))
        try OutputFile.write(before, to: folder + "/report.json")
        #expect(!OutputFile.exists(folder + "/missing.ndjson"), "a refused audit writes nothing")
    }
}

@Suite("The load that a scenario offers")
struct ForecastTests {
    @Test("a forecast is near what the run then does")
    func nearness() async throws {
        let bench = try ScenarioBench()
        let text = ScenarioBench.text().replacing("\"3s\"", with: "\"2m\"").replacing(
            "\"devices\": 2", with: "\"devices\": 40")
        let options = try bench.options(text)
        let forecast = Forecast(try LoadedScenario(options.source).document)
        let report = try await Beaconswarm.play(options, in: .virtual).report
        let rate = Double(report.events.captured) / 120
        #expect(abs(forecast.eventsMean - rate) < rate * 0.15, "\(forecast.eventsMean) and \(rate)")
        let requests = try #require(report.value(of: "http_reqs", "count")) / 120
        #expect(abs(forecast.requestsMean - requests) < requests * 0.25)
        #expect(forecast.eventsPeak >= forecast.eventsMean)
    }
}
