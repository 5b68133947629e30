/// What a device is connected to, as its operating system tells the SDK.
package enum NetworkKind: UInt8, CaseIterable, Sendable {
    case none, cellular2G, cellular3G, cellular4G, cellular5G, wifi

    /// The name in scenarios: `none 2g 3g 4g 5g wifi`.
    package var name: String {
        switch self {
        case .none: "none"
        case .cellular2G: "2g"
        case .cellular3G: "3g"
        case .cellular4G: "4g"
        case .cellular5G: "5g"
        case .wifi: "wifi"
        }
    }

    /// Finds a kind by its name in scenarios.
    package init?(name: String) {
        guard let kind = NetworkKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
