import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Mutated scenarios")
struct FuzzTests {
    private static let good = """
        {"name": "fuzz", "seed": 42, "start": "2026-03-02T19:30:00+08:00", "duration": "10m", "drain": "1m",
         "target": {"url": "http://127.0.0.1:8106/sa?project=default", "headers": {"X-Env": "${STAGE}"}},
         "personas": {"p": {"extends": "micro", "returnGap": {"min": "1s", "max": "3s"}}},
         "populations": [{"name": "ios", "devices": 40, "system": "sensors", "version": "4.9.1",
           "sdk": {"storage": {"limit": 10000, "prefill": 3}, "upload": {"keepStatuses": [403, "5xx"]}},
           "app": "kiosk", "persona": "p", "arrival": {"over": "60s"}, "rate": "20 events/s"}],
         "timeline": [{"at": "3m", "for": "30s", "collector": {"fault": "latency", "latency": {"median": "1s", "sigma": 1}}},
           {"at": "5m", "remoteConfig": {"disableSDK": true}}, {"at": "6m", "share": 0.3, "device": {"network": "none"}}],
         "thresholds": {"events_lost": ["rate<0.001", {"threshold": "rate<1", "abortOnFail": true}]},
         \(AppFormatTests.kiosk)}
        """

    private func check(_ bytes: [UInt8], _ note: @autoclosure () -> String) {
        let result = ScenarioLoader.load(bytes: bytes, name: "fuzz", environment: ["STAGE": "dev"])
        switch result {
        case .success(let document):
            let plans = document.plans(start: document.simulatedStart)
            #expect(plans.populations.count == document.populations.count, "\(note())")
            #expect(!plans.populations.isEmpty, "\(note())")
        case .failure(let failure):
            #expect(!failure.problems.isEmpty, "\(note())")
            #expect(failure.problems.allSatisfy { !$0.text(file: "f").isEmpty }, "\(note())")
        }
    }

    @Test("the scenario that is mutated is good")
    func sound() throws {
        #expect(problems(FuzzTests.good, environment: ["STAGE": "dev"]).map { $0.text(file: "") } == [])
    }

    @Test("bytes that are changed, cut or doubled never crash the loader", arguments: [1, 2, 3] as [UInt64])
    func bytes(seed: UInt64) {
        var stream = RandomStream(key: seed)
        let good = Array(FuzzTests.good.utf8)
        let interesting = Array("{}[]\",:\\0123456789eE+-.$/nulltruefas \n\u{0}".utf8) + [0xFF, 0xC3, 0xED]
        for round in 0..<300 {
            var bytes = good
            for _ in 0...stream.below(3) {
                let index = Int(stream.below(UInt64(bytes.count)))
                switch stream.below(4) {
                case 0: bytes[index] = interesting[Int(stream.below(UInt64(interesting.count)))]
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(interesting[Int(stream.below(UInt64(interesting.count)))], at: index)
                default: bytes.removeSubrange(index..<min(bytes.count, index + Int(stream.below(40))))
                }
            }
            check(bytes, "seed \(seed), round \(round)")
        }
    }

    @Test(
        "values that are replaced, dropped or swapped never crash the loader",
        arguments: [4, 5, 6] as [UInt64])
    func values(seed: UInt64) throws {
        var stream = RandomStream(key: seed)
        let (good, _) = try JSONReader.read(Array(FuzzTests.good.utf8))
        let validator = SchemaValidator(root: ScenarioSchema.node)
        var sound = 0
        for round in 0..<300 {
            let (mutated, _) = mutate(good, &stream)
            check(Array(mutated.compactText.utf8), "seed \(seed), round \(round)")
            // An editor that checks by the schema may not refuse what runs.
            let text = mutated.compactText
            guard
                case .success = load(
                    text, environment: ["STAGE": "dev"], checker: ThresholdGrammarTests.problem)
            else { continue }
            sound += 1
            #expect(
                validator.violation(mutated, validator.root) == nil, "seed \(seed), round \(round): \(text)")
        }
        #expect(sound > 0, "seed \(seed)")
    }

    private static let strange: [JSONNode] = [
        .int(0), .int(-1), .int(Int.max), JSONNode(.number("1e400")), JSONNode(.number("0.5")), .text(""),
        .text("${X}"),
        .text("292y"), .text("9999999d"), .text("1e9/s"), .text("ios"), .bool(true), JSONNode(.null),
        .list([]),
        .object([]), .text("http://"), .text("0001-01-01T00:00:00Z"), .object([("extends", .text("p"))]),
        .list([.list([.list([])])]), .text("18446744073709551616"),
    ]

    /// Changes one value somewhere, each depth being as likely as the tree allows.
    private func mutate(_ node: JSONNode, _ stream: inout RandomStream) -> (JSONNode, Bool) {
        var copy = node
        let stop = stream.chance(0.15)
        switch node.content {
        case .object(var members) where !members.isEmpty && !stop:
            let index = Int(stream.below(UInt64(members.count)))
            if stream.chance(0.1) {
                members.remove(at: index)
            } else if stream.chance(0.05) {
                members[index].key += "x"
            } else {
                members[index].value = mutate(members[index].value, &stream).0
            }
            copy.content = .object(members)
        case .array(var elements) where !elements.isEmpty && !stop:
            let index = Int(stream.below(UInt64(elements.count)))
            if stream.chance(0.1) {
                elements.append(elements[index])
            } else {
                elements[index] = mutate(elements[index], &stream).0
            }
            copy.content = .array(elements)
        default:
            copy = FuzzTests.strange[Int(stream.below(UInt64(FuzzTests.strange.count)))]
        }
        return (copy, true)
    }

    @Test("assignments to any place never crash the loader", arguments: [7, 8] as [UInt64])
    func assignments(seed: UInt64) {
        var stream = RandomStream(key: seed)
        let tokens = [
            "populations", "0", "ios", "-", "sdk", "upload", "batch", "timeline", "at", "1", "", "/", "x",
            "99999999999999999999", "apps", "kiosk",
        ]
        let values = ["1", "x", "{}", "[]", "null", "\"a\"", "{", "1m", "=", ""]
        for round in 0..<300 {
            let path = (0...stream.below(4)).map { _ in tokens[Int(stream.below(UInt64(tokens.count)))] }
            let assignment =
                path.joined(separator: ".") + "=" + values[Int(stream.below(UInt64(values.count)))]
            let result = load(FuzzTests.good, options: sets(assignment), environment: ["STAGE": "dev"])
            if case .failure(let failure) = result {
                #expect(!failure.problems.isEmpty, "seed \(seed), round \(round): \(assignment)")
            }
        }
    }
}
