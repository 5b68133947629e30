/// The standard base64 alphabet with padding and without line breaks (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// The two characters of each 12 bits, the first one lowest.
    static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(alphabet.utf8Start[bits >> 6]) | UInt16(alphabet.utf8Start[bits & 63]) << 8
    }

    /// The value of each byte in the alphabet, or 0xFF.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for value in 0..<64 {
            values[Int(alphabet.utf8Start[value])] = UInt8(value)
        }
        return values
    }()

    /// The number of characters that `count` bytes become.
    package static func encodedCount(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends the base64 of `input`. O(`input.count`).
    package static func encode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        guard let source = input.baseAddress else { return }
        let size = encodedCount(of: input.count)
        output.append(upTo: size) { memory in
            encode(from: source, count: input.count, to: memory)
            return size
        }
    }

    /// Appends the base64 of what `input` holds.
    package static func encode(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// The eight characters of six bytes, the first one lowest; eight bytes are read.
    @inline(__always)
    static func word(at source: UnsafeRawPointer, _ pairs: UnsafeBufferPointer<UInt16>) -> UInt64 {
        let bits = UInt64(bigEndian: source.loadUnaligned(as: UInt64.self))
        var word = UInt64(pairs[Int(bits &>> 52)])
        word |= UInt64(pairs[Int(bits &>> 40 & 0xFFF)]) &<< 16
        word |= UInt64(pairs[Int(bits &>> 28 & 0xFFF)]) &<< 32
        word |= UInt64(pairs[Int(bits &>> 16 & 0xFFF)]) &<< 48
        return word
    }

    /// Writes four characters for each three bytes, and the padded rest.
    static func encode(
        from source: UnsafeRawPointer, count: Int, to memory: UnsafeMutableRawPointer
    ) {
        let table = alphabet.utf8Start
        var source = source
        var target = memory.assumingMemoryBound(to: UInt8.self)
        // Six bytes a step, of the eight that are read.
        let steps = max(0, count - 2) / 6
        pairs.withUnsafeBufferPointer { pairs in
            for _ in 0..<steps {
                let word = word(at: source, pairs)
                UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
                source += 6
                target += 8
            }
        }
        for _ in 0..<(count - steps * 6) / 3 {
            let bits = group(at: source, count: 3)
            target[0] = table[bits >> 18]
            target[1] = table[bits >> 12 & 63]
            target[2] = table[bits >> 6 & 63]
            target[3] = table[bits & 63]
            source += 3
            target += 4
        }
        let rest = count % 3
        guard rest > 0 else { return }
        let bits = group(at: source, count: rest)
        target[0] = table[bits >> 18]
        target[1] = table[bits >> 12 & 63]
        target[2] = rest == 2 ? table[bits >> 6 & 63] : UInt8(ascii: "=")
        target[3] = UInt8(ascii: "=")
    }

    /// One to three bytes as the upper bits of 24.
    @inline(__always)
    private static func group(at source: UnsafeRawPointer, count: Int) -> Int {
        var bits = Int(source.load(as: UInt8.self)) << 16
        if count > 1 { bits |= Int(source.load(fromByteOffset: 1, as: UInt8.self)) << 8 }
        if count > 2 { bits |= Int(source.load(fromByteOffset: 2, as: UInt8.self)) }
        return bits
    }

    /// Appends the bytes that `input` encodes. O(`input.count`).
    ///
    /// Strict: only the alphabet, padding exactly where it belongs, and zero bits below the last
    /// byte (RFC 4648, section 3.5), so that each content has one text.
    ///
    /// - Returns: `false` if `input` is anything else; then `output` is as before.
    package static func decode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) -> Bool {
        guard let source = input.baseAddress, !input.isEmpty else { return true }
        guard input.count.isMultiple(of: 4) else { return false }
        let padding = input.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let size = input.count / 4 * 3 - padding
        var isValid = false
        output.append(upTo: size) { memory in
            isValid = decode(from: source, count: input.count, padding: padding, to: memory)
            return isValid ? size : 0
        }
        return isValid
    }

    /// The bytes that `input` encodes, or `nil`; see ``decode(_:into:)``.
    package static func decode(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
        var output = WireBuffer(capacity: input.count / 4 * 3)
        return decode(input, into: &output) ? output.bytes : nil
    }

    /// Writes three bytes for each four characters, and one or two for the padded rest.
    private static func decode(
        from source: UnsafeRawPointer, count: Int, padding: Int, to memory: UnsafeMutableRawPointer
    ) -> Bool {
        values.withUnsafeBufferPointer { table in
            let source = source.assumingMemoryBound(to: UInt8.self)
            let target = memory.assumingMemoryBound(to: UInt8.self)
            // Any bad character sets the upper bits of `seen`; checked once, at the end.
            var seen: UInt8 = 0
            let groups = count / 4 - (padding > 0 ? 1 : 0)
            for group in 0..<groups {
                let (a, b) = (table[Int(source[group &* 4])], table[Int(source[group &* 4 &+ 1])])
                let (c, d) = (table[Int(source[group &* 4 &+ 2])], table[Int(source[group &* 4 &+ 3])])
                seen |= a | b | c | d
                target[group &* 3] = a << 2 | b >> 4
                target[group &* 3 &+ 1] = b << 4 | c >> 2
                target[group &* 3 &+ 2] = c << 6 | d
            }
            guard padding > 0 else { return seen < 64 }
            let (a, b) = (table[Int(source[count - 4])], table[Int(source[count - 3])])
            let c = padding == 1 ? table[Int(source[count - 2])] : 0
            seen |= a | b | c
            target[groups * 3] = a << 2 | b >> 4
            if padding == 1 { target[groups * 3 + 1] = b << 4 | c >> 2 }
            let unused = padding == 1 ? c & 0x03 : b & 0x0F
            return seen < 64 && unused == 0
        }
    }
}
