import DeviceSDK
import Foundation
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

/// Scenarios as files, for whoever asks the library as a program does.
struct ScenarioBench {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// Two Sensors devices for three seconds, with more members where asked for.
    static func text(_ extra: String = "", population: String = "") -> String {
        """
        {"seed": 7, "duration": "3s", "drain": "1s", \(extra)
         "populations": [{"name": "ios", "devices": 2, "system": "sensors", "version": "1.10.17",
           "persona": {"extends": "steady", "rate": "2/s"}\(population)}]}
        """
    }

    func source(_ text: String = text(), name: String = "evening.json") throws -> ScenarioSource {
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.file(name)))
        return ScenarioSource(path: scratch.file(name))
    }

    func options(_ text: String = text()) throws -> RunOptions {
        var options = RunOptions(source: try source(text))
        options.quiet = true
        options.out = scratch.file("run")
        return options
    }
}

/// What a call failed with; fails the test if it did not.
func failure<Value>(
    _ body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> CommandFailure {
    do {
        _ = try await body()
    } catch let failure as CommandFailure {
        return failure
    }
    let none: CommandFailure? = nil
    return try #require(none, "nothing failed", sourceLocation: sourceLocation)
}

extension RunOptions {
    fileprivate var firstReceipts: String? {
        get { receipts.first }
        set { receipts = newValue.map { [$0] } ?? [] }
    }
}

@Suite("Options and the environment")
struct RunOptionsTests {
    private let names: [(variable: String, path: WritableKeyPath<RunOptions, String?>)] = [
        ("BEACONSWARM_OUT", \.out), ("BEACONSWARM_EVENTS", \.events),
        ("BEACONSWARM_RECEIPTS", \.firstReceipts),
        ("BEACONSWARM_STORE", \.store), ("BEACONSWARM_KEEP_STORES", \.keepStores),
    ]

    @Test("each variable stands for its option alone, and an option wins over it")
    func precedence() throws {
        for (variable, path) in names {
            let completed = try RunOptions(source: ScenarioSource(path: "s.json")).completed(
                by: [variable: "value"], for: .live)
            for (other, otherPath) in names {
                #expect(
                    completed[keyPath: otherPath] == (other == variable ? "value" : nil),
                    "\(variable), \(other)")
            }
            var given = RunOptions(source: ScenarioSource(path: "s.json"))
            given[keyPath: path] = "given"
            #expect(try given.completed(by: [variable: "value"], for: .live)[keyPath: path] == "given")
        }
    }

    @Test("threads are a whole number from 1, from either source")
    func threads() throws {
        let plain = RunOptions(source: ScenarioSource(path: "s.json"))
        #expect(try plain.completed(by: ["BEACONSWARM_THREADS": "3"], for: .live).threads == 3)
        #expect(try plain.completed(by: [:], for: .virtual).threads == nil)
        for wrong in ["0", "-1", "two", "1.5", "99999999999999999999"] {
            #expect {
                try plain.completed(by: ["BEACONSWARM_THREADS": wrong], for: .live)
            } throws: {
                guard let failure = $0 as? CommandFailure else { return false }
                return failure.code == .usage && failure.message.contains("BEACONSWARM_THREADS")
                    && failure.message.contains("\"\(wrong)\"")
            }
            var given = plain
            given.threads = 0
            #expect(throws: CommandFailure.self) { try given.completed(by: [:], for: .virtual) }
            given.threads = 2
            #expect(try given.completed(by: ["BEACONSWARM_THREADS": wrong], for: .live).threads == 2)
        }
    }

    @Test("a variable that means nothing is told, one of the scenario's or of the build's is not")
    func unknownVariables() {
        let environment = [
            "BEACONSWARM_SEDE": "1", "BEACONSWARM_SEED": "1", "BEACONSWARM_OUT": "x",
            "BEACONSWARM_WARNINGS": "error",
            "PATH": "/bin",
        ]
        let warnings = EnvironmentVariables.warnings(environment)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("BEACONSWARM_SEDE means nothing; known are ") == true)
        #expect(warnings.first?.contains("BEACONSWARM_KEEP_STORES") == true, "and which there are")
    }
}

@Suite("A scenario before it is played")
struct LoadedScenarioTests {
    @Test("a file that is missing, or no file, is an invalid scenario that is named")
    func missing() async throws {
        let bench = try ScenarioBench()
        for path in [bench.scratch.file("nowhere.json"), bench.scratch.path] {
            let failure = try await failure { try LoadedScenario(ScenarioSource(path: path)) }
            #expect(failure.code == .invalidScenario && failure.message.contains(path))
        }
    }

