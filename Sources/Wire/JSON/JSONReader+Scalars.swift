extension JSONReader {
    mutating func literal(_ word: StaticString, _ content: JSONNode.Content) throws(Failure)
        -> JSONNode.Content
    {
        let text = "\(word)".utf8
        guard bytes[index...].starts(with: text) else {
            throw failure(found: here, allowed: "true, false or null")
        }
        index += text.count
        return content
    }

    private mutating func digits() throws(Failure) {
        let start = index
        while let byte, (0x30...0x39).contains(byte) { index += 1 }
        guard index > start else { throw failure(found: here, allowed: "a digit") }
    }

    mutating func number() throws(Failure) -> String {
        let start = index
        if byte == 0x2D { index += 1 }
        if byte == 0x30 {
            index += 1
            if let byte, (0x30...0x39).contains(byte) {
                throw failure(found: here, allowed: "no digit after a leading 0")
            }
        } else {
            try digits()
        }
        if byte == 0x2E {
            index += 1
            try digits()
        }
        let hasExponent = byte == 0x65 || byte == 0x45
        if hasExponent {
            index += 1
            if byte == 0x2B || byte == 0x2D { index += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if !isByHand, hasExponent || text.utf8.count > 300, Double(text)?.isFinite != true {
            index = start
            throw failure(found: "a number out of range", allowed: "a number of a double's range")
        }
        return text
    }

    // MARK: Strings

    mutating func string() throws(Failure) -> String {
        index += 1
        var result: [UInt8] = []
        while let byte {
            switch byte {
            case 0x22:
                index += 1
                return String(decoding: result, as: UTF8.self)
            case 0x5C:
                try escape(into: &result)
            case ..<0x20:
                throw failure(found: here, allowed: "an escape such as \\n")
            default:
                result.append(byte)
                index += 1
            }
        }
        throw failure(found: here, allowed: "the end of the string")
    }

    private mutating func escape(into result: inout [UInt8]) throws(Failure) {
        index += 1
        guard let code = byte else { throw failure(found: here, allowed: "an escape") }
        let plain: UInt8? =
            switch code {
            case 0x22, 0x5C, 0x2F: code
            case 0x62: 0x08
            case 0x66: 0x0C
            case 0x6E: 0x0A
            case 0x72: 0x0D
            case 0x74: 0x09
            default: nil
            }
        if let plain {
            result.append(plain)
            index += 1
            return
        }
        guard code == 0x75 else { throw failure(found: here, allowed: "one of \" \\ / b f n r t u") }
        let high = try unit()
        var value = UInt32(high)
        if (0xD800..<0xDC00).contains(high), byte == 0x5C, index + 1 < bytes.count, bytes[index + 1] == 0x75 {
            index += 1
            let low = try unit()
            if (0xDC00..<0xE000).contains(low) {
                value = 0x10000 + (value - 0xD800) << 10 + UInt32(low) - 0xDC00
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw failure(found: "a lone surrogate", allowed: "a pair of surrogates")
        }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
    }

    /// Reads the four digits after `\u`, from the `u` on.
    private mutating func unit() throws(Failure) -> UInt16 {
        index += 1
        guard index + 4 <= bytes.count,
            bytes[index..<index + 4].allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
            }),
            let value = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw failure(found: here, allowed: "four hexadecimal digits") }
        index += 4
        return value
    }
}
