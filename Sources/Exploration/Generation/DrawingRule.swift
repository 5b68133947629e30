import Timebase
import Wire

/// What the generator knows of a place in the format beyond its schema: how often a key is there, how large its
/// value may be for a small world, and which names refer to something.
struct DrawingRule: Sendable {
    typealias Value =
        @Sendable (_ draw: inout RandomStream, _ frame: WorldFrame, _ path: [String]) -> JSONNode

    typealias Reconciliation =
        @Sendable (_ drawn: JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame) -> JSONNode

    /// How likely a key that need not be there is; by default the world's own ``WorldFrame/presence``.
    var presence: Double?
    /// The largest whole number that is drawn.
    var most: Int?
    /// Whether it is the status of an answer.
    var isStatus = false
    /// The one of its values that is drawn more often than the others.
    var favourite: String?
    /// How many elements or members.
    var count: ClosedRange<Int>?
    /// The texts to choose from.
    var texts: [String]?
    /// Keys of which an object has exactly one, each with its weight; its other keys are as ever.
    var exactlyOne: [(name: String, weight: UInt64)] = []
    /// Draws the value in place of the schema.
    var value: Value?
    /// Whether what is drawn there has its turn (``Wish``) in another place, which takes more of it.
    var isElsewhere = false
    /// Makes the members of an object that was drawn fit together, where the loader would take one away for another's sake.
    var reconcile: Reconciliation?

    static func presence(_ presence: Double) -> DrawingRule { DrawingRule(presence: presence) }
    static func most(_ most: Int, presence: Double? = nil) -> DrawingRule {
        DrawingRule(presence: presence, most: most)
    }
    static func texts(_ texts: String..., presence: Double? = nil) -> DrawingRule {
        DrawingRule(presence: presence, texts: texts)
    }
    static let status = DrawingRule(isStatus: true)
    static func value(presence: Double? = nil, _ value: @escaping Value) -> DrawingRule {
        DrawingRule(presence: presence, value: value)
    }

    /// The rule of a place: that of the whole path (`^` before it), or else of the longest end of it that has one.
    /// Elements of arrays are `[]`, names in maps `{}`.
    static func rule(at path: [String]) -> DrawingRule? {
        let names = path.map { token in Int(token) == nil ? token : "[]" }
        if let rule = rules["^" + names.joined(separator: ".")] { return rule }
        for start in names.indices {
            if let rule = rules[names[start...].joined(separator: ".")] { return rule }
        }
        return nil
    }

    /// Keys that no scenario of the swarm has, with the reason: they count neither as drawn nor as missing.
    static let omitted: [String: String] = [
        "$schema": "for editors",
        "^variants": "a variant is a scenario of its own, and those are drawn as such",
        "^target.path": "one path for several systems, which a collector cannot tell apart",
        "target.url": "worlds have the collector that they model or embed",
        "target.urls": "as target.url",
        "target.tls": "files and handshakes belong to the tests on real sockets",
        "target.http": "worlds have a collector that speaks HTTP/1.1",
        "target.dns": "names are looked up for external targets only",
        "sdk-declared.file": "a world is one file",
        "services.aesKey": "the collectors of the project know the default key alone",
    ]

    /// Whether a place is one of ``omitted``, or within one.
    static func isOmitted(_ path: [String]) -> Bool {
        let names = path.map { Int($0) == nil ? $0 : "[]" }
        return names.indices.contains { end in
            omitted["^" + names[...end].joined(separator: ".")] != nil
                || (0...end).contains { omitted[names[$0...end].joined(separator: ".")] != nil }
        }
    }

    static let rules = [
        app, sdk, PatternDrawing.rules, DescriptionDrawing.rules, ConfigDrawing.rules,
        DescriptionReconciliation.rules,
    ]
    .reduce(scenario) { $0.merging($1) { $1 } }

    // MARK: The scenario

