import DeviceSDK
import Foundation
import SensorsSDK
import Testing

@testable import Scenario

/// A small good scenario; `extra` goes among its top-level keys, `population` among those of its
/// only population.
func scenario(_ extra: String = "", population: String = "", devices: Int = 10) -> String {
    """
    {
      "duration": "1m",\(extra.isEmpty ? "" : extra + ",")
      "populations": [
        {"name": "ios", "devices": \(devices), "system": "sensors"\(population.isEmpty ? "" : ", " + population)}
      ]
    }
    """
}

/// Loads a scenario from text.
func load(
    _ text: String, name: String = "test.json", options: ScenarioOptions = ScenarioOptions(),
    environment: [String: String] = [:], checker: (String, String) -> String? = { _, _ in nil }
) -> Result<ScenarioDocument, ScenarioProblems> {
    ScenarioLoader.load(
        bytes: Array(text.utf8), name: name, options: options, environment: environment,
        thresholdChecker: checker)
}

/// The document of a scenario that must be sound.
func document(
    _ text: String, options: ScenarioOptions = ScenarioOptions(), environment: [String: String] = [:]
) throws -> ScenarioDocument {
    try load(text, options: options, environment: environment).get()
}

/// The problems of a scenario; empty for a sound one.
func problems(
    _ text: String, options: ScenarioOptions = ScenarioOptions(), environment: [String: String] = [:]
) -> [Problem] {
    if case .failure(let failure) = load(text, options: options, environment: environment) {
        failure.problems
    } else {
        []
    }
}

/// Options with assignments.
func sets(_ assignments: String...) -> ScenarioOptions {
    var options = ScenarioOptions()
    options.sets = assignments
    return options
}

extension ScenarioDocument {
    /// The rules of the population with that index, which runs Sensors.
    func rules(_ index: Int = 0) -> SensorsRules {
        guard let rules = populations[index].system as? SensorsRules else {
            preconditionFailure("population \(index) runs \(populations[index].system.systemName)")
        }
        return rules
    }
}

/// The files that ship with the package.
enum Shipped {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("scenarios")

    static let names = [
        "capacity-ramp", "captive-portal", "debug-mode", "demo", "lossy-clients", "lost-replies",
        "outage-recovery", "overload", "push-spike", "remote-config-kill-switch", "rolling-deploy",
        "signup-burst", "slow-collector", "smoke", "status-rules", "storage-eviction",
    ]

    static func bytes(_ file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
    }
}
