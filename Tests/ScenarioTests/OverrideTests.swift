import DeviceSDK
import SensorsSDK
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Overrides")
struct OverrideTests {
    private let text = scenario(#""seed": 1, "drain": "5s", "target": {"url": "http://file/sa"}"#)

    @Test("default, file, environment and option win over each other in that order")
    func precedence() throws {
        var options = ScenarioOptions()
        #expect(try document(scenario()).seed == 1)
        #expect(try document(scenario()).drain == .seconds(30))
        #expect(try document(text).drain == .seconds(5))
        let environment = [
            "BEACONSWARM_SEED": "2", "BEACONSWARM_DURATION": "2m", "BEACONSWARM_TARGET": "http://env/sa",
            "BEACONSWARM_DEVICES": "20",
            "BEACONSWARM_SET": "drain=6s\n populations.ios.sdk.upload.batch=7\r\n",
        ]
        let byEnvironment = try document(text, environment: environment)
        #expect(byEnvironment.seed == 2)
        #expect(byEnvironment.duration == .minutes(2))
        #expect(byEnvironment.drain == .seconds(6))
        #expect(byEnvironment.populations[0].target?.host == "env")
        #expect(byEnvironment.populations[0].devices == 20)
        #expect(byEnvironment.rules().upload.batch == 7)
        options.seed = "3"
        options.duration = "3m"
        options.target = "http://option:81/sa"
        options.devices = "30"
        options.sets = ["drain=7s", "seed=4"]
        let byOption = try document(text, options: options, environment: environment)
        #expect(byOption.seed == 3)
        #expect(byOption.duration == .minutes(3))
        #expect(byOption.drain == .seconds(7))
        #expect(byOption.populations[0].target?.host == "option")
        #expect(byOption.populations[0].devices == 30)
        #expect(byOption.rules().upload.batch == 7)
    }

    @Test("an assignment of the environment ends with its line, and has what stands on it for a value")
    func lines() throws {
        let assignments = "\npopulations.0.sdk.cookie=a=1; b=2\n\ndescription=x; name=y\n"
        let environment = ["BEACONSWARM_SET": assignments]
        let found = try document(scenario(), environment: environment)
        #expect(found.rules().cookie == "a=1; b=2")
        #expect(found.description == "x; name=y")
        #expect(found.overrides.map(\.path) == ["/populations/0/sdk/cookie", "/description"])
    }

    @Test("an assignment of a population's devices wins over the environment's number of all")
    func devicesOfAPopulation() throws {
        let environment = ["BEACONSWARM_DEVICES": "20"]
        for path in ["populations.0.devices=3", "/populations/ios/devices=3"] {
            let found = try document(text, options: sets(path), environment: environment)
            #expect(found.populations[0].devices == 3)
            #expect(found.overrides.map(\.origin) == ["--set"])
        }
        var options = sets("populations.0.devices=3")
        options.devices = "30"
        // Of the command line's own, the number of all is said last.
        #expect(try document(text, options: options, environment: environment).populations[0].devices == 30)
        #expect(
            try document(text, options: sets("drain=6s"), environment: environment).populations[0].devices
                == 20)
    }

    @Test("later assignments win over earlier ones")
    func order() throws {
        #expect(try document(text, options: sets("seed=5", "/seed=6")).seed == 6)
    }

    @Test(
        "finds places by dots, pointer, index and name, and makes what is missing",
        arguments: [
            "populations.0.sdk.upload.batch=20", "/populations/0/sdk/upload/batch=20",
            "populations.ios.sdk.upload.batch=20",
            "populations.0.sdk={\"upload\": {\"batch\": 20}}",
        ])
    func paths(assignment: String) throws {
        #expect(try document(scenario(), options: sets(assignment)).rules().upload.batch == 20)
    }

