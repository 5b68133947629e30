/// Java's `String.hashCode`, the checksum (`crc`) of SensorsAnalytics' bodies: over UTF-16 units,
/// h = 31 · h + unit, modulo 2^32 as a signed number.
package enum JavaHash {
    /// Which reading of a unit goes into the sum.
    package enum Variant: Sendable {
        /// As Java does.
        case java
        /// As sa-sdk-ios 1.x does: a unit whose low byte is 0 (such as U+4E00) counts as 0.
        case sensorsLegacy
    }

    /// The hash of a text given as UTF-8. O(`utf8.count`); ASCII takes a fast path.
    ///
    /// What is not valid UTF-8 counts as U+FFFD, as when Java decodes it.
    package static func hash(_ utf8: UnsafeRawBufferPointer, variant: Variant = .java) -> Int32 {
        var hash: UInt32 = 0
        var index = 0
        // Eight bytes a step: their own sum is independent of the hash so far, so that the
        // multiplications overlap.
        while index &+ 8 <= utf8.count {
            let word = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            hash = next(hash, word)
            index &+= 8
        }
        while index < utf8.count, utf8[index] < 0x80 {
            hash = hash &* 31 &+ UInt32(utf8[index])
            index &+= 1
        }
        if index < utf8.count {
            let rest = UnsafeRawBufferPointer(rebasing: utf8[index...])
            hash = continued(hash, over: rest, variant: variant)
        }
        return Int32(bitPattern: hash)
    }

    /// The hash of what a buffer holds.
    package static func hash(_ utf8: borrowing WireBuffer, variant: Variant = .java) -> Int32 {
        utf8.withUnsafeBytes { hash($0, variant: variant) }
    }

    /// The hash of a text with eight more ASCII bytes, the first one lowest.
    @inline(__always)
    static func next(_ hash: UInt32, _ word: UInt64) -> UInt32 { hash &* power8 &+ sum(of: word) }

    /// 31^8 modulo 2^32.
    private static let power8: UInt32 = 2487512833

    /// The hash of eight ASCII bytes alone: four pairs with one multiplication, then two fours, then
    /// the eight. No lane runs over: 127 · 32 < 2^16, and that times 962 < 2^32.
    @inline(__always)
    private static func sum(of word: UInt64) -> UInt32 {
        let bytes: UInt64 = 0x00FF_00FF_00FF_00FF
        let pairs = (word & bytes) &* 31 &+ (word &>> 8 & bytes)
        let lanes: UInt64 = 0x0000_FFFF_0000_FFFF
        let fours = (pairs & lanes) &* 961 &+ (pairs &>> 16 & lanes)
        return UInt32(truncatingIfNeeded: fours) &* 923_521 &+ UInt32(truncatingIfNeeded: fours &>> 32)
    }

    /// The slow path, from the first byte that is not ASCII.
    private static func continued(
        _ start: UInt32, over utf8: UnsafeRawBufferPointer, variant: Variant
    ) -> UInt32 {
        var hash = start
        for unit in String(decoding: utf8, as: UTF8.self).utf16 {
            let counts = variant == .java || unit & 0xFF != 0
            hash = hash &* 31 &+ (counts ? UInt32(unit) : 0)
        }
        return hash
    }
}