    private static let scenario: [String: DrawingRule] = [
        "^name": .texts("swarm", presence: 0.05),
        "^description": .texts("drawn by seed", presence: 0.02),
        "^seed": .value(presence: 1) { draw, _, _ in .int(draw.below(1 << 32)) },
        "^start": .value(presence: 0.5) { draw, _, _ in
            let hour = [0, 11, 23][Int(draw.below(3))]
            return .text(
                "2026-03-0\(1 + draw.below(8))T\(hour < 10 ? "0" : "")\(hour):\(10 + draw.below(50)):00+08:00"
            )
        },
        "^duration": .value { _, frame, _ in .text(WorldFrame.text(milliseconds: frame.duration)) },
        "^drain": .value(presence: 1) { draw, frame, _ in
            if frame.endsInPeace { return .text("4h") }
            return .text(["0s", "1s", "30s", "10m", "2h"][Int(draw.below(5))])
        },
        "^pace": .presence(0.03),
        "^expect": .presence(0.03),
        "^target": .presence(0.1),
        "target.path": .value(presence: 0.2) { _, _, path in .text("/own/p\(path[1])?project=default") },
        "target.headers": DrawingRule(presence: 0.4, count: 0...2),
        "target.headers.{}": .texts("X-Env", "X-Stage"),
        // Secrets, which nothing else of the scenario is: what repeats one is masked in the run's files.
        "target.headers.X-Env": .texts("5c1f-secret"),
        "target.headers.X-Stage": .texts("77ab-secret"),
        "target.apiKey": .texts("key-90d2"),
        "sdk-sensors.cookie": .texts("cookie-3e07"),
        "^populations": DrawingRule(count: 1...3),
        "populations.[].name": .value { _, _, path in .text("p\(path[path.count - 2])") },
        "populations.[].devices": .value { draw, frame, _ in
            .int(1 + draw.below(UInt64(max(1, frame.devices))))
        },
        "populations.[].version": .presence(0.8),
        "populations.[].sdk": .presence(0.95),
        "populations.[].app": .texts("shop", "news", "game", "own", "own", presence: 0.9),
        "populations.[].persona": .value(presence: 0.97, PersonaDrawing.populationsPersona),
        "populations.[].network": .value(presence: 0.35, NetworkDrawing.populationsNetwork),
        "populations.[].rate": .presence(0.04),
        "populations.[].target": .presence(0.03),
        "populations.[].users": .texts("p0", presence: 0.06),
        "^apps": DrawingRule(presence: 0.7, count: 1...1),
        "apps.{}": .texts("own"),
        "^personas": DrawingRule(presence: 0.3, count: 1...1),
        "personas.{}": .texts("regular"),
        "personas.[].value": .value(PersonaDrawing.own),
        "^networks": DrawingRule(presence: 0.3, count: 1...1),
        "networks.{}": .texts("net"),
        "networks.net": .presence(1),
        "networks.net.extends": .presence(0.5),
        "networks.net.handover": .presence(0.4), "handover.failure": .presence(0.8),
        "networks.net.chain": .value(presence: 0.5, NetworkDrawing.chain),
        "networks.net.up": .texts("20 kbit/s", "1 Mbit/s", presence: 0.3),
        "networks.net.down": .texts("20 kbit/s", "1 Mbit/s", presence: 0.3),
        "^server": .presence(0.1),
        "server.workers": .most(4),
        "server.queue": .most(6),
        "rateLimit.rate": .texts("1 requests/s", "20 requests/s"),
        "rateLimit.burst": .most(5),
        "^timeline": DrawingRule(presence: 0.85, count: 0...7),
        "timeline.[]": DrawingRule(exactlyOne: [
            ("collector", 8), ("client", 5), ("device", 5), ("remoteConfig", 2), ("push", 2),
            ("sdk", 2),
        ]),
        "timeline.[].device": DrawingRule(exactlyOne: [("network", 3), ("disk", 3), ("consent", 3)]),
        // A roll-out changes a few knobs of an SDK.
        "timeline.[].sdk": DrawingRule(isElsewhere: true),
        "timeline.[].at": .value { draw, frame, _ in
            let end = frame.endsInPeace ? 0.3 : 1.02
            let at = draw.chance(0.15) ? 0 : Int64(draw.uniform() * end * Double(frame.duration))
            return .text(frame.text(milliseconds: at))
        },
        "timeline.[].for": .value(presence: 0.9) { draw, frame, _ in
            let longest = Double(frame.duration) * (frame.endsInPeace ? 0.3 : 0.8)
            return .text(
                frame.text(milliseconds: Int64(WorldFrame.logUniform(longest / 300, longest, &draw)) + 1)
            )
        },
        "timeline.[].over": .presence(0.2),
        "timeline.[].share": .presence(0.35),
        "timeline.[].name": .texts("one", "two", "three", presence: 0.1),
        "timeline.[].region": .texts("north", "south", presence: 0.1),
        "timeline.[].population": .texts("p0", "p1", presence: 0.2),
        "collector.fault": DrawingRule(favourite: "status"),
        "collector.retryAfter": .presence(0.7),
        "server.retryAfter": .presence(0.5), "rateLimit.retryAfter": .presence(0.5),
        "status": .status, "keepStatuses.[]": .status, "retryAfter.on.[]": .status,
        "collector.device": .most(12, presence: 0.2),
        "collector.upload": .most(4, presence: 0.2),
        "collector.instances": .most(4),
        "collector.down": .value { draw, frame, _ in .text(shortWhile(0.02, frame, &draw)) },
        "collector.warmUp": .value(presence: 0.6) { draw, frame, _ in
            .text(shortWhile(0.02, frame, &draw))
        },
        "client.device": .most(12, presence: 0.2),
        "client.upload": .most(4, presence: 0.2),
        "stages": DrawingRule(presence: 0.1, count: 1...3),
        "stages.[].target": DrawingRule(most: 12),
        "^thresholds": .value(presence: 0.2, ThresholdDrawing.some),
        "utcOffset": .presence(0.1),
        "timeZones": DrawingRule(presence: 0.25, count: 1...1),
        "timeZones.{}": .texts("UTC"),
    ]

