import Files
import Foundation
import Measurement
import Reporting
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Parts of a live run")
struct LivePartTests {
    private let scratch: Scratch
    private static let at = Instant(milliseconds: 1_800_000_000_000)

    init() throws { scratch = try Scratch() }

    private static let scenario = """
        {"name": "parts", "seed": 3, "duration": "10s", "drain": "5s", "target": {"url": "http://127.0.0.1:1/sa"},
         "populations": [{"name": "a", "devices": 5, "system": "sensors", "app": "shop", "persona": "casual"}]}
        """

    /// Parts as they would be, measured in virtual time.
    private func parts(
        _ count: Int = 2, of scenario: String = Self.scenario,
        change: (Int, inout PartState) -> Void = { _, _ in }
    ) async throws -> [PartFolder] {
        try OutputFile.write(Array(scenario.utf8), to: scratch.file("parts.json"))
        for part in 0..<count {
            var options = RunOptions(source: ScenarioSource(path: scratch.file("parts.json")))
            (options.out, options.quiet, options.shard) = (scratch.file("parts"), true, "\(part)/\(count)")
            #expect(try await Beaconswarm.simulate(options) == .success)
        }
        let found = try PartFolder.found(in: [scratch.file("parts")])
        for (index, folder) in found.enumerated() {
            var state = try folder.read()
            (state.identity.at, state.identity.bodies, state.audit) = (Self.at, "", nil)
            state.host = "node-\(index)"
            var live = LivePart(
                wall: Self.at...Self.at + .seconds(20 + Int64(index)), fingerprint: .max - UInt64(index),
                target: "http://127.0.0.1:1/sa", conduct: Report.PartConduct(), generator: Report.Generator())
            (live.conduct.marginSeconds, live.generator.eventLoops) = (1.5, 2)
            state.live = live
            change(index, &state)
            try folder.write(state)
        }
        return found
    }

    private func merged(expecting status: CommandStatus) throws -> Report {
        var options = MergeOptions(folders: [scratch.file("parts")], out: scratch.file("all"))
        options.quiet = true
        #expect(try Beaconswarm.merge(options) == status)
        return try RunReader.read(scratch.file("all"))
    }

    @Test("are joined, with the times and the plan of the whole")
    func joined() async throws {
        _ = try await parts()
        let report = try merged(expecting: .success)
        #expect(report.mode == .live && report.startedAt == Self.at && report.verdict == .passed)
        #expect(report.fingerprint == ReportBuilder.hexadecimal(.max &+ (.max - 1)))
        #expect(report.generator.eventLoops == 4 && report.audit == nil)
        #expect(report.run.parts?.map(\.conduct?.marginSeconds) == [1.5, 1.5])
        let file = scratch.file("all/beliefs.txt")
        let times = try BeliefsFile.parse(OutputFile.read(file, failing: .usage), path: file).times
        #expect(times?.wall == Self.at...Self.at + .seconds(21))
    }

    @Test(
        "tell how long users acted: up to the last that were stopped, or to their end if a part's never were")
    func usersSeconds() async throws {
        _ = try await parts { index, state in
            state.live?.usersStoppedAt = state.recorder.series.start + .seconds(3 + Int64(index))
        }
        #expect(try merged(expecting: .success).usersSeconds == 4)
        for folder in try PartFolder.found(in: [scratch.file("parts")]) {
            var state = try folder.read()
            if state.index == 0 { state.live?.usersStoppedAt = nil }
            try folder.write(state)
        }
        try FileManager.default.removeItem(atPath: scratch.file("all"))
        #expect(try merged(expecting: .success).usersSeconds == 10)
    }

    private func reached(_ report: Report) -> [UInt64]? {
        let metric = report.metrics.first { $0.name == "rollout_reached" }
        guard case .rate(let passes, let fails) = metric?.value else { return nil }
        return [passes, fails]
    }

