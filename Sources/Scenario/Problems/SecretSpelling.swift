/// A secret in whichever spelling a text may show it: as it is, escaped as in JSON (`\/`, `\u002f`), percent-encoded
/// (`%2F`), or as references of HTML (`&#x2F;`, `&amp;`); also partly so, as encoders differ in what they escape.
struct SecretSpelling: Hashable, Sendable {
    /// A character of the secret, and how it is written where nothing is escaped.
    private struct Letter: Hashable {
        var scalar: Unicode.Scalar
        var bytes: [UInt8]
    }

    private let letters: [Letter]
    /// Of the secret as it is.
    let byteCount: Int
    /// Whether a spelling can begin with a byte.
    private let starts: [Bool]

    /// - Parameter secret: Not empty.
    init(_ secret: String) {
        letters = secret.unicodeScalars.map { Letter(scalar: $0, bytes: Array(String($0).utf8)) }
        byteCount = secret.utf8.count
        var starts = [Bool](repeating: false, count: 256)
        for byte in Array(secret.utf8.prefix(1)) + Array("\\%&".utf8) { starts[Int(byte)] = true }
        if secret.hasPrefix(" ") { starts[Int(UInt8(ascii: "+"))] = true }
        self.starts = starts
    }

    /// Where a spelling of the secret ends that begins at an index; `nil` if none does.
    ///
    /// - Complexity: O(length of the secret), but for secrets that look like escapes themselves.
    func end(in bytes: [UInt8], from index: Int) -> Int? {
        guard starts[Int(bytes[index])] else { return nil }
        var ends: Set<Int> = [index]
        for letter in letters {
            ends = SecretSpelling.ends(of: letter, in: bytes, from: ends)
            if ends.isEmpty { return nil }
        }
        return ends.max()
    }

    /// Whether a text that was cut ends within a spelling of the secret that begins at an index, perhaps within an
    /// escape or a character of it.
    ///
    /// - Parameter leastBytes: How many bytes of the secret as it is have to be there.
    /// - Complexity: O(length of the secret), but for secrets that look like escapes themselves.
    func isCut(_ bytes: [UInt8], from index: Int, leastBytes: Int) -> Bool {
        guard starts[Int(bytes[index])] else { return false }
        var ends: Set<Int> = [index]
        var count = 0
        for letter in letters {
            if count >= leastBytes,
                ends.contains(where: { SecretSpelling.mayBeCut(bytes[$0...], of: letter) })
            {
                return true
            }
            ends = SecretSpelling.ends(of: letter, in: bytes, from: ends)
            if ends.isEmpty { return false }
            count += letter.bytes.count
        }
        return false
    }

    /// Whether the end of a text may be what a cut left of one character's spelling: nothing, an escape without its
    /// end, or what stands for bytes that are no character.
    private static func mayBeCut(_ rest: ArraySlice<UInt8>, of letter: Letter) -> Bool {
        guard let first = rest.first else { return true }
        let isEscape = rest.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "\\%&#".utf8.contains(byte)
        }
        switch first {
        case UInt8(ascii: "\\"):
            let isOfCode = rest.count == 1 || rest[rest.startIndex + 1] == UInt8(ascii: "u")
            return isEscape && isOfCode && rest.count < 6 * String(letter.scalar).utf16.count
        case UInt8(ascii: "%"): return isEscape && rest.count < 3 * letter.bytes.count
        case UInt8(ascii: "&"): return isEscape && rest.count < 10
        default: return letter.bytes.count > 1 && rest.elementsEqual("\u{FFFD}".utf8)
        }
    }

    /// Where each reading of one character ends that is this one, from any of several places: of several readings of an
    /// escape, any may be the one that goes on.
    private static func ends(of letter: Letter, in bytes: [UInt8], from begins: Set<Int>) -> Set<Int> {
        begins.reduce(into: []) { next, begin in
            next.formUnion(ends(of: letter, in: bytes, from: begin))
        }
    }

    /// Where each reading of one character ends that is this one.
    private static func ends(of letter: Letter, in bytes: [UInt8], from index: Int) -> [Int] {
        guard index < bytes.count else { return [] }
        let (scalar, plain) = (letter.scalar, letter.bytes)
        var ends: [Int] = []
        if bytes[index...].starts(with: plain) { ends.append(index + plain.count) }
        switch bytes[index] {
        case UInt8(ascii: "\\"):
            if let end = jsonEnd(of: scalar, in: bytes, from: index + 1) { ends.append(end) }
        case UInt8(ascii: "%"):
            if let end = percentEnd(of: plain, in: bytes, from: index) { ends.append(end) }
        case UInt8(ascii: "+"): if scalar == " " { ends.append(index + 1) }
        case UInt8(ascii: "&"):
            if let end = referenceEnd(of: scalar, in: bytes, from: index + 1) { ends.append(end) }
        default: break
        }
        return ends
    }

    private static let short: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
        UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// The end of an escape of JSON, behind its reverse solidus (RFC 8259, section 7).
    private static func jsonEnd(of scalar: Unicode.Scalar, in bytes: [UInt8], from index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        if short[bytes[index]] == scalar { return index + 1 }
        var end = index
        for unit in String(scalar).utf16 {
            if end > index {
                guard end < bytes.count, bytes[end] == UInt8(ascii: "\\") else { return nil }
                end += 1
            }
            guard end + 5 <= bytes.count, bytes[end] == UInt8(ascii: "u"),
                number(bytes[(end + 1)..<(end + 5)], radix: 16) == UInt32(unit)
            else { return nil }
            end += 5
        }
        return end
    }

    /// The end of percent-encoded bytes (RFC 3986, section 2.1).
    private static func percentEnd(of plain: [UInt8], in bytes: [UInt8], from index: Int) -> Int? {
        let end = index + 3 * plain.count
        guard end <= bytes.count else { return nil }
        for (offset, byte) in plain.enumerated() {
            let at = index + 3 * offset
            guard bytes[at] == UInt8(ascii: "%"),
                number(bytes[(at + 1)..<(at + 3)], radix: 16) == UInt32(byte)
            else { return nil }
        }
        return end
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    /// The end of a reference of HTML, behind its ampersand.
    private static func referenceEnd(of scalar: Unicode.Scalar, in bytes: [UInt8], from index: Int) -> Int? {
        let name = bytes[index...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ";") else { return nil }
        let end = name.endIndex + 1
        if named[String(decoding: name, as: UTF8.self)] == scalar { return end }
        guard name.first == UInt8(ascii: "#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        return number(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10) == scalar.value ? end : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt32? {
        // No sign, which the library would take.
        guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}
