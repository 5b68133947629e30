package import Accounting
package import AppModel
import DeviceSDK

/// The table of everything that a GrowingIO population can capture; ``EventRecord/template`` indexes it.
///
/// What a record's fields mean, by kind:
/// - page: `screen` and `control` are the view controller's screen and node; `detail` the one that
///   appeared before it (4.x), screen << 16 | node, or ``GrowingTemplates/none``.
/// - click and change: `screen`, `control` and `detail` are a `ViewReference`.
/// - page of a web view and what happens on it: `screen`; `detail` is the entity of its event.
/// - business event, attributes: `detail` is the entity. With the flag `timed`, `detail` is the duration in
///   milliseconds and the entity is in `control`.
/// - own event: nothing.
package struct GrowingTemplates: Sendable {
    package static let visit: UInt16 = 0
    package static let appClosed: UInt16 = 1
    package static let page: UInt16 = 2
    package static let viewClick: UInt16 = 3
    package static let viewChange: UInt16 = 4
    /// Of pages in web views, which the module `hybrid` hands on.
    package static let webPage: UInt16 = 5
    package static let webClick: UInt16 = 6
    package static let webSubmit: UInt16 = 7
    private static let fixedCount: UInt16 = 8
    /// In `detail`: there is none.
    static let none = UInt32.max

    /// What a template stands for.
    enum Kind: Hashable, Sendable {
        case visit, appClosed, page, element
        case webPage, webElement
        /// A business event of the app, or of a web page.
        case custom(Int)
        /// A change of the profile.
        case attributes(Int)
        /// A group of super properties, as 3.x sends them.
        case variables(Int)
        case own(Int)
    }

    struct Template: Sendable {
        var kind: Kind
        /// `nil` for an own event.
        var type: GrowingEventType?
        /// `eventType`.
        var typeName: String
        /// Number of the type, for sequences by type: own types come after the SDK's.
        var typeNumber: Int
        var policy: GrowingPolicy
        /// The name that interceptors ask for; empty for types without.
        var eventName = ""
    }

    let all: [Template]
    /// Type and name of each template, in order.
    package let labels: [EventLabel]
    /// Types of events that are counted apart.
    let typeCount: Int
    private let eventCount: UInt16
    private let profileCount: UInt16
    private let groupCount: UInt16

    package init(app: AppDescription, rules: GrowingRules) {
        var all: [Template] = []
        func add(_ kind: Kind, _ type: GrowingEventType, _ name: String = "") {
            let isInstant = type == .visit || type == .activate
            all.append(
                Template(
                    kind: kind, type: type, typeName: type.name, typeNumber: Int(type.rawValue),
                    policy: rules.upload.policies[type.name] ?? (isInstant ? .instant : .mobile),
                    eventName: name))
        }
        add(.visit, .visit)
        add(.appClosed, .appClosed)
        add(.page, .page)
        add(.element, .viewClick)
        add(.element, .viewChange)
        add(.webPage, .page)
        add(.webElement, .viewClick)
        add(.webElement, .formSubmit)
        for (index, event) in app.events.enumerated() { add(.custom(index), .custom, event.name) }
        for index in app.profiles.indices { add(.attributes(index), .loginUserAttributes) }
        for index in app.profiles.indices { add(.attributes(index), .visitorAttributes) }
        for index in app.superProperties.indices { add(.variables(index), .conversionVariables) }
        let builtIn = GrowingEventType.allCases.count
        for (index, event) in rules.events.enumerated() {
            all.append(
                Template(
                    kind: .own(index), type: nil, typeName: event.type, typeNumber: builtIn + index,
                    policy: rules.upload.policies[event.type] ?? event.policy,
                    eventName: event.base == .custom ? event.type : ""))
        }
        self.all = all
        labels = all.map { EventLabel(type: $0.typeName, name: $0.eventName) }
        typeCount = builtIn + rules.events.count
        eventCount = UInt16(app.events.count)
        profileCount = UInt16(app.profiles.count)
        groupCount = UInt16(app.superProperties.count)
    }

    func business(_ event: UInt16) -> UInt16 { Self.fixedCount + event }

    /// `setLoginUserAttributes:`.
    func loginAttributes(_ update: UInt16) -> UInt16 { Self.fixedCount + eventCount + update }

    /// `setVisitorAttributes:` of 3.x.
    func visitorAttributes(_ update: UInt16) -> UInt16 {
        Self.fixedCount + eventCount + profileCount + update
    }

    /// `setConversionVariables:` of 3.x.
    func variables(_ group: UInt16) -> UInt16 { Self.fixedCount + eventCount + 2 * profileCount + group }

    func own(_ event: Int) -> UInt16 {
        Self.fixedCount + eventCount + 2 * profileCount + groupCount + UInt16(event)
    }
}
