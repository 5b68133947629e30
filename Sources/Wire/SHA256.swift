/// The SHA-256 digest (FIPS 180-4) of a whole byte sequence.
///
/// For naming files by their content; a cryptographic library would add minutes to every clean build for this one use.
package enum SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]

    /// The digest as 64 hexadecimal digits in lower case. O(n), without a copy of the bytes.
    package static func hexadecimal(of bytes: [UInt8]) -> String {
        var running = Running()
        bytes.withUnsafeBytes { running.update($0) }
        return running.hexadecimal
    }

    /// The digest of bytes that come in chunks; how they are cut makes no difference. 64 bytes are kept at most.
    package struct Running: Sendable {
        private var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
            0x5be0_cd19,
        ]
        /// What came after the last whole block.
        private var rest: [UInt8] = []
        /// The bytes so far.
        package private(set) var count = 0

        package init() {}

        /// Takes further bytes in. O(n).
        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            count += bytes.count
            var start = 0
            if !rest.isEmpty {
                start = min(bytes.count, 64 - rest.count)
                rest.append(contentsOf: bytes[..<start])
                guard rest.count == 64 else { return }
                rest.withUnsafeBytes { SHA256.compress($0, into: &state) }
                rest.removeAll(keepingCapacity: true)
            }
            let end = start + (bytes.count - start) & ~63
            SHA256.compress(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &state)
            rest.append(contentsOf: bytes[end...])
        }

        /// The digest of the bytes so far, as 64 hexadecimal digits in lower case.
        package var hexadecimal: String {
            var state = state
            SHA256.lastBlocks(of: rest, count: count).withUnsafeBytes { SHA256.compress($0, into: &state) }
            return SHA256.text(of: state)
        }
    }

    private static func text(of state: [UInt32]) -> String {
        let digits = Array("0123456789abcdef")
        var text = ""
        for word in state {
            for shift in stride(from: 28, through: 0, by: -4) {
                text.append(digits[Int(word >> UInt32(shift) & 15)])
            }
        }
        return text
    }

    /// What is left of a message of `count` bytes after its whole blocks, filled up and with its length.
    private static func lastBlocks(of rest: [UInt8], count: Int) -> [UInt8] {
        var message = rest
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        let bits = UInt64(count) * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return message
    }

    /// Takes whole blocks of 64 bytes in.
    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            words.initialize(repeating: 0)
            constants.withUnsafeBufferPointer { constants in
                state.withUnsafeMutableBufferPointer { state in
                    for start in stride(from: 0, to: blocks.count, by: 64) {
                        expand(UnsafeRawBufferPointer(rebasing: blocks[start..<start + 64]), into: words)
                        mix(words, constants, into: state)
                    }
                }
            }
        }
    }

    /// Makes the 64 words of a block.
    private static func expand(
        _ block: UnsafeRawBufferPointer, into words: UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let a = words[index - 15]
            let b = words[index - 2]
            let low = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
            let high = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
            words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
        }
    }

    /// The 64 rounds over a block's words.
    private static func mix(
        _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>,
        into state: UnsafeMutableBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let first = h &+ high &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ words[index]
            let low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ low &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value >> count | value << (32 - count)
    }
}