    @Test("all problems are told at once, with their number and the file")
    func problems() async throws {
        let bench = try ScenarioBench()
        let source = try bench.source(
            ScenarioBench.text("\"sede\": 1, \"thresholds\": {\"events_lots\": [\"rate<1\"]},"))
        let failure = try await failure { try LoadedScenario(source) }
        let lines = failure.message.split(separator: "\n")
        #expect(failure.code == .invalidScenario)
        #expect(lines.first == "\(source.path) has 2 problems; nothing was run")
        #expect(lines.count == 3 && lines.dropFirst().allSatisfy { $0.hasPrefix(source.path + ":") })
        #expect(failure.message.contains("events_lost"), "the nearest metric")
    }

    @Test("has its name from the file where it gives none, and its sum from the bytes as they are")
    func reference() throws {
        let bench = try ScenarioBench()
        let one = try LoadedScenario(bench.source(ScenarioBench.text()))
        #expect(one.reference.name == "evening")
        let other = try LoadedScenario(bench.source(ScenarioBench.text() + "\n"))
        #expect(one.reference.sha256 != other.reference.sha256 && one.reference.sha256.count == 64)
    }

    @Test("options beat assignments, and both are told as what changed the scenario")
    func overrides() throws {
        let bench = try ScenarioBench()
        var source = try bench.source()
        source.seed = "11"
        source.devices = 5
        source.duration = "4s"
        source.overrides = ["seed=9", "drain=2s"]
        let scenario = try LoadedScenario(source)
        #expect(scenario.document.seed == 11 && scenario.document.deviceCount == 5)
        #expect(scenario.document.duration == .seconds(4) && scenario.document.drain == .seconds(2))
        for part in ["--seed", "--devices", "--duration", "--set /drain="] {
            #expect(scenario.reference.overrides.contains { $0.contains(part) }, "\(part)")
        }
    }

    @Test("files that it names lie beside it")
    func relativeFiles() throws {
        let bench = try ScenarioBench()
        let target = #""target": {"url": "https://127.0.0.1:1/sa", "tls": {"ca": "mine.pem"}},"#
        let scenario = try LoadedScenario(bench.source(ScenarioBench.text(target)))
        let tls = scenario.document.populations.first?.targets.first?.tls
        #expect("\(String(describing: tls))".contains(bench.scratch.file("mine.pem")))
    }

    @Test("files for TLS are told with their places where somebody connects, beside what else is wrong")
    func unusableFiles() async throws {
        let bench = try ScenarioBench()
        let tls = #""tls": {"ca": "nope.pem", "certificate": "evening.json"}"#
        let target = #""sede": 1, "target": {"url": "https://127.0.0.1:1/sa", \#(tls)},"#
        var source = try bench.source(ScenarioBench.text(target))
        let others = try await failure { try LoadedScenario(source) }
        #expect(!others.message.contains("/target/tls"))
        source.readsTargetFiles = true
        let failure = try await failure { try LoadedScenario(source) }
        let lines = failure.message.split(separator: "\n").filter { $0.contains("/target/tls/") }
        #expect(failure.code == .invalidScenario && lines.allSatisfy { $0.hasPrefix(source.path + ":") })
        try #require(lines.count == 2)
        #expect(
            lines[0].contains(
                #"/target/tls/ca: unknown name: found "nope.pem": No such file or directory; allowed: a file that can"#
            ))
        #expect(
            lines[1].contains(
                #"/target/tls/certificate: wrong type: found "evening.json": no certificate in PEM; allowed: "#
            ))
    }

    @Test("bounds that grow with the fleet are told under another number of devices, once each")
    func scaledThresholds() throws {
        let bench = try ScenarioBench()
        let thresholds = """
            "thresholds": {"events_captured": ["count>1", "count>0", "rate>0.5"], "store_depth": ["value<9"],
              "batch_size": ["avg>0.1", "count>2"], "events_lost": ["rate<0.1"],
              "retries{population:ios}": ["count<8"]},
            """
        var source = try bench.source(ScenarioBench.text(thresholds))
        func told(_ source: ScenarioSource) throws -> [String] {
            try LoadedScenario(source).document.warnings.filter { $0.text.contains("is written for") }.map(
                \.pointer)
        }
        #expect(try told(source).isEmpty)
        source.devices = 2
        #expect(try told(source).isEmpty)
        source.devices = 3
        #expect(
            try Set(told(source)) == [
                "/thresholds/events_captured/0", "/thresholds/events_captured/2", "/thresholds/store_depth/0",
                "/thresholds/batch_size/1", "/thresholds/retries{population:ios}/0",
            ])
        let text = try #require(
            try LoadedScenario(source).document.warnings.first { $0.text.contains("is written for") }?.text)
        #expect(text.contains("2 devices") && text.contains("3 here"))
    }

    @Test("bounds that no share can have are told, with what they decide")
    func boundsOfShares() throws {
        let bench = try ScenarioBench()
        let thresholds = """
            "thresholds": {"events_lost": ["rate<5", "rate>2", "rate<-1", "rate<=1", "rate>=0"], "retries": ["count<5"]},
            """
        let source = try bench.source(ScenarioBench.text(thresholds))
        let told = try LoadedScenario(source).document.warnings.filter { $0.text.contains("no share is") }
        #expect(told.map(\.pointer) == (0...2).map { "/thresholds/events_lost/\($0)" })
        #expect(told.map { $0.text.hasSuffix("always holds") } == [true, false, false])
    }
}