    /// The text of a duration up to a share of the users' time.
    private static func shortWhile(
        _ share: Double, _ frame: WorldFrame, _ draw: inout RandomStream
    ) -> String {
        let longest = share * Double(frame.duration)
        return WorldFrame.text(
            milliseconds: Int64(WorldFrame.logUniform(longest / 1000, longest, &draw)) + 1)
    }

    // MARK: Apps

    private static let screens = ["Home", "Detail", "Cart"]

    private static let app: [String: DrawingRule] = [
        "screens": DrawingRule(count: 1...3),
        "screens.[].name": .value { _, _, path in .text(screens[(Int(path[path.count - 2]) ?? 0) % 3]) },
        "controls": DrawingRule(presence: 0.8, count: 0...3),
        "controls.[].action": .texts("buy:", "open:", "like:"),
        "opens": .texts("Home", "Detail", "Cart"),
        "transitions": DrawingRule(presence: 0.7, count: 1...2),
        "transitions.{}": .texts("Home", "Detail", "Cart"),
        "startScreen": .texts("Home", "Detail"),
        "tabs": DrawingRule(count: 0...2),
        "tabs.[]": .texts("Home", "Detail"),
        "own.events": DrawingRule(presence: 0.8, count: 0...3),
        "own.events.[].name": .texts("Alpha", "Beta", "Gamma"),
        "web": .presence(0.15),
        "events.[].web": .presence(0.1),
        "events.[].pause": .presence(0.15),
        "screen": .texts("Home", "Detail"),
        "control": .texts("Home.buy:", "Detail.open:", "Home.like:"),
        "catalogues": DrawingRule(presence: 0.8, count: 1...2),
        "catalogues.[].fields": DrawingRule(presence: 0.9, count: 1...2),
        "entityID.catalogue": .texts("products", "pages"),
        "catalogues.[].name": .value { _, _, path in
            .text(["products", "pages"][(Int(path[path.count - 2]) ?? 0) % 2])
        },
        "catalogues.[].count": .most(50),
        "catalogue": .texts("products", "pages", presence: 0.3),
        "entity": .texts("products.price", "pages.title"),
        "properties": DrawingRule(presence: 0.4, count: 0...2),
        "properties.{}": .texts("price", "title", "kind"),
        "fields.{}": .texts("price", "title"),
        "superProperties": DrawingRule(presence: 0.3, count: 0...2),
        "dynamicSuperProperties": DrawingRule(presence: 0.2, count: 0...2),
        "dynamicSuperProperties.{}": .texts("load", "mood"),
        "profiles": DrawingRule(presence: 0.4, count: 0...2),
        "items": DrawingRule(presence: 0.3, count: 0...2),
        "identities": DrawingRule(presence: 0.5, count: 1...3),
        // Whom a call names is taken out again of the calls that name nobody.
        "identities.[].operation": .texts("identify", "resetAnonymousId", "bind", "bind", "unbind"),
        "identities.[].key": .texts("$identity_mobile", "card", presence: 0.8),
        "identities.[].value": .value(presence: 0.8) { draw, _, _ in
            draw.chance(0.5)
                ? .object([
                    ("zipf", .object([("count", .int(1 + draw.below(20))), ("prefix", .text("id-"))]))
                ])
                : .object([("constant", .text("same"))])
        },
        "crashReasons": DrawingRule(presence: 0.6, count: 1...2),
        "own.versions": DrawingRule(presence: 0.4, count: 1...3),
        "versions.[]": .texts("1.0.0", "1.1.0", "2.0.0"),
        "chance": .presence(0.4),
        "list": .presence(0.1),
    ]

