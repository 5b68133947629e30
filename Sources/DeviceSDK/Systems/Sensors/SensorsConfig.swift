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

    /// The configuration's text in `$app_remote_config`: the fields that the SDK itself reads.
    var text: String {
        var buffer = WireBuffer()
        buffer.append("{")
        if let version {
            buffer.append("\"v\":")
            buffer.appendJSONString(version)
            buffer.append(",")
        }
        buffer.append("\"configs\":{\"disableSDK\":")
        buffer.append(disablesSDK ? "true" : "false")
        buffer.append(",\"disableDebugMode\":")
        buffer.append(disablesDebugMode ? "true" : "false")
        buffer.append(",\"autoTrackMode\":")
        buffer.append(String(autoTrackMode ?? -1))
        buffer.append(",\"event_blacklist\":[")
        for (index, name) in blacklist.sorted().enumerated() {
            if index > 0 { buffer.append(",") }
            buffer.appendJSONString(name)
        }
        buffer.append("],\"effect_mode\":")
        buffer.append(takesEffectNow ? "1" : "0")
        if let newVersion {
            buffer.append(",\"nv\":")
            buffer.appendJSONString(newVersion)
        }
        buffer.append("}}")
        return buffer.text
    }
}

/// A configuration in the form that every event is checked against: flat, and shared by all devices
/// that have it.
struct SensorsConfigEntry: Sendable {
    var config: SensorsConfig
    /// For each template, whether its event is on the blacklist; empty if none is.
    var isBlacklisted: [Bool]

    init(_ config: SensorsConfig, templates: SensorsTemplates) {
        self.config = config
        isBlacklisted =
            config.blacklist.isEmpty ? [] : templates.labels.map { config.blacklist.contains($0.name) }
    }

    /// Whether the event of a template is on the blacklist.
    func blocks(_ template: UInt16) -> Bool { !isBlacklisted.isEmpty && isBlacklisted[Int(template)] }
}
