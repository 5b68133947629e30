/// The MD5 digest (RFC 1321) of a whole byte sequence.
///
/// For identifiers that an SDK derives from a text, such as a view's from its path; not for
/// anything that somebody could want to forge.
package enum MD5 {
    /// The number of hexadecimal digits of a digest.
    package static let digitCount = 32

    /// The digest in lower-case hexadecimal. O(`bytes`).
    package static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String {
        var buffer = WireBuffer(capacity: digitCount)
        appendHexadecimal(of: bytes, to: &buffer)
        return buffer.text
    }

    /// The digest of a text's UTF-8 in lower-case hexadecimal.
    package static func hexadecimal(of text: String) -> String {
        var text = text
        return text.withUTF8 { hexadecimal(of: UnsafeRawBufferPointer($0)) }
    }

    /// Appends the digest in lower-case hexadecimal, without a text in between.
    package static func appendHexadecimal(of bytes: UnsafeRawBufferPointer, to output: inout WireBuffer) {
        let state = digest(of: bytes)
        for word in [state.0, state.1, state.2, state.3] {
            // The first byte is the lowest.
            for shift: UInt32 in [4, 0, 12, 8, 20, 16, 28, 24] {
                let digit = UInt8(truncatingIfNeeded: word >> shift & 15)
                output.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            }
        }
    }

    private typealias State = (UInt32, UInt32, UInt32, UInt32)

    private static func digest(of bytes: UnsafeRawBufferPointer) -> State {
        var state: State = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        let whole = bytes.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) {
            compress(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]), into: &state)
        }
        // The rest, a one bit, zeros, and the number of bits in eight bytes: one block or two.
        let rest = bytes.count - whole
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { tail in
            tail.initializeMemory(as: UInt8.self, repeating: 0)
            tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...]))
            tail[rest] = 0x80
            let size = rest < 56 ? 64 : 128
            let bits = (UInt64(bytes.count) << 3).littleEndian
            tail.storeBytes(of: bits, toByteOffset: size - 8, as: UInt64.self)
            for start in stride(from: 0, to: size, by: 64) {
                compress(UnsafeRawBufferPointer(rebasing: tail[start..<start + 64]), into: &state)
            }
        }
        return state
    }

    private static func compress(_ block: UnsafeRawBufferPointer, into state: inout State) {
        var (a, b, c, d) = state
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step >> 4 {
            case 0: (mixed, word) = (d ^ (b & (c ^ d)), step)
            case 1: (mixed, word) = (c ^ (d & (b ^ c)), 5 &* step &+ 1)
            case 2: (mixed, word) = (b ^ c ^ d, 3 &* step &+ 5)
            default: (mixed, word) = (c ^ (b | ~d), 7 &* step)
            }
            let value = block.loadUnaligned(fromByteOffset: (word & 15) &* 4, as: UInt32.self)
            let sum = a &+ mixed &+ sines[step] &+ UInt32(littleEndian: value)
            let shift = shifts[(step >> 4) &* 4 &+ (step & 3)]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 &- shift)))
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
    }

    /// By how many bits a step rotates: four steps in turn, in each of the four rounds.
    private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    /// 2^32 · |sin(step + 1)|, rounded down; the angle is in radians.
    private static let sines: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
        0xFD46_9501, 0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193,
        0xA679_438E, 0x49B4_0821, 0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D,
        0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8, 0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED,
        0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A, 0xFFFA_3942, 0x8771_F681, 0x6D9D_6122,
        0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70, 0x289B_7EC6, 0xEAA1_27FA,
        0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665, 0xF429_2244,
        0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
        0xEB86_D391,
    ]
}
