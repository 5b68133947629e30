package import Timebase

/// A configuration that the collector serves from some time on.
package struct ServedConfig: Hashable, Sendable {
    package var from: Instant
    /// Whose clients ask for it.
    package var system: CollectorSystem
    /// SensorsAnalytics: the version `v`; requests that name it get 304.
    package var version: String
    /// The JSON of the answer, whole: `{"v":…,"configs":{…}}`, or codeless's list of rules for business data,
    /// `[{"appKey","appVersion","viewEvent","viewPath","keyPath","keyName"},…]`, or what a described SDK gets. Empty for
    /// the one that changes nothing.
    package var body: [UInt8]

    package init(from: Instant, system: CollectorSystem = .sensors, version: String, body: [UInt8]) {
        self.from = from
        self.system = system
        self.version = version
        self.body = body
    }

    /// One that was served from the beginning.
    static func neutral(_ body: [UInt8], of system: CollectorSystem) -> ServedConfig {
        ServedConfig(from: .distantFuture, system: system, version: "0", body: body)
    }

    /// The answer that has all of it.
    var whole: CollectorReply {
        CollectorReply(status: 200, disposition: .config, body: body, contentType: "application/json")
    }
}

extension CollectorPlan {
    /// The latest configuration that a system's clients get; `nil` before the first.
    func config(of system: CollectorSystem, at now: Instant) -> ServedConfig? {
        configs.last { $0.system == system && $0.from <= now }
    }
}
