/// Writes JSON into one growing buffer.
struct JSONWriter {
    let pretty: Bool
    var bytes: [UInt8] = []

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ value: JSONValue, depth: Int) {
        switch value {
        case .null: raw("null")
        case .boolean(let truth): raw(truth ? "true" : "false")
        case .integer(let number): raw(String(number))
        case .unsigned(let number): raw(String(number))
        case .double(let number): raw(JSONWriter.text(of: number))
        case .string(let text): string(text)
        case .array(let values): array(values, depth: depth)
        case .object(let members): object(members, depth: depth)
        }
    }

    /// The shortest text that reads back as the same number; whole numbers without a fraction.
    static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        if number == number.rounded(), abs(number) < 9_007_199_254_740_992 { return String(Int64(number)) }
        return number.description
    }

    private mutating func array(_ values: [JSONValue], depth: Int) {
        raw("[")
        let flat = values.allSatisfy(\.isScalar)
        for (index, value) in values.enumerated() {
            if index > 0 { raw(pretty && flat ? ", " : ",") }
            if !flat { newline(depth + 1) }
            write(value, depth: depth + 1)
        }
        if !flat { newline(depth) }
        raw("]")
    }

    private mutating func object(_ members: [JSONMember], depth: Int) {
        raw("{")
        for (index, member) in members.enumerated() {
            if index > 0 { raw(",") }
            newline(depth + 1)
            string(member.key)
            raw(pretty ? ": " : ":")
            write(member.value, depth: depth + 1)
        }
        if !members.isEmpty { newline(depth) }
        raw("}")
    }

    private mutating func newline(_ depth: Int) {
        guard pretty else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func string(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22: raw("\\\"")
            case 0x5C: raw("\\\\")
            case 0x0A: raw("\\n")
            case 0x0D: raw("\\r")
            case 0x09: raw("\\t")
            case 0..<0x20, 0x7F:
                raw("\\u00")
                bytes.append(JSONWriter.digits[Int(byte >> 4)])
                bytes.append(JSONWriter.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
