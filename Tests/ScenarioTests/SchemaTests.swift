import DeviceSDK
import SensorsSDK
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Schema and shipped scenarios")
struct SchemaTests {
    private let validator = SchemaValidator(root: ScenarioSchema.node)

    private func violation(_ bytes: [UInt8]) throws -> String? {
        let (node, _) = try JSONReader.read(bytes)
        return validator.violation(node, validator.root)
    }

    @Test("the shipped schema is what the format prints")
    func equality() throws {
        let shipped = try Shipped.bytes("scenario.schema.json")
        #expect(String(decoding: shipped, as: UTF8.self) == ScenarioSchema.text, "run: beaconswarm schema")
        #expect(ScenarioSchema.text == ScenarioSchema.text)
    }

    @Test("every shipped scenario loads, fits the schema, and is strict JSON", arguments: Shipped.names)
    func shipped(name: String) throws {
        let bytes = try Shipped.bytes("\(name).json")
        let document = try ScenarioLoader.load(bytes: bytes, name: name).get()
        #expect(document.name == name)
        #expect(document.description.count > 80)
        #expect(!document.thresholds.isEmpty)
        #expect(try violation(bytes) == nil)
        let (node, duplicates) = try JSONReader.read(bytes)
        #expect(duplicates.isEmpty)
        #expect(node["$schema"]?.string == "./scenario.schema.json")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("//") })
        #expect(text.firstMatch(of: /,\s*[\]}]/) == nil)
    }

    @Test("the demo is short, large and has an outage; the eviction scenario can evict")
    func purposes() throws {
        let demo = try ScenarioLoader.load(bytes: try Shipped.bytes("demo.json"), name: "demo").get()
        #expect(demo.duration <= .seconds(60))
        #expect(demo.deviceCount >= 2000)
        let eviction = try ScenarioLoader.load(
            bytes: try Shipped.bytes("storage-eviction.json"), name: "storage-eviction"
        ).get()
        #expect(eviction.deviceCount >= 1000)
        #expect(eviction.rules(0).storage.prefill == 9950)
        #expect(eviction.rules(0).storage.limit == 10_000)
        let smoke = try ScenarioLoader.load(bytes: try Shipped.bytes("smoke.json"), name: "smoke").get()
        #expect(smoke.duration + smoke.drain <= .seconds(40))
        #expect(smoke.needsEmbeddedCollector)
    }

    @Test("the schema takes an app with every part of the format")
    func app() throws {
        #expect(
            try violation(Array(scenario(AppFormatTests.kiosk, population: #""app": "kiosk""#).utf8)) == nil)
        #expect(
            try violation(Array(scenario(AppFormatTests.hall, population: #""app": "hall""#).utf8)) == nil)
    }

    @Test("what the schema refuses, the loader refuses", arguments: ProblemTests.cases)
    func agreement(bad: BadCase) throws {
        let text = scenario(bad.extra, population: bad.population)
        if try violation(Array(text.utf8)) != nil { #expect(!problems(text).isEmpty) }
        let structural: [Problem.Kind] = [.unknownKey, .wrongType, .missingKey]
        if structural.contains(bad.kind) { #expect(try violation(Array(text.utf8)) != nil) }
    }

    @Test(
        "says which key belongs to which fault",
        arguments: [
            (#""collector": {"fault": "outage", "status": 503}"#, false),
            (#""collector": {"fault": "status", "status": 503, "stored": true, "device": 1}"#, true),
            (#""collector": {"fault": "status", "status": 503, "queue": 1}"#, false),
            (#""collector": {"fault": "status", "stored": true}"#, false),
            (#""collector": {"fault": "deploy", "instances": 2, "down": "1s", "latency": "1s"}"#, true),
            (#""collector": {"status": 503}"#, false),
            (#""client": {"fault": "lostReply", "as": "timeout", "deviceShare": 0.5}"#, true),
            (#""client": {"fault": "drop", "as": "timeout"}"#, false),
            (#""client": {"fault": "delay"}"#, false),
        ])
    func faults(change: String, isAllowed: Bool) throws {
        let text = scenario(#""timeline": [{"at": "1s", "for": "4s", \#(change)}]"#)
        #expect(try (violation(Array(text.utf8)) == nil) == isAllowed)
        #expect(problems(text).isEmpty == isAllowed)
    }

    @Test(
        "says what an entry is about, of what kind paths and headers are",
        arguments: [
            (#""timeline": [{"at": "1s"}]"#, "", false),
            (#""timeline": [{"at": "1s", "push": {}}]"#, "", true),
            (#""timeline": [{"at": "1s", "push": {}, "device": {"network": "none"}}]"#, "", false),
            (#""timeline": [{"at": "1s", "device": {}}]"#, "", false),
            (#""timeline": [{"at": "1s", "device": {"network": "none", "disk": "full"}}]"#, "", false),
            (#""target": {"url": "http://h/", "path": "sa"}"#, "", false),
            (#""target": {"url": "http://h/", "path": "/sa#x"}"#, "", false),
            (#""target": {"url": "http://h/", "path": "/sa?project=default"}"#, "", true),
            ("", #"{"request": {"headers": {"X-A": 7}}}"#, false),
            ("", #"{"request": {"query": {"a": {}}}}"#, false),
            ("", #"{"request": {"headers": {"X-A": "{{apiKey}}", "Content-Type": null}}}"#, true),
            ("", #"{"events": {"login": {"name": 7}}}"#, false),
        ])
    func kinds(extra: String, sdk: String, isAllowed: Bool) throws {
        var text = scenario(extra)
        if !sdk.isEmpty {
            let own = #""system": "declared", "sdk": {"preset": "segment-ios", \#(sdk.dropFirst())"#
            text = text.replacing(#""system": "sensors""#, with: own)
        }
        #expect(try (violation(Array(text.utf8)) == nil) == isAllowed, "\(text)")
        #expect(problems(text).isEmpty == isAllowed, "\(problems(text).map { $0.text(file: "") })")
    }

    @Test("defaults of the schema are the models' own")
    func defaults() {
        let upload = ScenarioSchema.node["$defs"]?["sdk-sensors"]?["properties"]?["upload"]?["properties"]
        #expect(upload?["batch"]?["default"]?.compactText == "50")
        #expect(upload?["timeout"]?["default"] == nil)
        #expect(upload?["timeout"]?["description"]?.string?.contains(#"1.10.17: "1m"; 4.9.1: "30s""#) == true)
    }
}
