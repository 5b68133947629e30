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

    /// The path of those who get it; `nil` for everybody of the system.
    package var pattern: RequestPattern?

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
    /// The latest configuration that a system's clients get at a path: one for that path before one for all; `nil` where
    /// there is none, or one that changes nothing.
    func config(of system: CollectorSystem, path: String, at now: Instant) -> ServedConfig? {
        let components = path.split(separator: "/")
        var seen: [RequestPattern] = []
        var general: ServedConfig?
        for config in configs.reversed() where config.system == system && config.from <= now {
            guard let pattern = config.pattern else {
                general = general ?? config
                continue
            }
            guard !seen.contains(pattern), pattern.fit(components) != nil else { continue }
            seen.append(pattern)
            if !config.body.isEmpty { return config }
        }
        return general.flatMap { $0.body.isEmpty ? nil : $0 }
    }
}
