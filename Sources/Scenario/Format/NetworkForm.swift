import World

/// Names of networks.
enum NetworkForm {
    static let wifi = NetworkKind.wifi
    /// A kind of network, `none` included.
    static let kind = Form<NetworkKind>.name(
        NetworkKind.allCases.map { ($0.name, $0) }, what: "a kind of network")
    /// A kind that can carry data.
    static let usableKind = Form<NetworkKind>.name(
        NetworkKind.allCases.filter { $0 != .none }.map { ($0.name, $0) }, what: "a kind of network")
    /// Names of preset networks.
    static let presets: [(name: String, rules: NetworkRules)] = [("ideal", .ideal)]
    /// Preset networks that the format foresees.
    static let unsupportedPresets = [
        "mobile-mix", "commuter", "emerging-market", "subway", "captive-portal", "wifi", "5g", "4g", "3g",
        "2g",
    ]
}