@Suite("Runs that cannot begin")
struct RefusedRunTests {
    @Test("leave nothing behind, and say which option is in the way")
    func outputs() async throws {
        let bench = try ScenarioBench()
        func refused(_ change: (inout RunOptions) -> Void, live: Bool = false, naming words: String)
            async throws
        {
            var options = try bench.options()
            change(&options)
            let chosen = options
            let failure = try await failure {
                live ? try await Beaconswarm.run(chosen) : try await Beaconswarm.simulate(chosen)
            }
            #expect(failure.code == .usage && failure.message.contains(words), "\(failure.message)")
            #expect(!OutputFile.exists(bench.scratch.file("run")), "\(words)")
        }
        let taken = bench.scratch.file("taken.ndjson")
        try OutputFile.write([1], to: taken)
        try await refused({ $0.out = bench.scratch.path }, naming: bench.scratch.path)
        try await refused({ $0.events = taken }, naming: taken)
        try await refused({ $0.events = bench.scratch.file("e.txt") }, naming: ".ndjson")
        try await refused({ $0.events = bench.scratch.file("no/e.ndjson") }, naming: "no/e.ndjson")
        try await refused({ $0.keepStores = bench.scratch.file("stores") }, naming: "--keep-stores")
        try await refused({ $0.store = taken }, live: true, naming: "--store")
        try await refused({ $0.receipts = [taken] }, live: true, naming: "--receipts")
        try await refused({ $0.tracedDevices = "99" }, live: true, naming: "--trace-devices: found \"99\"")
        // Of several runs, too, for the folder is the series' own.
        for change in [{ $0.tracedDevices = "99" }, { ($0.source.devices, $0.maximumRate) = (200, 1) }]
            as [(inout RunOptions) -> Void]
        {
            try await refused(
                {
                    $0.repeats = 2
                    change(&$0)
                }, live: true, naming: "--")
        }
        #expect(try OutputFile.read(taken, failing: .usage) == [1], "what was there is untouched")
    }

    @Test("a target where nobody listens is unreachable, before anything is made")
    func unreachable() async throws {
        let bench = try ScenarioBench()
        var options = try bench.options()
        options.source.target = "http://127.0.0.1:1/sa"
        let chosen = options
        let failure = try await failure { try await Beaconswarm.run(chosen) }
        #expect(failure.code == .unreachable && failure.message.contains("http://127.0.0.1:1"))
        #expect(!OutputFile.exists(bench.scratch.file("run")))
    }

    @Test("a folder of devices' files that is there already is not touched")
    func keptStores() async throws {
        let bench = try ScenarioBench()
        let sqlite = ", \"sdk\": {\"storage\": {\"backend\": \"sqlite\"}}"
        var options = try bench.options(ScenarioBench.text(population: sqlite))
        options.keepStores = bench.scratch.path
        let chosen = options
        let failure = try await failure { try await Beaconswarm.simulate(chosen) }
        #expect(failure.code == .usage && failure.message.contains(bench.scratch.path))
        options.keepStores = bench.scratch.file("stores")
        #expect(try await Beaconswarm.simulate(options) == .success)
        let kept = try FileManager.default.contentsOfDirectory(atPath: bench.scratch.file("stores"))
        #expect(kept.sorted() == ["device-0.sqlite", "device-1.sqlite"])
    }
}
