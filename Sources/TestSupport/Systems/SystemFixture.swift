import CollectorModel
import Scenario
import Timebase

/// One system, as the tests see it: everything that they want to know of it beside what all systems have in common.
///
/// Written by hand from what is published of the system, apart from every line of the simulation. All of it lies in the
/// system's folder, and ``SystemFixtures`` is the one list that names it.
protocol SystemFixture: Sendable {
    static var system: CollectorSystem { get }

    /// An upload with these events, or rows without an id for `nil`.
    static func upload(ids: [String?]) -> SystemUpload

    /// What this system does that others do not; each version is in one of them, or in those of all systems.
    static var scenarios: [ConformanceScenario] { get }

    /// What each version makes of each answer: a line with the version and the cells, in the letters and the order
    /// of ``AnswerRules``.
    static var answers: String { get }

    /// Changes what a share of failures is expected to cost a system that tries all until it succeeds.
    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance)

    /// Whether devices send once a day, and not within seconds.
    static var sendsDaily: Bool { get }

    /// Whether an event without an id of the harness tells its device from others that do the same.
    static var tellsDevicesApart: Bool { get }

    /// The populations of all versions beside those of the other systems, with intervals that suit runs of seconds.
    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember]

    /// How often the system is drawn, for those that have more to draw.
    static var weight: Int { get }

    /// A population with knobs drawn at random; its name does not count.
    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember
}

/// What most systems do.
extension SystemFixture {
    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {}
    static var sendsDaily: Bool { false }
    static var tellsDevicesApart: Bool { true }
    static var weight: Int { 1 }

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] {
        versions.map(member)
    }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        member(RandomScenario.pick(versions, &draw))
    }

    /// A version as it is.
    private static func member(_ version: String) -> SystemMember {
        SystemMember(
            name: "\(system.rawValue)-\(version.filter { $0 != "." })", system: system.rawValue,
            version: version, sdk: "")
    }

    /// The members of a fault that answers with a status.
    static func status(_ code: Int) -> String { "\"fault\": \"status\", \"status\": \(code)" }
}

/// The fixtures of all systems: the one list that names them.
enum SystemFixtures {
    static func of(_ system: CollectorSystem) -> any SystemFixture.Type {
        switch system {
        case .sensors: SensorsFixture.self
        case .growing: GrowingFixture.self
        case .trackingSDK: TrackingSDKFixture.self
        case .kit: KitFixture.self
        case .codeless: CodelessFixture.self
        case .declared: DeclaredFixture.self
        }
    }

    /// Every fixture with the versions that can be simulated, in the order of the scenario format.
    static let all = SimulatedSystems.all.map { system in
        (fixture: named(system.name), versions: system.versions)
    }

    /// - Precondition: A collector reads the uploads of a system of this name.
    static func named(_ name: String) -> any SystemFixture.Type {
        guard let system = CollectorSystem(rawValue: name) else {
            preconditionFailure("no collector reads \(name)")
        }
        return of(system)
    }
}
