/// Percent-encoding (RFC 3986, section 2.1) with a choice of what stays literal, and the decoding
/// of forms.
package struct PercentEncoding: Sendable {
    /// For each byte its text in the lower three bytes (the first lowest) and the text's length in
    /// the top one: one load and one store per byte, and nothing to predict.
    private let units: [UInt32]

    /// Makes an encoding that leaves ASCII letters and digits and the given characters literal and
    /// writes every other byte as `%XX`, in upper case.
    package init(literals: StaticString) {
        var literal = [Bool](repeating: false, count: 256)
        for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { literal[Int(byte)] = true }
        for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { literal[Int(byte)] = true }
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { literal[Int(byte)] = true }
        for offset in 0..<literals.utf8CodeUnitCount { literal[Int(literals.utf8Start[offset])] = true }
        let digits: StaticString = "0123456789ABCDEF"
        units = (0..<256).map { byte in
            if literal[byte] { return UInt32(byte) | 1 << 24 }
            let (high, low) = (digits.utf8Start[byte >> 4], digits.utf8Start[byte & 0xF])
            return UInt32(UInt8(ascii: "%")) | UInt32(high) << 8 | UInt32(low) << 16 | 3 << 24
        }
    }

    /// sa-sdk-ios 1.x: CFURLCreateStringByAddingPercentEscapes with `!*'();:@&=+$,/?%#[]` escaped
    /// too; only RFC 2396's letters, digits and `-_.~` are left.
    package static let sensorsLegacy = PercentEncoding(literals: "-_.~")

    /// sa-sdk-ios 4.x: URLQueryAllowed without `:#[]@!$&'()*+,;=`; `/` and `?` stay literal.
    package static let sensorsModern = PercentEncoding(literals: "-_.~/?")

    /// Appends the encoding of `input`. O(`input.count`).
    package func encode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        guard !input.isEmpty else { return }
        // One byte to spare: each store writes four, of which at most three count.
        output.append(upTo: input.count * 3 + 1) { memory in
            units.withUnsafeBufferPointer { units in
                var length = 0
                for byte in input {
                    let unit = units[Int(byte)]
                    memory.storeBytes(of: unit.littleEndian, toByteOffset: length, as: UInt32.self)
                    length &+= Int(unit >> 24)
                }
                return length
            }
        }
    }

    /// Appends the encoding of what `input` holds.
    package func encode(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Appends the decoding of a part of application/x-www-form-urlencoded: `+` is a space, `%XX` a
    /// byte, in either case. O(`input.count`).
    ///
    /// - Returns: The offset of the first `%` without two hexadecimal digits, after which nothing
    ///   is decoded and `output` is as before; `nil` if all is well.
    package static func decodeForm(
        _ input: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) -> Int? {
        var malformed: Int?
        output.append(upTo: input.count) { memory in
            var length = 0
            var index = 0
            while index < input.count {
                var byte = input[index]
                if byte == UInt8(ascii: "+") {
                    byte = UInt8(ascii: " ")
                } else if byte == UInt8(ascii: "%") {
                    guard index + 2 < input.count, let high = hexValue(of: input[index + 1]),
                        let low = hexValue(of: input[index + 2])
                    else {
                        malformed = index
                        return 0
                    }
                    byte = high << 4 | low
                    index &+= 2
                }
                memory.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
                length &+= 1
                index &+= 1
            }
            return length
        }
        return malformed
    }

    /// The value of a hexadecimal digit.
    private static func hexValue(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }
}