    @Test("tell how many devices a roll-out has reached as the whole does")
    func rollOut() async throws {
        let entry = #"{"at": "0s", "share": 0.5, "sdk": {"upload": {"batch": 7}}}"#
        let scenario = String(Self.scenario.dropLast()) + #", "timeline": [\#(entry)]}"#
        _ = try await parts(3, of: scenario)
        var options = RunOptions(source: ScenarioSource(path: scratch.file("parts.json")))
        (options.out, options.quiet) = (scratch.file("one"), true)
        #expect(try await Beaconswarm.simulate(options) == .success)
        let one = try RunReader.read(scratch.file("one"))
        let whole = try #require(reached(one))
        #expect(whole.reduce(0, +) > 0)
        let joined = try merged(expecting: .success)
        #expect(reached(joined) == whole)
    }

    @Test("make the whole invalid where one generator was late, however good the others were")
    func late() async throws {
        _ = try await parts { index, state in
            guard index == 1 else { return }
            state.live?.generator.saturated = true
            state.live?.problems = [
                Report.PartProblem(
                    cause: .generatorLate, text: "Part 1/2 on node-1 could not keep its own schedule.")
            ]
        }
        let report = try merged(expecting: .invalidRun)
        #expect(report.verdict == .invalid && report.causes == ["generator_late"])
        #expect(report.reasons.first?.contains("Part 1/2 on node-1") == true)
        #expect(report.run.parts?.map { $0.problems?.count ?? 0 } == [0, 1])
    }

    @Test(
        "that were ended for different reasons come to the heaviest, and all of them are told",
        arguments: [false, true])
    func endedApart(isInterrupted: Bool) async throws {
        let guarded = Report.EarlyEnd(cause: .guard, text: "The guard ended part 0/3.")
        let fast = Report.EarlyEnd(cause: .maxRate, text: "Part 1/3 sent too much.")
        let ends: [Report.EarlyEnd?] = [guarded, fast, nil]
        _ = try await parts(3) { index, state in
            state.live?.endedBy = ends[index]
            state.live?.isInterrupted = isInterrupted && index == 2
        }
        let report = try merged(expecting: isInterrupted ? .interrupted : .invalidRun)
        #expect(report.verdict == (isInterrupted ? .interrupted : .invalid))
        #expect(report.causes == (isInterrupted ? ["interrupted"] : []) + ["max_rate", "guard"])
        #expect(Array(report.reasons.suffix(2)) == [fast.text, guarded.text] && report.endedBy == fast)
        #expect(report.run.parts?.map(\.endedBy) == ends)
        #expect(report.run.parts?.map(\.isInterrupted) == [false, false, isInterrupted])
        let ofPart =
            "Part 2/3 on node-2 was interrupted; of its devices, the figures cover what ran until then."
        #expect(report.reasons.contains(ofPart) == isInterrupted)
    }

    @Test("that were all interrupted are a run that was")
    func interrupted() async throws {
        _ = try await parts { _, state in state.live?.isInterrupted = true }
        let report = try merged(expecting: .interrupted)
        #expect(report.reasons.first == "The run was interrupted; the figures cover what ran until then.")
        #expect(report.run.parts?.map(\.isInterrupted) == [true, true])
    }