    @Test("makes a missing array and appends to one")
    func arrays() throws {
        let made = try document(
            scenario(), options: sets("timeline.0.at=5s", "timeline.0.collector.fault=outage"))
        #expect(made.timeline.map(\.at) == [.seconds(5)])
        let appended = try document(
            scenario(),
            options: sets("populations.-={\"name\": \"b\", \"devices\": 2, \"system\": \"sensors\"}"))
        #expect(appended.populations.map(\.name) == ["ios", "b"])
        let threshold = try document(scenario(), options: sets(#"thresholds.events_lost=["rate<0.1"]"#))
        #expect(threshold.thresholds.map(\.expression) == ["rate<0.1"])
    }

    @Test("a text field takes raw text, and JSON where it is JSON text")
    func rawText() throws {
        #expect(try document(scenario(), options: sets("name=42")).name == "42")
        #expect(try document(scenario(), options: sets("name=\"x\"")).name == "x")
        #expect(try document(scenario(), options: sets("description=a=b c")).description == "a=b c")
        #expect(try document(scenario(), options: sets("seed=0xFF")).seed == 255)
        let rules = try document(scenario(), options: sets("populations.0.sdk.upload.concurrency=unlimited"))
            .rules()
        #expect(!rules.upload.blocksTracking)
        let back = try document(
            scenario(population: #""version": "4.9.1""#),
            options: sets("populations.0.sdk.upload.concurrency=1"))
        #expect(back.rules().upload.blocksTracking)
    }

    @Test(
        "a word is taken as it stands where the format knows one, whatever the file has there",
        arguments: [
            "storage.limit=none", "upload.batch=all", "upload.networks=any", "upload.onLaunch=byUser",
        ])
    func words(assignment: String) throws {
        let sdk = """
            {"storage": {"limit": 5}, "upload": {"batch": 4, "networks": ["wifi"], "onLaunch": true},
             "events": {"key": ["/i"], "common": {"i": "{{id}}", "n": "{{name}}", "t": "{{time|iso}}"},
                        "business": {"name": "{{event}}"}}}
            """
        let text = scenario().replacing(
            #""system": "sensors""#, with: #""system": "declared", "sdk": \#(sdk)"#)
        let document = try document(text, options: sets("populations.0.sdk.\(assignment)"))
        #expect(document.overrides.map(\.value) == [#""\#(assignment.split(separator: "=")[1])""#])
    }

    @Test(
        "tells what is wrong with an assignment, and which option it came from",
        arguments: [
            ("seed", Problem.Kind.badOverride), ("=1", .badOverride),
            ("populations.5.devices=1", .badOverride),
            ("populations.iso.devices=1", .badOverride), ("populations.0.devices=many", .badOverride),
            ("sede=1", .unknownKey), ("populations.0.devices=0", .outOfRange),
            ("populations.0.app=shpo", .unknownName),
        ])
    func wrong(assignment: String, kind: Problem.Kind) throws {
        let problem = try #require(problems(scenario(), options: sets(assignment)).first)
        #expect(problem.kind == kind)
        #expect(problem.text(file: "x.json").hasPrefix("--set"))
    }

    @Test("variants are not set: by no option, and by no variable")
    func variants() throws {
        let text = scenario(#""variants": {"slow": {"drain": "9s"}}"#)
        var varied = ScenarioOptions()
        varied.varied = ["/variants/slow/drain=8s"]
        for (found, origin) in [
            (problems(text, options: sets("variants.slow.drain=8s")), "--set"),
            (problems(scenario(), options: sets(#"variants={"x": 1}"#)), "--set"),
            (problems(text, options: varied), "--vary"),
            (problems(text, environment: ["BEACONSWARM_SET": "variants.slow.drain=8s"]), "BEACONSWARM_SET"),
        ] {
            #expect(found.map(\.kind) == [.badOverride])
            let said = try #require(found.first).text(file: "x.json")
            #expect(said.hasPrefix("\(origin) variants") && said.contains("written in its file"))
        }
    }

    @Test("an index that is none is told which there are, and which makes a new element")
    func indices() {
        let found = problems(scenario(), options: sets("populations.5.devices=3")).first
        #expect(found?.allowed == "0, or 1 or - for a new element")
    }

    @Test("a name that is there twice is no place")
    func ambiguous() {
        let text = """
            {"duration": "1s", "populations": [{"name": "a", "devices": 1, "system": "sensors"},
              {"name": "a", "devices": 1, "system": "sensors"}]}
            """
        let found = problems(text, options: sets("populations.a.devices=2"))
        #expect(found.contains { $0.kind == .badOverride && $0.found == "\"a\" 2 times" })
    }

    @Test("wrong options are told like wrong values")
    func wrongOptions() {
        var options = ScenarioOptions()
        options.seed = "x"
        options.duration = "soon"
        options.devices = "0"
        options.target = "nowhere"
        let found = problems(scenario(), options: options)
        #expect(found.map(\.position).contains(.override("--seed")))
        #expect(found.map(\.position).contains(.override("--duration")))
        #expect(found.map(\.position).contains(.override("--devices")))
        #expect(found.map(\.position).contains(.override("--target")))
    }

    @Test("an empty variable is no word, but where it says where a run sends to, or how much")
    func emptyVariables() throws {
        func environment(_ names: String...) -> [String: String] {
            Dictionary(uniqueKeysWithValues: names.map { ("BEACONSWARM_\($0)", "") })
        }
        #expect(problems(scenario(), environment: environment("SEED", "DURATION", "VARIANT", "SET")).isEmpty)
        for name in ["TARGET", "DEVICES"] {
            let found = problems(scenario(), environment: environment(name))
            #expect(found.map(\.position) == [.override("BEACONSWARM_\(name)")])
            #expect(found.first?.found == "\"\"")
        }
        // An option wins over it, as over every other.
        var options = ScenarioOptions()
        options.target = "http://[::1]:8106"
        options.devices = "3"
        #expect(
            problems(scenario(), options: options, environment: environment("TARGET", "DEVICES")).isEmpty)
    }

    @Test("--target overrides the targets of populations too")
    func targets() throws {
        let text = scenario(
            #""target": {"url": "http://a/sa", "headers": {"X-A": "1"}}"#,
            population: #""target": {"url": "http://b/sa"}"#)
        #expect(try document(text).populations[0].target?.host == "b")
        #expect(try document(text).populations[0].target?.headers.map(\.name) == ["X-A"])
        var options = ScenarioOptions()
        options.target = "http://[::1]:8106"
        let target = try #require(try document(text, options: options).populations[0].target)
        #expect(target.host == "::1")
        #expect(target.port == 8106)
        #expect(target.pathAndQuery == "/")
    }

    @Test("keeps a list of what did not come from the file")
    func list() throws {
        var options = sets("populations.ios.sdk.upload.batch=20")
        options.seed = "9"
        options.devices = "12"
        let overrides = try document(scenario(), options: options).overrides
        #expect(overrides.map(\.path) == ["/populations/0/sdk/upload/batch", "/seed", "--devices"])
        #expect(overrides.map(\.value) == ["20", "9", "12"])
        #expect(overrides.map(\.origin) == ["--set", "--seed", "--devices"])
    }
}

@Suite("Scaling devices")
struct DeviceScalingTests {
    @Test(
        "gives each population its share by the largest remainder, ties to the earlier, 1 at least",
        arguments: [
            ([1, 1, 1], 10, [4, 3, 3]), ([50, 30, 20], 10, [5, 3, 2]), ([1000, 1, 1], 3, [1, 1, 1]),
            ([1000, 1, 1], 10, [8, 1, 1]), ([3, 3], 3, [2, 1]), ([5], 100, [100]),
            ([1, 2, 3], 12, [2, 4, 6]),
        ])
    func examples(counts: [Int], total: Int, expected: [Int]) {
        #expect(DeviceScaling.scale(counts, to: total) == expected)
    }

    @Test("always adds up, and is never more than one off the share unless a minimum took it")
    func sums() {
        let seed: UInt64 = 20_260
        var stream = RandomStream(key: seed)
        for round in 0..<500 {
            let counts = (0...Int(stream.below(8))).map { _ in 1 + Int(stream.below(5000)) }
            let total = counts.count + Int(stream.below(20_000))
            let scaled = DeviceScaling.scale(counts, to: total)
            #expect(scaled.reduce(0, +) == total, "seed \(seed), round \(round)")
            #expect(scaled.allSatisfy { $0 >= 1 }, "seed \(seed), round \(round)")
            let sum = counts.reduce(0, +)
            for (count, result) in zip(counts, scaled) {
                let share = Double(count) * Double(total) / Double(sum)
                #expect(
                    abs(Double(result) - share) < Double(counts.count) + 1, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("numbers devices through all populations, after scaling")
    func numbering() throws {
        let text = """
            {"duration": "1s", "populations": [{"name": "a", "devices": 30, "system": "sensors"},
              {"name": "b", "devices": 10, "system": "sensors"}, {"name": "c", "devices": 20, "system": "sensors"}]}
            """
        var options = ScenarioOptions()
        options.devices = "12"
        let plans = try document(text, options: options).plans(start: ScenarioDocument.virtualStart)
        #expect(plans.populations.map(\.deviceCount) == [6, 2, 4])
        #expect(plans.populations.map(\.firstDevice) == [0, 6, 8])
        options.devices = "2"
        #expect(problems(text, options: options).map(\.kind) == [.outOfRange])
    }
}