    // MARK: SDKs

    private static let sdk: [String: DrawingRule] = [
        "storage.prefill": .most(60, presence: 0.3),
        "storage.limit": .value(presence: 0.4) { draw, _, _ in .int(2 + draw.below(60)) },
        "storage.evict": .most(12, presence: 0.3),
        // Two or three events at the least, and a few dozen.
        "storage.maxBytes": .value(presence: 0.15) { draw, _, _ in
            draw.chance(0.1) ? .text("none") : .int(300 + draw.below(30_000))
        },
        "upload.concurrency": .most(5, presence: 0.2),
        "storage.backend": .presence(0.08),
        "storage": .presence(0.8), "upload": .presence(0.85), "remoteConfig": .presence(0.5),
        "upload.batch": .most(60, presence: 0.5),
        "upload.flushBulkSize": .most(60, presence: 0.5),
        "upload.flushInterval": .presence(0.5),
        "upload.timeout": .presence(0.4),
        "upload.backoff": .presence(0.35),
        "upload.retryAfter": .presence(0.4), "upload.splitOn413": .presence(0.3),
        "upload.keepStatuses": .presence(0.25),
        "upload.immediate": .presence(0.2),
        "upload.immediate.[]": .texts("Alpha", "$AppStart", "$SignUp"),
        "upload.instant.[]": .texts("Alpha", "Beta"),
        "eventBlacklist.[]": .texts("Alpha", "Beta", "$AppStart"),
        "clockSkew": .presence(0.3),
        "populations.[].clockSkew": .presence(0.1),
        "debugMode": .presence(0.25),
        "channels": DrawingRule(presence: 0.2, count: 1...2),
        "interceptors": DrawingRule(presence: 0.3, count: 1...2),
        "interceptors.[].eventTypes": DrawingRule(presence: 0.5, count: 1...2),
        "interceptors.[].eventTypes.[]": .texts("CUSTOM", "PAGE", "VISIT"),
        "interceptors.[].remove": DrawingRule(presence: 0.5, count: 1...2),
        "interceptors.[].remove.[]": .texts("attributes.price", "attributes.mood"),
        "interceptors.[].set": DrawingRule(presence: 0.5, count: 1...2),
        "interceptors.[].set.{}": .texts("attributes.mood", "attributes.load"),
        "sdk-growing.events": DrawingRule(presence: 0.3, count: 1...2),
        "excludeEvents": DrawingRule(presence: 0.15, count: 1...2),
        "excludeEvents.[]": .texts("CUSTOM", "PAGE", "VISIT", "VIEW_CLICK"),
        "policies": DrawingRule(presence: 0.2, count: 1...2),
        "policies.{}": .texts("CUSTOM", "PAGE", "VISIT", "VIEW_CLICK"),
        "services": .presence(0.3),
    ]
}
