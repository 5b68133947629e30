import AppModel
import DeviceSDK
import Timebase
import Wire

/// What never changes on a device: hardware, system, ids and location.
///
/// Derived from the device's streams whenever it is needed, so nothing is stored per device.
struct GrowingTraits: Sendable {
    let machine: String
    let systemVersion: String
    /// Pixels, upright.
    let screenWidth: Int
    let screenHeight: Int
    let language: String
    /// Degrees.
    let latitude: Double
    let longitude: Double
    let deviceID: DeviceUUID
    /// `advertisingIdentifier`; `nil` where the user does not allow it.
    let advertisingID: DeviceUUID?
    private let identity: RandomStream

    init(plan: PopulationPlan, isVersion4: Bool, index: Int) {
        let tables = isVersion4 ? GrowingTraitTables.recent : GrowingTraitTables.early
        var stream = plan.stream(.hardware, index: index)
        let model = DeviceHardware.models[tables.models.sample(&stream)]
        let systems = tables.systems(of: model)
        machine = "\(model.machine)"
        systemVersion = "\(DeviceHardware.systems[systems.sample(&stream)].text)"
        let scale = GrowingTraits.scale(model)
        screenWidth = Int(model.width) * scale
        screenHeight = Int(model.height) * scale
        let location = DeviceHardware.locations[GrowingTraitTables.locations.sample(&stream)]
        latitude = Double(location.latitude + Int32(stream.below(200_000)) - 100_000) / 1e6
        longitude = Double(location.longitude + Int32(stream.below(240_000)) - 120_000) / 1e6
        language = stream.chance(0.93) ? "zh-Hans-CN" : stream.chance(0.5) ? "en-CN" : "zh-Hant-HK"
        let isAllowed = stream.chance(0.35)
        identity = plan.stream(.identity, index: index)
        deviceID = DeviceUUID(stream: identity)
        advertisingID = isAllowed ? DeviceUUID(stream: identity.child(4 << 32)) : nil
    }

    /// `UIScreen.scale`.
    private static func scale(_ model: DeviceHardware) -> Int {
        // iPhone XR and 11 are as large as the Max models, at two pixels a point.
        if ["iPhone11,8", "iPhone12,1"].contains("\(model.machine)") { return 2 }
        return (model.width, model.height) == (375, 667) || model.width == 320 ? 2 : 3
    }

    /// `identifierForVendor`: a new one for each installation.
    func vendorID(ofInstallation number: UInt8) -> DeviceUUID {
        DeviceUUID(stream: identity.child(3 << 32 | UInt64(number)))
    }

    /// The id of one of the device's sessions.
    func sessionID(_ session: UInt32) -> DeviceUUID {
        DeviceUUID(stream: identity.child(2 << 32 | UInt64(session)))
    }

    /// The login id of one of the user's accounts: `user-` and 16 hexadecimal digits, the same as under
    /// every other system.
    func userID(_ account: UInt32) -> String {
        var stream = identity.child(1 << 32 | UInt64(account))
        var buffer = WireBuffer("user-")
        DeviceUUID.append(hexadecimal: stream.next(), digits: 16, upperCase: false, to: &buffer)
        return buffer.text
    }
}

/// The choices that ``GrowingTraits`` draws from, made once.
private struct GrowingTraitTables: Sendable {
    let models: WeightedChoice
    private let choices: [String: WeightedChoice]

    /// Autumn 2021, between the two times that the tables of hardware know: nothing newer than iOS 15.
    static let early = GrowingTraitTables(
        model: { $0.systems.lowerBound <= 15 ? $0.weight2018 + $0.weight2025 : 0 },
        system: { $0.major <= 15 ? $0.weight2018 + $0.weight2025 : 0 })
    static let recent = GrowingTraitTables(model: { $0.weight2025 }, system: { $0.weight2025 })
    static let locations = WeightedChoice(weights: DeviceHardware.locations.map(\.weight))

    init(model: (DeviceHardware) -> Double, system: (DeviceHardware.System) -> Double) {
        models = WeightedChoice(weights: DeviceHardware.models.map(model))
        var choices: [String: WeightedChoice] = [:]
        for hardware in DeviceHardware.models {
            let fitting = DeviceHardware.systems.map {
                hardware.systems.contains($0.major) ? system($0) : 0
            }
            let isKnown = fitting.contains { $0 > 0 }
            choices["\(hardware.machine)"] = WeightedChoice(
                weights: isKnown ? fitting : DeviceHardware.systems.map { _ in 1 })
        }
        self.choices = choices
    }

    func systems(of model: DeviceHardware) -> WeightedChoice {
        choices["\(model.machine)"] ?? WeightedChoice(weights: DeviceHardware.systems.map { _ in 1 })
    }
}
