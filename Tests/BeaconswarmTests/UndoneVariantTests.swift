import Scenario
import Testing

@testable import Beaconswarm

@Suite("Variants that an option undoes")
struct UndoneVariantTests {
    private static let scenario = ScenarioBench.text(
        """
        "variants": {
          "big": {"populations.ios.sdk.upload.batch": 200},
          "two": {"populations.ios.sdk.upload": {"batch": 200}, "drain": "2s"},
          "more": {"populations.0.devices": 4},
          "none": {"populations.ios.devices": 2},
          "key": {"target": {"url": "http://127.0.0.1:9/sa", "headers": {"Authorization": "swordfish"}}}
        },
        """)

    /// What is said of a variant that is the same as the scenario itself.
    private func warning(
        _ name: String, _ sets: [String] = [], environment: [String: String] = [:],
        change: (inout ScenarioSource) -> Void = { _ in }
    ) throws -> String? {
        let bench = try ScenarioBench()
        var source = try bench.source(UndoneVariantTests.scenario)
        source.variant = name
        source.overrides = sets
        change(&source)
        let loaded = try LoadedScenario(source, content: source.read(), environment: environment)
        return UndoneVariant.warning(name, loaded.document.overrides)
    }

    @Test("the option that sets the same value is named, wherever it points to")
    func named() throws {
        let path = "populations.ios.sdk.upload.batch=20"
        let set = "/populations/0/sdk/upload/batch=20"
        #expect(
            try warning("big", [path]) == "variant big is the same as base: --set \(set) decides")
        #expect(
            try warning("big", environment: ["BEACONSWARM_SET": path])
                == "variant big is the same as base: BEACONSWARM_SET \(set) decides")
        // The last one counts.
        #expect(
            try warning("big", [path], environment: ["BEACONSWARM_SET": "populations.0.sdk.upload.batch=30"])
                == "variant big is the same as base: --set \(set) decides")
        #expect(
            try warning("big", [#"populations.ios.sdk={"upload": {"batch": 20}}"#])?.contains(
                "--set /populations/0/sdk=") == true)
    }

    @Test("several options are all named, and those that have nothing to do with it are not")
    func several() throws {
        let sets = ["populations.ios.sdk.upload.batch=20", "name=other"]
        let found = try warning("two", sets) { $0.duration = "4s" }
        #expect(found?.contains("--set /populations/0/sdk/upload/batch=20 decides") == true)
        #expect(found?.contains("other") == false && found?.contains("--duration") == false)
        #expect(
            try warning("two", sets + ["drain=3s"])
                == "variant two is the same as base: --set /populations/0/sdk/upload/batch=20 and "
                + "--set /drain=\"3s\" decide")
        #expect(
            try warning("more") { $0.devices = 6 } == "variant more is the same as base: --devices decides")
    }

    @Test("a variant that changes nothing is told as that, and one that changes a secret is not told")
    func nothing() throws {
        #expect(try warning("none", ["drain=3s"]) == "variant none is the same as base: it changes nothing")
        #expect(try warning("key") == nil)
    }
}
