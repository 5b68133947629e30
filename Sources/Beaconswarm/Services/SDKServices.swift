/// What a program puts in the place of an SDK's own parts by code, where a scenario's words do not suffice.
///
/// ```swift
/// var services = SDKServices()
/// services.encryption = MyEncryption()
/// services.interceptors = [MyInterceptor()]
/// services.database = { file in MyDatabase(file) }
///
/// var source = ScenarioSource(path: "scenario.json")
/// source.register(services, for: "ios")
/// let result = try await Beaconswarm.play(RunOptions(source: source), in: .virtual)
/// print(result.report.events.delivered)
/// ```
///
/// GrowingIO is the SDK that is made of services (<doc:GrowingIO>), so services are for populations with
/// `"system": "growing"`. A registered service counts whatever the scenario's `services` say of its kind.
public struct SDKServices: Sendable {
    /// In the place of the scenario's encryption; `nil` leaves that.
    public var encryption: (any EncryptionService)?
    /// Beside the scenario's interceptors, and after them.
    public var interceptors: [any EventInterceptor] = []
    /// Makes the database of a file, in the place of a store in memory; `nil` leaves that. Called once for each file of
    /// each device, when a run begins. Forecasts, `sample` and searches for capacity play with stores in memory.
    public var database: (@Sendable (DatabaseFile) -> any EventDatabase)?

    /// Registers nothing.
    public init() {}
}

extension ScenarioSource {
    /// Registers services for a population, or for all of GrowingIO's.
    ///
    /// The last registration that names a population counts for it, else the last one for all. Whether they fit the
    /// scenario shows when it is loaded: a name that no population of GrowingIO's has, or a codec that means two things,
    /// is a ``CommandFailure`` with the code ``CommandStatus/invalidScenario``.
    public mutating func register(_ services: SDKServices, for population: String? = nil) {
        registrations.append(Registration(population: population, services: services))
    }
}

/// Services and whom they are for.
struct Registration: Sendable {
    /// `nil` for all populations of GrowingIO's.
    var population: String?
    var services: SDKServices
}