    @Test("are refused where one was played twice, and taken once where one was copied")
    func twice() async throws {
        let found = try await parts()
        let copy = PartFolder(path: scratch.file("parts/part-001-of-002/attempt-2"), attempt: 2)
        try Folder.make(copy.path)
        try copy.write(found[1].read())
        _ = try PartSet([found[0], found[1], copy])
        var state = try found[1].read()
        state.live?.conduct.marginSeconds = 2
        try copy.write(state)
        #expect {
            _ = try PartSet([found[0], found[1], copy])
        } throws: {
            ($0 as? CommandFailure)?.message.contains("part 1/2 is there twice") == true
        }
    }

    @Test("are refused where they began at different instants, or one was simulated, or by other zone data")
    func strangers() async throws {
        let found = try await parts()
        for (said, change) in [
            ("--at 2027-01-15T08:00:01", { $0.identity.at = Self.at + .seconds(1) }),
            ("simulated, not played live", { ($0.identity.at, $0.live) = (nil, nil) }),
            ("zone data", { $0.identity.zonesSHA256 = "0" }),
        ] as [(String, (inout PartState) -> Void)] {
            let whole = try found[1].read()
            var state = whole
            change(&state)
            try found[1].write(state)
            #expect {
                _ = try PartSet(found)
            } throws: {
                ($0 as? CommandFailure)?.message.contains(said) == true
            }
            try found[1].write(whole)
        }
    }

    private func server(_ least: Int64, _ most: Int64, origin: String = "http://c:1") -> LivePart.Server {
        LivePart.Server(origin: origin, least: .milliseconds(least), most: .milliseconds(most), answers: 9)
    }

    private func part(_ index: Int, _ servers: [LivePart.Server], synchronised: Bool? = true)
        -> PartClocks.Part
    {
        PartClocks.Part(
            number: PartNumber(index: index, count: 3), host: "node-\(index)", isSynchronised: synchronised,
            servers: servers)
    }

    @Test("whose clocks are apart are warned of, and by more than a second no whole")
    func clocks() {
        let near = PartClocks([
            part(0, [server(-5, 5)]), part(1, [server(-60, -50)]), part(2, [server(90, 100)]),
        ])
        #expect(near.problem == nil && near.warnings.count == 1)
        #expect(near.warnings[0].contains("part 1/3 (node-1) is at least 140 ms ahead of that of part 2/3"))
        let far = PartClocks([part(0, [server(-5, 5)]), part(1, [server(-1_200, -1_100)])])
        #expect(far.problem?.0 == PartNumber(index: 1, count: 3))
        #expect(far.problem?.1.cause == .clocksApart && far.warnings.isEmpty)
        // What is not certain is not said, and two servers are no measure for each other.
        #expect(PartClocks([part(0, [server(-500, 500)]), part(1, [server(-590, 400)])]).warnings.isEmpty)
        let others = PartClocks([
            part(0, [server(-5, 5)]), part(1, [server(5_000, 5_010, origin: "http://d:1")]),
        ])
        #expect(others.problem == nil && others.warnings.isEmpty)
    }

    @Test("whose clocks nobody knows are told, where there are several machines")
    func unknownClocks() {
        let unknown = PartClocks([
            part(0, []), part(1, [], synchronised: nil), part(2, [], synchronised: false),
        ])
        #expect(unknown.warnings.count == 1 && unknown.warnings[0].contains("2 parts are (1/3, 2/3)"))
        #expect(PartClocks([part(1, [], synchronised: false)]).warnings.isEmpty)
        let one = PartClocks([part(0, []), part(1, [], synchronised: false)])
        #expect(one.warnings.first?.hasPrefix("nothing tells how right the clock of part 1/3 is: ") == true)
    }

    @Test("that are missing are named with their devices and the command of a new run elsewhere")
    func missing() async throws {
        let shared = scratch.file("parts")
        for out in [["--out", shared], ["--out=\(shared)/"]] {
            let found = try await parts { _, state in
                state.command = ["beaconswarm", "run", "a b.json", "--shard", "0/2"] + out + ["--at=x"]
            }
            let set = try PartSet([found[0]])
            let text = try #require(set.missingText([(name: "a", first: 10, devices: 9)]))
            #expect(text.contains("missing is 1/2 (devices 11, 13, 15 … of a)"))
            let command = "beaconswarm run 'a b.json' --shard I/2 --at INSTANT --out"
            #expect(text.hasSuffix("\(command) \(shared)-2"))
            try Folder.make("\(shared)-2")
            #expect(set.missingText([])?.hasSuffix("\(command) \(shared)-3") == true)
            for folder in [shared, "\(shared)-2"] { try FileManager.default.removeItem(atPath: folder) }
        }
    }
}
