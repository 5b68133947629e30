/// Code with which a program replaces parts of an SDK, where a scenario's JSON is not enough.
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
/// GrowingIO is the SDK that consists of services (<doc:GrowingIO>), so services are for populations with
/// `"system": "growing"`. A registered service takes precedence over the scenario's `services` of its kind.
public struct SDKServices: Sendable {
    /// Replaces the scenario's encryption; `nil` keeps it.
    public var encryption: (any EncryptionService)?
    /// In addition to the scenario's interceptors, and after them.
    public var interceptors: [any EventInterceptor] = []
    /// Makes the database of a file, replacing the store in memory; `nil` keeps that. Called once for each file of each
    /// device when a run begins. Forecasts, `sample` and capacity searches use stores in memory.
    public var database: (@Sendable (DatabaseFile) -> any EventDatabase)?

    /// Registers nothing.
    public init() {}
}

extension ScenarioSource {
    /// Registers services for a population, or for all of GrowingIO's.
    ///
    /// For each population, the last registration that names it applies, otherwise the last one for all. Registrations
    /// are checked when the scenario is loaded: a name that no population of GrowingIO's has, or a codec with two meanings,
    /// is a ``CommandFailure`` with the code ``CommandStatus/invalidScenario``.
    ///
    /// A collector knows encryptions by their ``EncryptionService/codec`` alone. Two registrations may have the same
    /// codec only if their encryptions are seen to be the same: of one type that stores nothing, the same object, or
    /// values of an `Equatable` type that are equal. So make a type with a key `Equatable`, or give each key a codec of
    /// its own.
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
