import AppModel
import DeviceSDK
import Timebase

/// What never changes on a device: hardware, system and what its ids are drawn from. Derived from the device's streams
/// whenever it is needed, without an allocation.
struct DeclaredTraits: Sendable {
    private let model: UInt8
    private let system: UInt8
    private let carrier: UInt8
    private let zone: UInt16
    private let identity: RandomStream
    /// What events' ids are drawn from.
    let eventIDs: RandomStream
    /// What events' properties are drawn from.
    let properties: RandomStream
    /// How far the device's clock is ahead of the true time.
    let clockSkew: Interval

    init(plan: PopulationPlan, streams: PopulationStreams, index: Int) {
        var stream = streams.stream(.hardware, index: index)
        let model = Self.tables.models.sample(&stream)
        self.model = UInt8(model)
        system = UInt8(Self.tables.systems[model].sample(&stream))
        // Most populations have one zone, and then nothing is drawn.
        let zoneNumber =
            plan.zones.tables.count > 1 ? plan.zones.index(streams.stream(.zone, index: index)) : 0
        zone = UInt16(zoneNumber)
        carrier = DeviceHardware.carrier(in: plan.zones.region(at: zoneNumber), &stream)
        identity = streams.stream(.identity, index: index)
        eventIDs = streams.stream(.trackIdentifiers, index: index)
        properties = streams.stream(.properties, index: index)
        clockSkew = plan.clockSkew(index: index)
    }

    /// `hw.machine`, such as `iPhone15,2`.
    var machine: StaticString { DeviceHardware.models[Int(model)].machine }
    /// The screen in points, upright.
    var width: Int { Int(DeviceHardware.models[Int(model)].width) }
    var height: Int { Int(DeviceHardware.models[Int(model)].height) }
    var osVersion: StaticString { DeviceHardware.systems[Int(system)].text }
    /// Its index in the table of carriers.
    var carrierIndex: Int { Int(carrier) }
    /// Its index among the population's time zones.
    var zoneIndex: Int { Int(zone) }

    // The numbers of the children are those of the other systems, where they have the same ids.

    func session(_ number: UInt32) -> RandomStream { identity.child(2 << 32 | UInt64(number)) }
    /// The identifier for vendors, which iOS makes anew for each installation.
    func vendor(ofInstallation number: UInt8) -> RandomStream { identity.child(3 << 32 | UInt64(number)) }

    /// What the anonymous id of a generation is drawn from: 0 is the first.
    func anonymous(_ generation: UInt16) -> RandomStream { identity.child(5 << 32 | UInt64(generation)) }

    /// Writes the id of one of the user's accounts: `user-` and 16 hexadecimal digits, the same as under every other
    /// system.
    func putUserID(_ account: UInt32, to cursor: inout DeclaredCursor) {
        var stream = identity.child(1 << 32 | UInt64(account))
        cursor.put("user-")
        cursor.put(hexadecimal: stream.next(), digits: 16, upperCase: false)
    }

    private struct Tables: Sendable {
        let models = WeightedChoice(weights: DeviceHardware.models.map(\.weight2025))
        /// For each model a choice among all systems.
        let systems = DeviceHardware.models.map { hardware in
            let fitting = DeviceHardware.systems.map {
                hardware.systems.contains($0.major) ? $0.weight2025 : 0
            }
            let isKnown = fitting.contains { $0 > 0 }
            return WeightedChoice(weights: isKnown ? fitting : DeviceHardware.systems.map { _ in 1 })
        }
    }

    private static let tables = Tables()
}
