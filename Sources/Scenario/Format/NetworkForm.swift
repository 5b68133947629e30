import Timebase
import Wire
import World

/// Names and numbers of networks.
enum NetworkForm {
    /// A kind of network, `none` included.
    static let kind = Form<NetworkKind>.name(
        NetworkKind.allCases.map { ($0.name, $0) }, what: "a kind of network")
    /// A kind that can carry data.
    static let usableKind = Form<NetworkKind>.name(
        NetworkKind.allCases.filter { $0 != .none }.map { ($0.name, $0) }, what: "a kind of network")
    /// The name of a preset network, or of one of the scenario's own.
    static let name = Form<String>.name(amongPresets: NetworkPresets.names).located

    /// How fast a link is, such as `400 kbit/s`; in bits per second.
    static let bitRate = Form<String>.matching(
        pattern: #"^[0-9]+(\.[0-9]+)? ?(bit|kbit|Mbit|Gbit)/s$"#,
        what: "a rate from 100 bit/s to 100 Gbit/s, such as \"400 kbit/s\" or \"1.5 Mbit/s\"",
        parse: bitsPerSecond,
        encode: { .text("\(JSONNode.number($0 / 1000).compactText) kbit/s") })

    private static func bitsPerSecond(_ text: String) -> Double? {
        guard let start = text.firstIndex(where: { $0.isLetter || $0 == " " }) else { return nil }
        let units: [(String, Double)] = [
            ("bit/s", 1), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9),
        ]
        let number = text[..<start]
        let unit = text[start...].drop { $0 == " " }
        guard text[start...].count - unit.count <= 1, let factor = units.first(where: { $0.0 == unit })?.1,
            number.first?.isNumber == true, number.last?.isNumber == true,
            number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number)
        else { return nil }
        let rate = value * factor
        return (100...100e9).contains(rate) ? rate : nil
    }
}
