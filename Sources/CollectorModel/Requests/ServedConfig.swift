package import Timebase
import Wire

/// A configuration that the collector serves from some time on.
package struct ServedConfig: Hashable, Sendable {
    package var from: Instant
    /// Whose clients ask for it: SensorsAnalytics or codeless.
    package var system: CollectorSystem
    /// SensorsAnalytics: the version `v`; requests that name it get 304.
    package var version: String
    /// The JSON of the answer, whole: `{"v":…,"configs":{…}}`, or codeless's list of rules for business data,
    /// `[{"appKey","appVersion","viewEvent","viewPath","keyPath","keyName"},…]`.
    package var body: [UInt8]

    package init(from: Instant, system: CollectorSystem = .sensors, version: String, body: [UInt8]) {
        self.from = from
        self.system = system
        self.version = version
        self.body = body
    }
}

extension CollectorPlan {
    /// The configuration that a system's clients get.
    func config(of system: CollectorSystem, at now: Instant) -> ServedConfig {
        configs.last { $0.system == system && $0.from <= now } ?? .neutral(system)
    }
}

extension ServedConfig {
    /// Switches nothing off, so that clients neither retry the fetch nor change their ways; no rules.
    static func neutral(_ system: CollectorSystem) -> ServedConfig {
        let switchesNothing = """
            {"v":"0","configs":{"disableSDK":false,"disableDebugMode":false,"autoTrackMode":-1,\
            "event_blacklist":[],"effect_mode":0}}
            """
        let body = system == .sensors ? switchesNothing : "[]"
        return ServedConfig(from: .distantFuture, system: system, version: "0", body: Array(body.utf8))
    }

    /// The answer to a fetch.
    func reply(to request: CollectedRequest) -> CollectorReply {
        switch system {
        case .sensors where queryValue("v", in: request.query) == version:
            CollectorReply(status: 304, disposition: .config)
        case .codeless:
            CollectorReply(
                status: 200, disposition: .config, body: rules(for: request), contentType: "application/json")
        default:
            CollectorReply(status: 200, disposition: .config, body: body, contentType: "application/json")
        }
    }

    /// The rules for the app that asks: those that name its key and version, or none. A body that is no list is
    /// served as it is.
    private func rules(for request: CollectedRequest) -> [UInt8] {
        let app = (queryValue("appKey", in: request.query), queryValue("appVersion", in: request.query))
        let parser = JSONParser()
        let list = body.withUnsafeBytes { bytes in
            try? parser.withParsed(bytes) { root -> [UInt8]? in
                guard root.kind == .array else { return nil }
                var list = WireBuffer("[")
                for rule in root.elements
                where rule.concerns(app.0, "appKey") && rule.concerns(app.1, "appVersion") {
                    list.appendJSONComma()
                    rule.appendJSON(to: &list)
                }
                list.append(UInt8(ascii: "]"))
                return list.bytes
            }
        }
        return (list ?? nil) ?? body
    }
}

extension JSONValue {
    /// Whether a rule is for what a request says, or leaves it open; a request may leave it open too.
    fileprivate func concerns(_ asked: String?, _ member: StaticString) -> Bool {
        guard let asked, let own = self[member]?.string, !own.isEmpty else { return true }
        return own == asked
    }
}
