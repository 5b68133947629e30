import SensorsSDK
import DeviceSDK
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Variants")
struct VariantTests {
    private let batches = scenario(
        """
        "variants": {"b200": {"populations.ios.sdk.upload.batch": 200}, "b10": {"/populations/0/sdk/upload/batch": 10}}
        """)

    private func variant(_ name: String?) -> ScenarioOptions {
        var options = ScenarioOptions()
        options.variant = name
        return options
    }

    @Test("a population is named by its name or its index; base is the scenario itself")
    func values() throws {
        #expect(try document(batches).rules().upload.batch == 50)
        #expect(try document(batches).variants == ["b200", "b10"])
        #expect(try document(batches, options: variant("b200")).rules().upload.batch == 200)
        #expect(try document(batches, options: variant("b10")).rules().upload.batch == 10)
        #expect(try document(batches, options: variant("base")).rules().upload.batch == 50)
        #expect(try document(batches, options: variant("base")).variant == nil)
        #expect(try document(batches, environment: ["BEACONSWARM_VARIANT": "b10"]).rules().upload.batch == 10)
    }

    @Test("options win over a variant, as over the file")
    func precedence() throws {
        var options = sets("populations.0.sdk.upload.batch=77")
        options.variant = "b200"
        #expect(try document(batches, options: options).rules().upload.batch == 77)
    }

