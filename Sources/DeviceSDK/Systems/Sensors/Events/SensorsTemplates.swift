package import Accounting
import AppModel
package import DeviceSDK
import Timebase

/// The table of everything that a Sensors population can capture; ``EventRecord/template`` indexes
/// it. First the events of the SDK itself, then the app's business events, profile changes and item
/// changes in the order of the ``AppDescription``.
///
/// 1.x has no `item_set` and no `item_delete` (they came with v1.11.5): there the app's call does
/// not exist, so nothing is captured; see ``capturesItems``.
package struct SensorsTemplates: Sendable {
    package static let appStart: UInt16 = 0
    package static let appStartPassively: UInt16 = 1
    package static let appEnd: UInt16 = 2
    package static let viewScreen: UInt16 = 3
    package static let click: UInt16 = 4
    /// Type `track_signup`.
    package static let signUp: UInt16 = 5
    package static let crashed: UInt16 = 6
    /// `$AppRemoteConfigChanged`, 4.x only. ``EventRecord/detail`` is the configuration's number;
    /// see ``SensorsEventEncoder/remoteConfigText``.
    package static let remoteConfigChanged: UInt16 = 7
    /// `DisableSensorsDataSDK`, 1.x only.
    package static let disableSDK: UInt16 = 8
    static let fixedCount = 9

    /// Type and name of each template, in order.
    package let labels: [EventLabel]
    /// Whether the version has the calls that change items.
    package let capturesItems: Bool

    let eventCount: Int
    let profileCount: Int
    private let itemCount: Int
    private let webTemplates: Set<UInt16>
    private let repeatedEvents: Set<UInt16>
    private let validity: [Validity]
    private let streams: PopulationStreams

    /// What 1.x's validation says of a template.
    private enum Validity: Sendable {
        case valid, invalid
        /// It depends on the values drawn.
        case depends([SensorsMember])
    }

    package init(plan: PopulationPlan, rules: SensorsRules) {
        let app = plan.app
        labels =
            Self.fixedLabels
            + app.events.map { EventLabel(type: "track", name: $0.name) }
            + app.profiles.map { EventLabel(type: $0.operation.rawValue, name: "") }
            + app.items.map { EventLabel(type: $0.isDeletion ? "item_delete" : "item_set", name: "") }
            + (Self.binds(app, rules) ? Self.bindingLabels : [])
        capturesItems = rules.isVersion4
        itemCount = app.items.count
        eventCount = app.events.count
        profileCount = app.profiles.count
        webTemplates = Set(
            app.events.indices.filter { app.events[$0].isWeb }.map { UInt16(Self.fixedCount + $0) })
        repeatedEvents = Set(
            app.events.indices.filter { app.events[$0].variant?.repeats == true }.map { UInt16($0) })
        streams = plan.streams
        validity = Self.validities(plan: plan, rules: rules)
    }

    /// The template of a business event, native or from a web page.
    package func business(_ event: UInt16) -> UInt16 { UInt16(Self.fixedCount) + event }

    /// The template of a change of the user's profile.
    package func profile(_ update: UInt16) -> UInt16 { UInt16(Self.fixedCount + eventCount) + update }

    /// The template of a change of an item; to be captured only where ``capturesItems``.
    package func item(_ update: UInt16) -> UInt16 {
        UInt16(Self.fixedCount + eventCount + profileCount) + update
    }

    /// Whether a business event is one that the app's code sends once more; see ``SensorsEventFlags/repeated``.
    func isRepeated(_ event: UInt16) -> Bool { !repeatedEvents.isEmpty && repeatedEvents.contains(event) }

    /// Whether a page in a web view makes the template's events.
    func isOfPage(_ template: UInt16) -> Bool { webTemplates.contains(template) }

    /// `$BindID`, whose ``EventRecord/detail`` is the number of the app's binding; only where the app
    /// binds ids and the version has the call.
    package var bind: UInt16 { item(UInt16(itemCount)) }
    /// `$UnbindID`, as ``bind``.
    package var unbind: UInt16 { bind + 1 }

    private static let bindingLabels = [
        EventLabel(type: "track_id_bind", name: "$BindID"),
        EventLabel(type: "track_id_unbind", name: "$UnbindID"),
    ]

    private static func binds(_ app: AppDescription, _ rules: SensorsRules) -> Bool {
        rules.isVersion4 && !app.bindings.isEmpty
    }

    /// The event's name, for blacklists and events that flush at once; empty for profiles and items.
    package func name(of template: UInt16) -> String { labels[Int(template)].name }

    /// The bit of `autoTrackMode` that switches the event, or `nil` for events that it leaves alone:
    /// 1 start (passive too), 2 end, 4 click, 8 view of a screen.
    package func autoTrackBit(of template: UInt16) -> Int? {
        switch template {
        case Self.appStart, Self.appStartPassively: 1
        case Self.appEnd: 2
        case Self.click: 4
        case Self.viewScreen: 8
        default: nil
        }
    }

    /// Whether the version's validation drops the whole event (1.x; the cause is `invalid`). 4.x
    /// never does: it drops properties.
    ///
    /// - Parameters:
    ///   - index: The device's index in its population.
    ///   - sequence: That of the event whose values it would get: its own, unless it is a repetition.
    ///   - subject: The entity that the event speaks of.
    package func isInvalid(template: UInt16, index: Int, sequence: UInt32, subject: UInt32) -> Bool {
        switch validity[Int(template)] {
        case .valid: return false
        case .invalid: return true
        case .depends(let members):
            let stream = streams.stream(.properties, index: index).child(UInt64(sequence))
            return members.contains { member in
                var own = stream.child(member.ordinal)
                return member.value.isRefused(&own, subject: subject)
            }
        }
    }

    private static let fixedLabels = [
        EventLabel(type: "track", name: "$AppStart"),
        EventLabel(type: "track", name: "$AppStartPassively"),
        EventLabel(type: "track", name: "$AppEnd"),
        EventLabel(type: "track", name: "$AppViewScreen"),
        EventLabel(type: "track", name: "$AppClick"),
        EventLabel(type: "track_signup", name: "$SignUp"),
        EventLabel(type: "track", name: "AppCrashed"),
        EventLabel(type: "track", name: "$AppRemoteConfigChanged"),
        EventLabel(type: "track", name: "DisableSensorsDataSDK"),
    ]

    private static func validities(plan: PopulationPlan, rules: SensorsRules) -> [Validity] {
        let app = plan.app
        let all = fixedCount + app.events.count + app.profiles.count + app.items.count
        guard !rules.isVersion4 else {
            return Array(repeating: .valid, count: all + bindingLabels.count)
        }
        let compiler = SensorsValueCompiler(
            version: rules.version, app: app, sampler: PropertySampler(app: app), zone: plan.utcOffset)
        var result = Array(repeating: Validity.valid, count: fixedCount)
        for event in app.events {
            // The bridge of 1.x takes a page's event as it is.
            if event.isWeb {
                result.append(.valid)
            } else if SensorsNames.isValid(event.name, version: rules.version) {
                result.append(validity(of: event.properties, role: .any, by: compiler))
            } else {
                result.append(.invalid)
            }
        }
        for profile in app.profiles {
            let role = SensorsValueCompiler.Role(profile.operation)
            result.append(
                profile.operation.ignoresValues
                    ? keysAreValid(profile.properties, rules.version) ? .valid : .invalid
                    : validity(of: profile.properties, role: role, by: compiler))
        }
        return result + app.items.map { _ in .valid }
    }

    private static func keysAreValid(_ rules: [PropertyRule], _ version: SensorsRules.Version) -> Bool {
        rules.allSatisfy { SensorsNames.isValid($0.key, version: version) }
    }

    private static func validity(
        of rules: [PropertyRule], role: SensorsValueCompiler.Role, by compiler: SensorsValueCompiler
    ) -> Validity {
        var keys = SensorsKeys()
        let members = compiler.members(rules, role: role, firstOrdinal: 0, keys: &keys)
        let states = members.map(\.value.isAlwaysRefused)
        if states.contains(true) { return .invalid }
        let open = zip(members, states).filter { $0.1 == nil }.map(\.0)
        return open.isEmpty ? .valid : .depends(open)
    }
}

extension SensorsValueCompiler.Role {
    /// What a change of the profile accepts as values.
    init(_ operation: ProfileUpdate.Operation) {
        switch operation {
        case .increment: self = .increment
        case .append: self = .append
        case .set, .setOnce, .unset, .delete: self = .any
        }
    }
}

extension ProfileUpdate.Operation {
    /// Whether only the keys count (`profile_unset`), or nothing at all (`profile_delete`).
    var ignoresValues: Bool { self == .unset || self == .delete }
}
