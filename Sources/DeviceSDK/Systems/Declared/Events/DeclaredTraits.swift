import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// What never changes on a device: hardware, system and what its ids are drawn from. Derived from the device's streams
/// whenever it is needed, without an allocation.
struct DeclaredTraits: Sendable {
    private let model: UInt8
    private let system: UInt8
    private let carrier: UInt8
    private let identity: RandomStream
    /// What events' ids are drawn from.
    let eventIDs: RandomStream
    /// What events' properties are drawn from.
    let properties: RandomStream
    /// How far the device's clock is ahead of the true time.
    let clockSkew: Interval

    init(plan: PopulationPlan, streams: PopulationStreams, index: Int) {
        var stream = streams.stream(.traits, index: index)
        let model = Self.tables.models.sample(&stream)
        self.model = UInt8(model)
        system = UInt8(Self.tables.systems[model].sample(&stream))
        carrier = UInt8(Self.tables.carriers.sample(&stream))
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
    /// `nil` without a SIM.
    var carrierName: String? { DeviceHardware.carriers[Int(carrier)].name }

    // The numbers of the children are those of the other systems, where they have the same ids.

    func session(_ number: UInt32) -> RandomStream { identity.child(2 << 32 | UInt64(number)) }
    /// The identifier for vendors, which iOS makes anew for each installation.
    func vendor(ofInstallation number: UInt8) -> RandomStream { identity.child(3 << 32 | UInt64(number)) }

    /// What the anonymous id of a generation is drawn from: 0 is the first.
    func anonymous(_ generation: UInt16) -> RandomStream { identity.child(5 << 32 | UInt64(generation)) }

    /// Appends the id of one of the user's accounts: `user-` and 16 hexadecimal digits, the same as under every other
    /// system.
    func appendUserID(_ account: UInt32, to buffer: inout WireBuffer) {
        var stream = identity.child(1 << 32 | UInt64(account))
        buffer.append("user-")
        DeviceUUID.append(hexadecimal: stream.next(), digits: 16, upperCase: false, to: &buffer)
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
        let carriers = WeightedChoice(weights: DeviceHardware.carriers.map(\.weight))
    }

    private static let tables = Tables()
}

extension WireBuffer {
    /// Appends an id.
    ///
    /// - Parameters:
    ///   - stream: Gives its random bits, from its first draw on.
    ///   - moment: What ids that begin with a time tell.
    mutating func appendID(_ kind: DescribedSDK.Identity.Kind, _ stream: RandomStream, at moment: Instant) {
        var stream = stream
        switch kind {
        case .uuid: DeviceUUID(stream: stream).append(to: &self)
        case .hex16: DeviceUUID.append(hexadecimal: stream.next(), digits: 16, upperCase: false, to: &self)
        case .uuid7:
            // RFC 9562, section 5.7: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits.
            let time = UInt64(max(0, moment.milliseconds))
            let high = time << 16 | 0x7000 | stream.next() >> 52
            let low = stream.next() & ~(3 << 62) | 1 << 63
            let parts: [(UInt64, Int)] = [
                (high >> 32, 8), (high >> 16, 4), (high, 4), (low >> 48, 4), (low, 12),
            ]
            for (place, part) in parts.enumerated() {
                if place > 0 { append(UInt8(ascii: "-")) }
                DeviceUUID.append(hexadecimal: part.0, digits: part.1, upperCase: false, to: &self)
            }
        }
    }
}
