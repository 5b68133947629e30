import DeviceSDK
import Measurement
import Reporting
import Snapshots
import Synchronization
import Testing
import Timebase
import VirtualEngine

@testable import Beaconswarm

@Suite("Parts of a run")
struct PartMergeTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Devices whose drain is over long before its time.
    private static let scenario = """
        {"name": "parts", "seed": 3, "duration": "30s", "drain": "40s",
         "populations": [{"name": "a", "devices": 5, "system": "sensors", "app": "shop", "persona": "casual",
                          "arrival": {"over": "10s"}}]}
        """

    private func options(_ out: String, shard: String? = nil) -> RunOptions {
        var options = RunOptions(source: ScenarioSource(path: scratch.file("parts.json")))
        options.out = scratch.file(out)
        options.quiet = true
        options.shard = shard
        options.events = shard == nil ? nil : "kept"
        return options
    }

    private func report(_ folder: String) throws -> [UInt8] {
        var report = try RunReader.read(scratch.file(folder))
        report.startedAt = Instant(nanoseconds: 0)
        report.wallSeconds = 0
        report.run.command = []
        report.run.parts = nil
        return ReportJSON.write(report)
    }

    @Test("one in which something happened after the end of the whole drain is played again up to there")
    func playedAgain() async throws {
        try OutputFile.write(Array(Self.scenario.utf8), to: scratch.file("parts.json"))
        #expect(try await Beaconswarm.simulate(options("one")) == .success)
        for part in 0..<3 {
            #expect(try await Beaconswarm.simulate(options("parts", shard: "\(part)/3")) == .success)
        }
        let whole = try report("one")
        let record = try ReplayRecord(of: scratch.file("one"))
        let end = try #require(record.drainEndedAt)
        let found = try PartFolder.found(in: [scratch.file("parts")])
        for folder in found { #expect(try #require(try folder.read().levels.quietSince) < end) }
        // As if the second had gone on.
        var state = try found[1].read()
        state.levels.quietSince = nil
        try found[1].write(state)
        let merge = MergeOptions(folders: [scratch.file("parts")], out: scratch.file("all"))
        var told = merge
        told.quiet = true
        told.events = scratch.file("lines.ndjson")
        #expect(try Beaconswarm.merge(told) == .success)
        #expect(try report("all") == whole)
        #expect(!OutputFile.exists(scratch.file("all/again-1")))
        var again = told
        again.out = scratch.file("interrupted")
        again.events = scratch.file("interrupted.ndjson")
        again.listensToSignals = false
        try expectNothingLeft(again)
    }

    /// Interrupts a merge at more and more places, until it comes to its end.
    private func expectNothingLeft(_ merge: MergeOptions) throws {
        var told: Set<String> = []
        var patience = 0
        while !OutputFile.exists(merge.out) {
            let looks = Atomic(0)
            let control = MergeControl(merge) { [patience] in
                looks.add(1, ordering: .relaxed).newValue > patience
            }
            do throws(CommandFailure) {
                #expect(try MergeRunner(options: merge, control: control).run() == .success)
            } catch {
                #expect(error.code == .interrupted && error.message.contains("nothing was written"))
                told.insert(error.message)
                for left in [merge.out, merge.events, merge.events.map { $0 + ".partial" }] {
                    #expect(!OutputFile.exists(left ?? ""), "after \(patience) looks: \(left ?? "")")
                }
            }
            patience = patience * 2 + 1
        }
        // Before anything is written, and while a part is played again.
        #expect(told.count == 2, "\(told)")
    }

    @Test("whose measurements are not of their scenario are refused, and nothing is left of the whole")
    func strangers() async throws {
        try OutputFile.write(Array(Self.scenario.utf8), to: scratch.file("parts.json"))
        for part in 0..<3 {
            #expect(try await Beaconswarm.simulate(options("parts", shard: "\(part)/3")) == .success)
        }
        let found = try PartFolder.found(in: [scratch.file("parts")])
        var merge = MergeOptions(folders: [scratch.file("parts")], out: scratch.file("all"))
        merge.quiet = true
        let told = merge
        // First one from the others, in the end all from their scenario.
        for index in [1, 0, 2] {
            var state = try found[index].read()
            let start = state.recorder.series.start
            state.recorder = RunRecorder(
                start: start, populationCount: 1, closeUps: [start..<start + .seconds(9)])
            try found[index].write(state)
            #expect {
                _ = try Beaconswarm.merge(told)
            } throws: {
                ($0 as? CommandFailure)?.message.contains("not of the scenario that it keeps") == true
            }
            #expect(!OutputFile.exists(scratch.file("all")))
        }
    }

    /// Expects that a merge names a file and leaves nothing.
    private func expectRefusal(_ merge: MergeOptions, naming file: String) {
        #expect {
            _ = try Beaconswarm.merge(merge)
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.code == .usage && failure.message.contains(file)
                && failure.message.contains("nothing was written")
        }
        for left in ["all", "lines.ndjson", "lines.ndjson.partial"] {
            #expect(!OutputFile.exists(scratch.file(left)), "\(left)")
        }
    }

    @Test("whose files were changed are refused, and nothing is left of the whole")
    func changed() async throws {
        try OutputFile.write(Array(Self.scenario.utf8), to: scratch.file("parts.json"))
        for part in 0..<2 {
            #expect(try await Beaconswarm.simulate(options("parts", shard: "\(part)/2")) == .success)
        }
        let second = try #require(try PartFolder.found(in: [scratch.file("parts")]).last)
        var merge = MergeOptions(folders: [scratch.file("parts")], out: scratch.file("all"))
        (merge.quiet, merge.events) = (true, scratch.file("lines.ndjson"))
        for name in [PartFolder.beliefsName, PartFolder.eventsName] {
            let whole = try OutputFile.read(second.file(name), failing: .usage)
            let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let without = Array((lines[..<2] + lines[3...]).joined(separator: [UInt8(ascii: "\n")]))
            for bytes in [without, Array(whole.dropLast(9)), nil] as [[UInt8]?] {
                RunFolder(existing: second.path).remove(name)
                if let bytes { try OutputFile.write(bytes, to: second.file(name)) }
                expectRefusal(merge, naming: second.file(name))
            }
            guard name == PartFolder.beliefsName else { break }
            try OutputFile.write(whole, to: second.file(name))
        }
        // Lines of events that nobody asks for are not read.
        merge.events = nil
        #expect(try Beaconswarm.merge(merge) == .success)
    }

    @Test("are of one scenario only if its variables, its text and its secrets are the same")
    func sums() throws {
        let mine = ScenarioSum(all: "0", variables: ["A": "1", "B": "2", "C": "3"])
        var other = mine
        func difference(hasSameText: Bool = true) -> String? {
            other.difference(from: mine, hasSameText: hasSameText)
        }
        #expect(difference() == nil)
        #expect(difference(hasSameText: false)?.contains("another scenario, or other options") == true)
        other.all = "1"
        #expect(difference()?.contains("another secret") == true)
        other.variables = ["A": "1", "B": "3", "D": "4"]
        #expect(difference(hasSameText: false) == "${B} had another value")
        other.variables["C"] = "4"
        #expect(difference() == "${B}, ${C} had other values")
        var writer = SnapshotWriter()
        writer.write(other)
        var reader = SnapshotReader(writer.bytes[...])
        let read: ScenarioSum = try reader.value()
        #expect(read == other && reader.isAtEnd)
    }

    @Test("that are missing are played into the folder of the others, wherever that is now")
    func remedies() throws {
        #expect(PartFolder(path: "p/part-000-of-004/attempt-1", attempt: 1).shared == "p")
        for (folder, shared) in [
            ("p/part-000-of-004", "p"), ("/a/p//part-000-of-004/", "/a/p"), ("/part-000-of-004", "/"),
            ("part-000-of-004", "."), ("p/mine", nil), ("", nil),
        ] {
            #expect(PartFolder.shared(byPart: folder) == shared, "\(folder)")
        }
        let command = ["beaconswarm", "simulate", "s.json", "--shard", "0/4", "--out", "p", "-q"]
        let missing = [PartNumber(index: 1, count: 4), PartNumber(index: 3, count: 4)]
        #expect(
            PartSet.remedy(command, missing: [missing[0]], in: "moved")
                == "what is missing, and merge again: beaconswarm simulate s.json -q --out moved --shard 1/4")
        #expect(
            PartSet.remedy(command, missing: missing, in: nil)
                == "what is missing, each of them as part I, and merge again: beaconswarm simulate s.json --out p -q --shard I/4"
        )
    }

    @Test("are named so that they sort, and read what is told")
    func numbers() throws {
        #expect(try PartNumber("3/16").folderName == "part-003-of-016")
        #expect(try PartNumber("0/20000").folderName == "part-00000-of-20000")
        #expect(try PartNumber("3/16").share.index == 3)
        for text in ["16/16", "1", "+1/2", "1/0", "1/100000", " 1/2", "١/2"] {
            #expect(throws: CommandFailure.self, "\(text)") { _ = try PartNumber(text) }
        }
    }
}
