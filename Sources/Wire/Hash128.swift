/// A 128-bit hash of bytes, for natural keys: stable across processes and machines, quick, and not
/// cryptographic (an adversary can make two inputs collide, chance does not: among 10^9 keys about
/// 10^-21).
///
/// Two independent 64-bit lanes each take every word by one round of xxHash64 (Yann Collet's XXH64:
/// `rotl(lane + word · P2, 31) · P1`, a bijection of the word), with other primes and rotations in
/// the second lane, and end with MurmurHash3's finalizer. The lanes' values are this type's own:
/// they are not XXH64's.
package struct Hash128: Sendable, Hashable, Comparable {
    /// The first lane.
    package let high: UInt64
    /// The second lane.
    package let low: UInt64

    /// Takes over a hash's two halves.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The hash of bytes: that of a ``Builder`` with these as its only part.
    package init(_ bytes: UnsafeRawBufferPointer) {
        var builder = Builder()
        builder.combine(bytes)
        self = builder.hash
    }

    /// Orders by the first lane, then by the second.
    package static func < (left: Hash128, right: Hash128) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }

    /// Appends 32 hexadecimal digits in lower case.
    package func appendHexadecimal(to output: inout WireBuffer) {
        let digits: StaticString = "0123456789abcdef"
        for half in [high, low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                output.append(digits.utf8Start[Int(half >> shift & 0xF)])
            }
        }
    }

    /// Hashes a key of several parts; each part counts with its length, so that `ab`, `c` and `a`,
    /// `bc` differ.
    package struct Builder: Sendable {
        private var first: UInt64 = 0x9E37_79B1_85EB_CA87
        private var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F

        /// Makes a hash of nothing yet.
        package init() {}

        /// Adds bytes as one part. O(`bytes.count`).
        package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
            // Local copies: the lanes stay in registers over the loop.
            var lanes = self
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                lanes.absorb(UInt64(littleEndian: word))
                offset &+= 8
            }
            var tail: UInt64 = 0
            var shift: UInt64 = 0
            while offset < bytes.count {
                tail |= UInt64(bytes[offset]) << shift
                shift &+= 8
                offset &+= 1
            }
            if shift > 0 { lanes.absorb(tail) }
            lanes.absorb(UInt64(bytes.count))
            self = lanes
        }

        /// Adds an integer as one part.
        package mutating func combine(_ value: UInt64) {
            absorb(value)
            // A length that no bytes have sets integers apart from them.
            absorb(.max)
        }

        /// The hash of all parts so far.
        package var hash: Hash128 {
            Hash128(high: finalized(first), low: finalized(second ^ 0x2545_F491_4F6C_DD1D))
        }

        @inline(__always)
        private mutating func absorb(_ word: UInt64) {
            let one = first &+ word &* 0xC2B2_AE3D_27D4_EB4F
            first = (one << 31 | one >> 33) &* 0x9E37_79B1_85EB_CA87
            let two = second &+ word &* 0xD6E8_FEB8_6659_FD93
            second = (two << 29 | two >> 35) &* 0xA076_1D64_78BD_642F
        }

        private func finalized(_ lane: UInt64) -> UInt64 {
            var value = lane
            value = (value ^ (value >> 33)) &* 0xFF51_AFD7_ED55_8CCD
            value = (value ^ (value >> 33)) &* 0xC4CE_B9FE_1A85_EC53
            return value ^ (value >> 33)
        }
    }
}
