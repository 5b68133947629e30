import DeviceSDK

/// The SDK's own types of events; raw values as in `event_v3.proto`'s `EventType`.
package enum GrowingEventType: UInt8, CaseIterable, Sendable {
    case visit, custom, visitorAttributes, loginUserAttributes, conversionVariables, appClosed
    case page, pageAttributes, viewClick, viewChange, formSubmit, activate

    /// `eventType` on the wire.
    package var name: String {
        switch self {
        case .visit: "VISIT"
        case .custom: "CUSTOM"
        case .visitorAttributes: "VISITOR_ATTRIBUTES"
        case .loginUserAttributes: "LOGIN_USER_ATTRIBUTES"
        case .conversionVariables: "CONVERSION_VARIABLES"
        case .appClosed: "APP_CLOSED"
        case .page: "PAGE"
        case .pageAttributes: "PAGE_ATTRIBUTES"
        case .viewClick: "VIEW_CLICK"
        case .viewChange: "VIEW_CHANGE"
        case .formSubmit: "FORM_SUBMIT"
        case .activate: "ACTIVATE"
        }
    }

    /// Whether 4.x counts the type in its one sequence; all others carry 0
    /// (`GrowingPersistenceDataProvider.m sequenceIdForEventType:`).
    var isCountedIn4: Bool {
        switch self {
        case .visit, .page, .viewClick, .viewChange, .custom: true
        default: false
        }
    }

    /// Names that 3.2.1 and 4.x know in `excludeEvent`.
    package static func excludable(_ version: GrowingRules.Version) -> [String] {
        let gone: Set<GrowingEventType> =
            version == .v4
            ? [.visitorAttributes, .conversionVariables, .pageAttributes] : [.activate]
        return allCases.filter { !gone.contains($0) }.map(\.name)
    }
}
