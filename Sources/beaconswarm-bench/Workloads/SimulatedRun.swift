import Accounting
import AppModel
import CollectorModel
import DeviceSDK
import Measurement
import SensorsSDK
import Timebase
import VirtualEngine
import Wire
import World

/// Runs of whole devices in virtual time.
enum SimulatedRun {
    /// An observer that only lets the run go on.
    struct Silence: VirtualObserver {
        let mayEndUsers = false
        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
    }

    /// Simulates casual users; without a network the devices only capture and store.
    static func run(
        _ version: SensorsRules.Version, devices: Int, duration: Interval, uploads: Bool
    ) -> VirtualResult {
        let (fleet, configuration) = prepare(version, devices: devices, duration: duration, uploads: uploads)
        return run([fleet], configuration)
    }

    static func run(_ fleets: [any DeviceFleet], _ configuration: VirtualConfiguration) -> VirtualResult {
        var observer = Silence()
        return runVirtually(configuration, fleets: fleets, observer: &observer)
    }

    /// Makes the devices of a configuration's first population and plays them.
    static func play(_ configuration: VirtualConfiguration) -> VirtualResult {
        run([makeFleet(plan: configuration.plans[0], share: .whole)], configuration)
    }

    /// - Parameters:
    ///   - measures: Whether events pass by reference. Fitting the sizes takes part of a second.
    ///   - change: Changes the population, such as its SDK.
    ///   - opensAtArrival: Whether the devices arrive one after another over the whole time and
    ///     open the app at once; else they are there from the start, and sessions begin at their rate.
    static func prepare(
        _ version: SensorsRules.Version, devices: Int, duration: Interval, uploads: Bool,
        opensAtArrival: Bool = true, measures: Bool = false,
        _ change: (inout PopulationPlan) -> Void = { _ in }
    ) -> (fleet: any DeviceFleet, configuration: VirtualConfiguration) {
        let configuration = configuration(
            version, devices: devices, duration: duration, uploads: uploads, opensAtArrival: opensAtArrival,
            measures: measures, change)
        return (makeFleet(plan: configuration.plans[0], share: .whole), configuration)
    }

    /// The same without the devices.
    static func configuration(
        _ version: SensorsRules.Version, devices: Int, duration: Interval, uploads: Bool,
        opensAtArrival: Bool = true, measures: Bool = false,
        _ change: (inout PopulationPlan) -> Void = { _ in }
    ) -> VirtualConfiguration {
        var persona = Presets.casual
        persona.opensAtArrival = opensAtArrival
        var plan = Fixture.plan(version, devices: devices, duration: duration, persona: persona)
        if opensAtArrival { plan.arrival = ArrivalSchedule(over: duration) }
        if !uploads { plan.network = NetworkRules(kind: .none) }
        change(&plan)
        let schedule = RunSchedule(start: Fixture.start, duration: duration, drain: .seconds(30))
        var configuration = VirtualConfiguration(
            plans: [plan], schedule: schedule, collector: CollectorPlan())
        if measures { configuration.sizes = .fitted(to: configuration) }
        return configuration
    }
}

/// Passes everything on to a fleet, and hashes the bodies that it writes: two builds whose
/// fingerprints agree have written the same bytes.
final class FingerprintingFleet: ForwardingFleet {
    let base: any DeviceFleet
    private(set) var bodies = 0
    private(set) var bytes = 0
    private(set) var fingerprint: UInt64 = 0

    init(_ base: any DeviceFleet) { self.base = base }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let head = base.encode(slot, request: request, at: now, into: &body)
        let hash = body.withUnsafeBytes { Hash128($0) }
        fingerprint &+= hash.high ^ hash.low
        bodies += 1
        bytes += body.count
        return head
    }
}
