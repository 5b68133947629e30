import AppModel
package import DeviceSDK
package import Timebase
import Wire

/// What never changes on a device: hardware, system, ids, location and the error of its clock.
///
/// Derived from the device's streams whenever it is needed, so nothing is stored per device; a
/// value without references, made in some hundred nanoseconds without an allocation.
package struct SensorsTraits: Hashable, Sendable {
    /// The device's index in its population.
    package let index: Int
    let model: UInt8
    let system: UInt8
    let carrier: UInt8
    /// Degrees × 10⁶.
    package let latitude: Int32
    package let longitude: Int32
    /// How far the device's clock is ahead of the true time.
    package let clockSkew: Interval
    /// `$device_id`, the IDFV, of the first installation.
    let device: DeviceUUID
    private let identity: RandomStream

    /// Derives the traits of the population's device with the given index.
    package init(plan: PopulationPlan, index: Int) {
        self.index = index
        let rules = plan.sensorsRules
        let tables = rules.isVersion4 ? SensorsTraitTables.recent : SensorsTraitTables.early
        var stream = plan.stream(.hardware, index: index)
        let model = tables.models.sample(&stream)
        self.model = UInt8(model)
        system = UInt8(tables.systems[model].sample(&stream))
        let region = plan.zones.region(plan.stream(.zone, index: index))
        carrier = DeviceHardware.carrier(in: region, &stream)
        let location = DeviceHardware.locations[SensorsTraitTables.locations.sample(&stream)]
        // Within some ten kilometres of the centre.
        latitude = location.latitude + Int32(stream.below(200_000)) - 100_000
        longitude = location.longitude + Int32(stream.below(240_000)) - 120_000
        clockSkew = plan.clockSkew(index: index)
        identity = plan.stream(.identity, index: index)
        device = DeviceUUID(stream: identity)
    }

    /// `hw.machine`, such as `iPhone15,2`.
    package var machine: StaticString { DeviceHardware.models[Int(model)].machine }
    /// The screen in points, upright.
    package var screenWidth: Int { Int(DeviceHardware.models[Int(model)].width) }
    package var screenHeight: Int { Int(DeviceHardware.models[Int(model)].height) }
    package var osVersion: StaticString { DeviceHardware.systems[Int(system)].text }
    /// `$device_id` as text. Allocates.
    package var deviceID: String { device.text }

    /// `$device_id`, the IDFV: a new one for each installation.
    func device(ofInstallation number: UInt8) -> DeviceUUID {
        number == 0 ? device : DeviceUUID(stream: identity.child(5 << 32 | UInt64(number)))
    }

    /// The anonymous id under an epoch.
    func anonymousID(_ epoch: SensorsEpoch) -> DeviceUUID {
        guard epoch.anonymousGeneration > 0 else { return device(ofInstallation: epoch.ownInstallation) }
        return DeviceUUID(stream: identity.child(UInt64(epoch.anonymousGeneration)))
    }

    /// Appends the login id of one of the user's accounts: `user-` and 16 hexadecimal digits.
    func appendLoginID(_ account: UInt32, to buffer: inout WireBuffer) {
        var stream = identity.child(1 << 32 | UInt64(account))
        buffer.append("user-")
        DeviceUUID.append(hexadecimal: stream.next(), digits: 16, upperCase: false, to: &buffer)
    }

    /// What the values of bindings are drawn from: the device's own, the same at each call.
    var bindings: RandomStream { identity.child(2 << 32) }

    /// The reading of the device's clock at an instant, in milliseconds since the Unix epoch.
    package func clockMilliseconds(at instant: Instant) -> Int64 { (instant + clockSkew).milliseconds }
}

/// The choices that ``SensorsTraits`` draws from, made once.
private struct SensorsTraitTables: Sendable {
    let models: WeightedChoice
    /// For each model a choice among all systems.
    let systems: [WeightedChoice]

    static let early = SensorsTraitTables(model: { $0.weight2018 }, system: { $0.weight2018 })
    static let recent = SensorsTraitTables(model: { $0.weight2025 }, system: { $0.weight2025 })
    static let locations = WeightedChoice(weights: DeviceHardware.locations.map(\.weight))

    init(model: (DeviceHardware) -> Double, system: (DeviceHardware.System) -> Double) {
        models = WeightedChoice(weights: DeviceHardware.models.map(model))
        systems = DeviceHardware.models.map { hardware in
            let fitting = DeviceHardware.systems.map {
                hardware.systems.contains($0.major) ? system($0) : 0
            }
            // A model that is not met at that time: any of its systems, never drawn.
            guard fitting.contains(where: { $0 > 0 }) else {
                return WeightedChoice(weights: DeviceHardware.systems.map { _ in 1 })
            }
            return WeightedChoice(weights: fitting)
        }
    }
}

extension PopulationPlan {
    /// The rules of a Sensors population, which this must be.
    var sensorsRules: SensorsRules {
        guard let rules = system as? SensorsRules else { preconditionFailure("\(name) runs another system") }
        return rules
    }
}
