import DeviceSDK

/// A set of event types that share an upload stream (`GrowingEventChannel`).
package struct GrowingChannel: Hashable, Sendable {
    /// Types of events; empty for all that no other channel has.
    package var types: [String]
    /// Path below the server's address; `%@` stands for the account. See ``GrowingRules/path(of:)``.
    package var template: String
    /// Whether the channel's events go to the realtime store (`isCustomEvent`).
    package var isCustom: Bool
    /// How it speaks to its server, where that is said; else ``GrowingRules/dialect(of:)`` decides.
    package var dialect: Dialect?

    /// How a channel speaks to its server. What an answer means is the same for both: every channel's goes
    /// through `GrowingEventManager`.
    package enum Dialect: String, CaseIterable, Sendable {
        /// `v3/projects/%@/collect`: long keys, `application/json` or `application/protobuf`.
        case v3
        /// The second protocol, which the published text's own channels go to: short keys, always compressed
        /// and encrypted (LZ4 and XOR unless ``GrowingRules/Services`` names others),
        /// `application/octet-stream`.
        case v2

        /// The dialect of a template: that of the second protocol's paths, else v3.
        package init(template: String) {
            let path = template.prefix { $0 != "?" }
            let isOld = path.hasPrefix("app/") || (path.hasPrefix("v3/") && !path.hasPrefix("v3/projects/"))
            self = isOld ? .v2 : .v3
        }
    }

    package init(types: [String], template: String, isCustom: Bool, dialect: Dialect? = nil) {
        self.types = types
        self.template = template
        self.isCustom = isCustom
        self.dialect = dialect
    }

    /// Where all of a version's own channels go.
    package static let template = "v3/projects/%@/collect"

    /// A version's own channels; the last one of 3.x takes every type that no other has.
    static func standard(_ version: GrowingRules.Version) -> [GrowingChannel] {
        guard version == .v4 else {
            return [
                GrowingChannel(
                    types: ["VISIT", "APP_CLOSED", "PAGE"], template: template, isCustom: false),
                GrowingChannel(
                    types: [
                        "CUSTOM", "CONVERSION_VARIABLES", "LOGIN_USER_ATTRIBUTES", "VISITOR_ATTRIBUTES",
                        "PAGE_ATTRIBUTES",
                    ], template: template, isCustom: true),
                GrowingChannel(types: [], template: template, isCustom: false),
            ]
        }
        return [
            GrowingChannel(
                types: [
                    "VISIT", "PAGE", "VIEW_CLICK", "VIEW_CHANGE", "APP_CLOSED", "FORM_SUBMIT", "ACTIVATE",
                    "PAGE_ATTRIBUTES",
                ], template: template, isCustom: false),
            GrowingChannel(types: ["CUSTOM", "LOGIN_USER_ATTRIBUTES"], template: template, isCustom: true),
        ]
    }
}

extension GrowingRules {
    /// How a channel speaks. The published text's channels are told apart by their templates alone. In 3.2.1 a
    /// channel has the SDK's own requests (`GrowingEventRequest`) whatever its template, unless a module makes
    /// others for it, as the advertising module does: then the channel says so.
    package func dialect(of channel: GrowingChannel) -> GrowingChannel.Dialect {
        channel.dialect ?? (usesTemplates ? GrowingChannel.Dialect(template: channel.template) : .v3)
    }

    /// The template of the path that a channel's requests go to: its own in the published text. In 3.2.1
    /// `urlTemplate` goes to the log and nowhere else, and the path is `GrowingEventRequest`'s; only requests of
    /// a module's own making go elsewhere.
    package func path(of channel: GrowingChannel) -> String {
        usesTemplates || dialect(of: channel) == .v2 ? channel.template : GrowingChannel.template
    }

    /// The channels that send a type of the app's own (3.x): a channel of custom events sends all that its store has, and
    /// the last channel with a type says which store that is.
    package func carriers(ofOwn type: String) -> [GrowingChannel] {
        let all = GrowingChannel.standard(version).dropLast() + channels
        let named = all.filter { $0.types.contains(type) }
        guard let last = named.last else { return GrowingChannel.standard(version).suffix(1) }
        return last.isCustom ? all.filter(\.isCustom) : named.filter { !$0.isCustom }
    }

    /// Whether channels' templates are what their requests go by.
    var usesTemplates: Bool { version == .document }
}

/// A type of event that the app adds (the published text's example 3.2): a subclass of one of the SDK's
/// own, sent when the app says so.
package struct GrowingOwnEvent: Hashable, Sendable {
    /// `eventType`, such as `reengage`.
    package var type: String
    /// The SDK's type whose fields it has.
    package var base: Base
    /// `extraParams`: top-level members of the event.
    package var extra: [Parameter] = []
    package var moment: Moment
    /// Probability that the moment sends it.
    package var chance = 1.0
    package var policy = GrowingPolicy.instant

    package init(type: String, base: Base, moment: Moment) {
        self.type = type
        self.base = base
        self.moment = moment
    }

    /// What a subclass inherits.
    package enum Base: String, CaseIterable, Sendable {
        /// `GrowingBaseEvent`.
        case base
        /// `GrowingVisitEvent`: also `idfa` and `idfv`.
        case visit
        /// `GrowingCustomEvent`: also `eventName`, which is the type.
        case custom
    }

    /// A member of `extraParams`.
    package struct Parameter: Hashable, Sendable {
        package var key: String
        package var value: String
        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// When an own event is posted.
    package enum Moment: String, CaseIterable, Sendable {
        /// The first start of the app on the device.
        case firstLaunch
        /// Every start.
        case launch
        /// Every return from the background.
        case foreground
        case background
        /// After every VISIT (the module intercepts it).
        case visit
        case login
    }
}
