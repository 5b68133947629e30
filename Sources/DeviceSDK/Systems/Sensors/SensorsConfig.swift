import Accounting
import DeviceSDK
import Wire

/// A remote configuration, as an answer brought it and as the disk keeps it.
///
/// Sources: sa-sdk-ios v1.10.17 (`SASDKRemoteConfig.m`, `requestFunctionalManagermentConfigDelay:`)
/// and v4.9.1 (`RemoteConfig/SARemoteConfigModel.m`, `SARemoteConfigOperator.m`).
struct SensorsConfig: Hashable, Sendable {
    /// Opaque; sent back with the next fetch.
    var version: String?
    /// `configs.nv`, 4.x only.
    var newVersion: String?
    var disablesSDK = false
    var disablesDebugMode = false
    /// `nil` for -1, the app's own setting.
    var autoTrackMode: Int?
    /// Names of events that are dropped when they are built, 4.x only.
    var blacklist: Set<String> = []
    /// `effect_mode` 1, 4.x only: does not wait for the next start.
    var takesEffectNow = false
    /// What `$app_remote_config` quotes, 4.x only: of the answer's fields those that the SDK takes out, as they
    /// came (`SARemoteConfigOperator.m extractRemoteConfig:`).
    var text = ""

    /// Before any answer.
    static let none = SensorsConfig()

    init() {}

    /// Reads an answer's body. Missing fields and those of a wrong type are as in ``none``.
    ///
    /// - Parameter isVersion4: Whether the version knows `nv`, `event_blacklist` and `effect_mode`.
    /// - Returns: `nil` if the body is no JSON object: then the SDK leaves everything as it was.
    init?(body: [UInt8], parser: JSONParser, isVersion4: Bool) {
        let parsed = try? body.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { root in SensorsConfig(root: root, isVersion4: isVersion4) }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    private init?(root: JSONValue, isVersion4: Bool) {
        guard root.kind == .object else { return nil }
        version = root["v"]?.string
        if isVersion4 { text = Self.extract(root) }
        guard let configs = root["configs"] else { return }
        disablesSDK = Self.truth(configs["disableSDK"])
        disablesDebugMode = Self.truth(configs["disableDebugMode"])
        autoTrackMode = configs["autoTrackMode"]?.int64.flatMap { (0...15).contains($0) ? Int($0) : nil }
        guard isVersion4 else { return }
        newVersion = configs["nv"]?.string
        takesEffectNow = configs["effect_mode"]?.int64 == 1
        if let names = configs["event_blacklist"] {
            for name in names.elements {
                if let text = name.string { blacklist.insert(text) }
            }
        }
    }

    /// `boolValue` of what JSON gave: numbers other than 0 count as true.
    private static func truth(_ value: JSONValue?) -> Bool {
        value?.bool ?? value?.double.map { $0 != 0 } ?? false
    }

    private static let extracted: [StaticString] = [
        "disableSDK", "disableDebugMode", "autoTrackMode", "event_blacklist", "effect_mode", "nv",
        "supportTransportEncrypt",
    ]

    private static func extract(_ root: JSONValue) -> String {
        var buffer = WireBuffer("{")
        if let version = root["v"] {
            buffer.append("\"v\":")
            version.appendJSON(to: &buffer)
            buffer.append(",")
        }
        buffer.append("\"configs\":{")
        var isFirst = true
        for name in extracted {
            guard let value = root["configs"]?[name] else { continue }
            buffer.append(isFirst ? "\"" : ",\"" as StaticString)
            isFirst = false
            buffer.append(name)
            buffer.append("\":")
            value.appendJSON(to: &buffer)
        }
        buffer.append("}}")
        return buffer.text
    }
}

/// A configuration in the form that every event is checked against: flat, and shared by all devices
/// that have it.
struct SensorsConfigEntry: Sendable {
    var config: SensorsConfig
    /// For each template, whether its event is on the blacklist; empty if none is. Changes of profiles and items
    /// have no name, not an empty one.
    var isBlacklisted: [Bool]

    init(_ config: SensorsConfig, templates: SensorsTemplates) {
        self.config = config
        isBlacklisted =
            config.blacklist.isEmpty
            ? [] : templates.labels.map { !$0.name.isEmpty && config.blacklist.contains($0.name) }
    }

    /// Whether the event of a template is on the blacklist.
    func blocks(_ template: UInt16) -> Bool { !isBlacklisted.isEmpty && isBlacklisted[Int(template)] }
}
