import AppModel
import DeviceSDK
import Timebase
import World

/// The automatic properties of a population's events, rendered once for each value that a device can
/// have: what an epoch's block is put together from.
struct SensorsAutomaticProperties {
    /// One property in the order in which they are written.
    struct Property {
        let key: Int
        /// Super properties do not override it.
        let isForced: Bool
        let source: Source
    }

    enum Source {
        case fixed(SensorsBytes)
        case model, width, height, system, carrier, version, network, wifi, deviceID, zone
    }

    private(set) var properties: [Property] = []
    private let models: [SensorsBytes]
    private let widths: [SensorsBytes]
    private let heights: [SensorsBytes]
    private let systems: [SensorsBytes]
    /// Nothing for a phone without a SIM.
    private let carriers: [SensorsBytes]
    private let versions: [SensorsBytes]
    private let networks: [SensorsBytes]
    private let wifi: [SensorsBytes]
    private let noVersion: SensorsBytes

    /// Automatic keys that super properties do not override.
    static let forced: Set<String> = ["$network_type", "$wifi", "$device_id"]

    init(
        app: AppDescription, isVersion4: Bool, libVersion: String, keys: SensorsKeys, arena: SensorsArena
    ) {
        func number(_ key: String, _ value: Int) -> SensorsBytes {
            var fragment = SensorsFragment()
            fragment.add(key, value)
            return arena.keep(fragment.bytes)
        }
        func flag(_ key: String, _ value: Bool) -> SensorsBytes {
            var fragment = SensorsFragment()
            fragment.add(key, value)
            return arena.keep(fragment.bytes)
        }
        func text(_ key: String, _ value: String) -> SensorsBytes {
            arena.keep(SensorsFragment(key, value).bytes)
        }
        models = DeviceHardware.models.map { text("$model", $0.machine.description) }
        widths = DeviceHardware.models.map { number("$screen_width", Int($0.width)) }
        heights = DeviceHardware.models.map { number("$screen_height", Int($0.height)) }
        systems = DeviceHardware.systems.map { text("$os_version", $0.text.description) }
        carriers = DeviceHardware.carriers.map { carrier in
            carrier.name.map { text("$carrier", $0) } ?? SensorsBytes()
        }
        versions = app.versions.map { text("$app_version", $0) }
        noVersion = text("$app_version", "")
        networks = NetworkKind.allCases.map { text("$network_type", $0.sensorsName(isVersion4: isVersion4)) }
        wifi = [flag("$wifi", false), flag("$wifi", true)]
        let sources = Self.sources(app, isVersion4: isVersion4, libVersion: libVersion) { text($0, $1) }
        properties = sources.compactMap { key, source in
            keys.known(key).map { Property(key: $0, isForced: Self.forced.contains(key), source: source) }
        }
    }

    /// Where each property comes from, in the order in which they are written.
    private static func sources(
        _ app: AppDescription, isVersion4: Bool, libVersion: String, text: (String, String) -> SensorsBytes
    ) -> [(key: String, source: Source)] {
        func fixed(_ key: String, _ value: String) -> (key: String, source: Source) {
            (key, .fixed(text(key, value)))
        }
        let own =
            isVersion4
            ? [
                fixed("$app_id", app.bundleIdentifier), fixed("$app_name", app.displayName),
                ("$timezone_offset", .zone),
            ] : []
        return own + [
            fixed("$manufacturer", "Apple"), ("$model", .model), fixed("$os", "iOS"),
            ("$os_version", .system), ("$screen_width", .width), ("$screen_height", .height),
            ("$carrier", .carrier), ("$app_version", .version), fixed("$lib", "iOS"),
            fixed("$lib_version", libVersion), ("$network_type", .network), ("$wifi", .wifi),
            ("$device_id", .deviceID),
        ]
    }

    /// The JSON of a property on a device under an epoch, with a comma after it; nothing if the
    /// device does not have it.
    ///
    /// - Parameters:
    ///   - deviceID: `"$device_id":"…",`.
    ///   - zone: What ``zone(_:)`` makes of the device's.
    func json(
        _ source: Source, _ traits: borrowing SensorsTraits, _ epoch: SensorsEpoch, deviceID: SensorsBytes,
        zone: SensorsBytes
    ) -> SensorsBytes {
        switch source {
        case .fixed(let bytes): bytes
        case .model: models[Int(traits.model)]
        case .width: widths[Int(traits.model)]
        case .height: heights[Int(traits.model)]
        case .system: systems[Int(traits.system)]
        case .carrier: carriers[Int(traits.carrier)]
        case .version: version(epoch.appVersion)
        case .network: networks[Int(epoch.network.rawValue)]
        case .wifi: wifi[epoch.network == .wifi ? 1 : 0]
        case .deviceID: deviceID
        case .zone: zone
        }
    }

    /// `"$timezone_offset":…,`: how many minutes local time is behind UTC.
    ///
    /// - Parameter ahead: How far it is ahead.
    static func zone(_ ahead: Interval) -> [UInt8] {
        var fragment = SensorsFragment()
        fragment.add("$timezone_offset", -Int(ahead.nanoseconds / Interval.minutes(1).nanoseconds))
        return fragment.bytes
    }

    /// `"$app_version":"…",`.
    func version(_ index: UInt16) -> SensorsBytes {
        Int(index) < versions.count ? versions[Int(index)] : noVersion
    }
}
