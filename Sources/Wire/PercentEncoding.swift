/// Percent-encoding (RFC 3986, section 2.1) with a choice of what stays literal, and the decoding
/// of forms.
package struct PercentEncoding: Sendable {
    /// For each byte its text in the lower three bytes (the first lowest) and the text's length in
    /// the top one: one load and one store per byte, and nothing to predict.
    let units: [UInt32]
    /// The marks of base64's alphabet that are not literal, each in all eight bytes of a word.
    private let base64Marks: InlineArray<3, UInt64>

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
        // A mark that is literal gives way to a byte that base64 never has.
        base64Marks = InlineArray { index in
            let mark = "+/=".utf8.dropFirst(index).first ?? 0
            return 0x0101_0101_0101_0101 &* UInt64(literal[Int(mark)] ? 0 : mark)
        }
    }

    /// All but the unreserved characters of RFC 3986, section 2.3.
    package static let unreserved = PercentEncoding(literals: "-_.~")

    /// All that has a meaning in a path beyond one of its components (RFC 3986, section 3.3).
    package static let pathComponent = PercentEncoding(literals: "-_.~!$&'()*+,;=:@")

    /// sa-sdk-ios 1.x: CFURLCreateStringByAddingPercentEscapes with `!*'();:@&=+$,/?%#[]` escaped
    /// too; only RFC 2396's letters, digits and `-_.~` are left.
    package static let sensorsLegacy = PercentEncoding(literals: "-_.~")

    /// sa-sdk-ios 4.x: URLQueryAllowed without `:#[]@!$&'()*+,;=`; `/` and `?` stay literal.
    package static let sensorsModern = PercentEncoding(literals: "-_.~/?")

    /// Appends the encoding of `input`. O(`input.count`).
    package func encode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        guard !input.isEmpty else { return }
        // One byte to spare: each store writes four, of which at most three count.
        output.append(upTo: input.count * 3 + 1) { write(input, 0..<input.count, to: $0) }
    }

    /// Whether one of eight ASCII bytes is one of the marks.
    @inline(__always)
    func hasMark(_ word: UInt64) -> Bool {
        // A byte that equals a mark becomes zero, and only below a zero does the subtraction borrow.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (first, second, third) = (word ^ base64Marks[0], word ^ base64Marks[1], word ^ base64Marks[2])
        return ((first &- ones) | (second &- ones) | (third &- ones)) & 0x8080_8080_8080_8080 != 0
    }

    /// Writes the encoding of a part of the input, and up to one byte behind it.
    @inline(__always)
    private func write(
        _ input: UnsafeRawBufferPointer, _ part: Range<Int>, to memory: UnsafeMutableRawPointer
    ) -> Int {
        units.withUnsafeBufferPointer { units in
            var length = 0
            for index in part {
                let unit = units[Int(input[index])]
                memory.storeBytes(of: unit.littleEndian, toByteOffset: length, as: UInt32.self)
                length &+= Int(unit &>> 24)
            }
            return length
        }
    }

    /// Appends the encoding of what `input` holds.
    package func encode(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// The encoding of a text.
    package func encode(_ text: String) -> String {
        var output = WireBuffer()
        encode(WireBuffer(text), into: &output)
        return output.text
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
