/// The exclusive or of every byte with one key byte: GrowingIO's "encryption"
/// (`X-Crypt-Codec: 1`, key = `stm` & 0xFF). Its own inverse.
package enum XOR {
    /// Changes bytes in place. O(`bytes`), eight bytes a step.
    package static func apply(_ key: UInt8, to bytes: UnsafeMutableRawBufferPointer) {
        let word = UInt64(key) &* 0x0101_0101_0101_0101
        var index = 0
        while index &+ 8 <= bytes.count {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: value ^ word, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < bytes.count {
            bytes[index] ^= key
            index &+= 1
        }
    }
}

extension WireBuffer {
    /// Changes what was written from `start` on to its exclusive or with a key byte, in place.
    ///
    /// - Precondition: 0 ≤ `start` ≤ `count`.
    package mutating func applyXOR(_ key: UInt8, from start: Int = 0) {
        precondition(start >= 0 && start <= count)
        // Others may share the memory; this makes a copy then.
        prepare(for: 0)
        XOR.apply(key, to: UnsafeMutableRawBufferPointer(start: base + start, count: count - start))
    }

    /// Appends the exclusive or of bytes with a key byte.
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer, xor key: UInt8) {
        let start = count
        append(contentsOf: bytes)
        applyXOR(key, from: start)
    }
}
