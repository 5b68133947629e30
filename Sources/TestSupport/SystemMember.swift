import Scenario

/// A population of a scenario: a system in one of its versions.
struct SystemMember {
    var name: String
    var system: String
    var version: String
    /// The members of `sdk`, as JSON.
    var sdk: String

    /// Whether the system's rules have a knob of `sdk.upload`.
    func hasUploadKnob(_ name: String) -> Bool { SimulatedSystems.has(["upload", name], system: system) }

    /// Every system and version, in the order of the scenario format.
    static func every(in text: ScenarioText) -> [SystemMember] {
        SystemFixtures.all.flatMap { $0.fixture.members(in: text, versions: $0.versions) }
    }
}