    @Test("what a variant changes is told, with its name")
    func overrides() throws {
        let found = try document(batches, options: variant("b200")).overrides
        #expect(
            found == [
                ScenarioOverride(
                    path: "/populations/0/sdk/upload/batch", value: "200", origin: "variant b200")
            ])
    }

    @Test("the kept scenario has the variant's values, and neither the variants nor secrets")
    func resolved() throws {
        let text = scenario(
            """
            "target": {"url": "http://127.0.0.1/sa?token=abcdef1234", "headers": {"Authorization": "Bearer xyz12345"}},
            "variants": {"b200": {"populations.ios.sdk.upload.batch": 200}}
            """)
        let kept = try document(text, options: variant("b200")).resolved
        #expect(kept["variants"] == nil)
        #expect(kept["populations"]?.elements?[0]["sdk"]?["upload"]?["batch"]?.digits == "200")
        #expect(kept["seed"]?.digits == "1")
        #expect(!kept.compactText.contains("xyz12345"))
        #expect(!kept.compactText.contains("abcdef1234"))
        var scaled = ScenarioOptions()
        scaled.devices = "3"
        #expect(
            try document(batches, options: scaled).resolved["populations"]?.elements?[0]["devices"]?.digits
                == "3")
    }

    @Test("a wrong path or value is a problem where it stands, whichever variant is played")
    func wrong() throws {
        let text = scenario(
            """
            "variants": {"a": {"populations.ios.sdk.upload.batch": "many"}, "b": {"populations.iso.devices": 5},
              "c": {"populations.ios.sdk.uplod.batch": 5}}
            """)
        for options in [ScenarioOptions(), variant("a"), variant("base")] {
            let found = problems(text, options: options)
            #expect(
                found.map(\.pointer) == [
                    "/variants/a/populations.ios.sdk.upload.batch", "/variants/b/populations.iso.devices",
                    "/variants/c/populations.ios.sdk.uplod.batch",
                ])
            #expect(found.map(\.kind) == [.wrongType, .badOverride, .unknownKey])
            #expect(found.map(\.nearest) == [nil, "ios", "upload"])
            for problem in found {
                guard case .file(let line, _) = problem.position else {
                    Issue.record("\(problem) has no place in the file")
                    continue
                }
                #expect((2...4).contains(line))
            }
        }
    }

    @Test("what a variant breaks elsewhere is told with the variant's name")
    func elsewhere() {
        let text = scenario(
            #""variants": {"old": {"populations.ios.system": "kit"}}"#,
            population: #""sdk": {"upload": {"flushBulkSize": 100}}"#)
        let found = problems(text)
        #expect(!found.isEmpty)
        #expect(
            found.allSatisfy {
                $0.allowed.contains("variant \"old\"") || $0.pointer.hasPrefix("/variants/old")
            })
    }

    @Test(
        "names and paths that cannot be",
        arguments: [
            (#""base": {"drain": "1s"}"#, Problem.Kind.conflict), (#""a/b": {"drain": "1s"}"#, .outOfRange),
            (#""a": {}"#, .outOfRange), (#""a": {"seed": 3}"#, .conflict),
            (#""a": {"variants.b": {}}"#, .conflict), (#""a": {"drain..x": 1}"#, .badOverride),
            (#""a": 3"#, .wrongType),
        ])
    func refused(_ member: String, _ kind: Problem.Kind) {
        let found = problems(scenario("\"variants\": {\(member)}"))
        #expect(found.contains { $0.pointer.hasPrefix("/variants") }, "\(found)")
        #expect(found.map(\.kind) == [kind], "\(found)")
    }

    @Test("a variant that is not there is named with those that are")
    func unknown() {
        let found = problems(batches, options: variant("b20"))
        #expect(found.map(\.kind) == [.unknownName])
        #expect(found.first?.nearest == "b200")
    }
}

@Suite("Users of another population")
struct UsersTests {
    private func text(_ second: String) -> String {
        """
        {"duration": "1m", "populations": [
          {"name": "a", "devices": 5, "system": "sensors"},
          {"name": "b", "devices": 5, "system": "sensors"\(second)}]}
        """
    }

    @Test("behaviour, network and clock are the other's, device by device; identifiers are its own")
    func streams() throws {
        let plans = try document(text(#", "users": "a""#)).plans(start: ScenarioDocument.virtualStart)
            .populations
        #expect(plans[1].users == "a")
        for purpose in [RandomStream.Purpose.sessions, .business, .network, .clock, .traits, .retries] {
            #expect(plans[0].stream(purpose, index: 3) == plans[1].stream(purpose, index: 3))
        }
        for purpose in [RandomStream.Purpose.identity, .trackIdentifiers] {
            #expect(plans[0].stream(purpose, index: 3) != plans[1].stream(purpose, index: 3))
        }
        let own = try document(text("")).plans(start: ScenarioDocument.virtualStart).populations
        #expect(own[0].stream(.sessions, index: 3) != own[1].stream(.sessions, index: 3))
    }

    @Test("of a population that is there, and has users of its own", arguments: ["b", "c"])
    func wrong(_ name: String) {
        let found = problems(text(", \"users\": \"\(name)\""))
        #expect(found.map(\.pointer) == ["/populations/1/users"])
    }

    @Test("users who do not do the same are warned of")
    func warns() throws {
        let warnings = try document(text(#", "users": "a", "persona": "power""#)).warnings
        #expect(warnings.contains { $0.pointer == "/populations/1/users" && $0.text.contains("persona") })
        #expect(try document(text(#", "users": "a""#)).warnings.allSatisfy { !$0.pointer.hasSuffix("users") })
        let other = #", "users": "a", "network": "4g", "utcOffset": "+01:00", "clockSkew": {"sd": "5s"}"#
        let unlike = try document(text(other)).populations
        #expect(unlike[1].userDifferences(among: unlike) == ["network", "clockSkew", "timeZones"])
        // What is said where the other says nothing is the same if it is the default.
        let alike = try document(text(#", "users": "a", "network": "ideal", "app": "shop""#)).populations
        #expect(alike[1].userDifferences(among: alike).isEmpty)
    }

    @Test("what the app's code tracks by mistake is nothing that its users do", arguments: ["a", "b"])
    func mistakes(_ population: String) throws {
        func differences(_ pattern: String) throws -> [String] {
            let patterns = ", \"patterns\": [{\"population\": \"\(population)\", \(pattern)}]}"
            var text = text(", \"users\": \"a\"")
            text.removeLast()
            let document = try document(text + patterns)
            let found = document.populations[1].userDifferences(among: document.populations)
            #expect(document.warnings.contains { $0.pointer.hasSuffix("users") } == !found.isEmpty)
            return found
        }
        let event = #""event": "AddToCart""#
        #expect(try differences(#""pattern": "duplicateEvent", \#(event)"#).isEmpty)
        let property = #"\#(event), "property": "quantity""#
        #expect(try differences(#""pattern": "missingProperty", \#(property)"#).isEmpty)
        #expect(try differences(#""pattern": "wrongType", \#(property), "value": "many""#).isEmpty)
        let conversion = #""pattern": "conversion", \#(event), "of": "ViewProduct", "factor": 0.5"#
        #expect(try differences(conversion) == ["patterns"])
        let release = #""pattern": "release", "version": "9.0.0", "at": "10s""#
        #expect(try differences(release) == ["app", "patterns"])
    }
}
