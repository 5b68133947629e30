import AppModel
import DeviceSDK

/// The lines and paths of requests, rendered once from the server URL that the app gave the SDK.
///
/// Sources: sa-sdk-ios v1.10.17 (`setServerUrl:`, `getSDKContollerUrl:`) and v4.9.1
/// (`SAURLUtils buildServerURLWithURLString:debugMode:`, `SARemoteConfigOperator
/// buildURLRequestWithOriginalVersion:latestVersion:`).
struct SensorsEndpoints: Sendable {
    let upload: RequestHead
    /// In debug mode.
    let debug: RequestHead
    /// Without a query.
    private let configPath: String
    private let configHeaders: String
    /// `app_id=…&project=…` of 4.x.
    private let configSuffix: String
    private let isVersion4: Bool

    init(plan: PopulationPlan, rules: SensorsRules) {
        let target = plan.target.pathAndQuery
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let query = target[path.endIndex...].prefix { $0 != "#" }
        let folder = Self.withoutLastComponent(String(path))
        var own = "User-Agent: SensorsAnalytics iOS SDK\r\n"
        own += "Content-Type: application/x-www-form-urlencoded\r\n"
        if let cookie = rules.cookie { own += "Cookie: \(cookie)\r\n" }
        upload = RequestHead(
            method: .post, path: path.isEmpty ? "/" + target : target,
            headerLines: plan.target.headerLines(after: own))
        let dryRun = rules.debugMode == .debugOnly ? "Dry-Run: true\r\n" : ""
        // The published text speaks of an added component; the sources replace the last one.
        let debugPath = rules.version == .document ? path + "/debug" : folder + "debug"
        debug = RequestHead(
            method: .post, path: debugPath + query, headerLines: plan.target.headerLines(after: own + dryRun))
        configPath = folder + "config/iOS.conf"
        configHeaders = plan.target.headerLines(after: "")
        isVersion4 = rules.isVersion4
        var suffix = "app_id=" + Self.escaped(plan.app.bundleIdentifier)
        if let project = Self.value(of: "project", in: query.dropFirst()) { suffix += "&project=\(project)" }
        configSuffix = suffix
    }

    /// The head of a fetch, for a device that runs under a configuration.
    func fetch(under config: SensorsConfig) -> RequestHead {
        var query: [String] = []
        if let version = config.version, !version.isEmpty { query.append("v=" + Self.escaped(version)) }
        if isVersion4 {
            if let newVersion = config.newVersion { query.append("nv=" + Self.escaped(newVersion)) }
            query.append(configSuffix)
        }
        let path = query.isEmpty ? configPath : configPath + "?" + query.joined(separator: "&")
        return RequestHead(method: .get, path: path, headerLines: configHeaders)
    }

    /// The path up to and with the last slash before its last component: `/a/sa` and `/a/sa/` give
    /// `/a/`.
    private static func withoutLastComponent(_ path: String) -> String {
        let components = path.split(separator: "/").dropLast()
        return components.isEmpty ? "/" : "/" + components.joined(separator: "/") + "/"
    }

    private static func value(of name: String, in query: Substring) -> String? {
        for pair in query.split(separator: "&") where pair.hasPrefix(name + "=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || (48...57).contains(byte))
            if isPlain || "-._~".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = Array("0123456789ABCDEF")
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return result
    }
}
