package import Timebase
package import Wire

/// A random UUID (RFC 9562, version 4) in upper case, as iOS writes it.
package struct DeviceUUID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    /// Takes the stream's first two draws.
    package init(stream: RandomStream) {
        var stream = stream
        high = stream.next() & ~0xF000 | 0x4000
        low = stream.next() & ~(3 << 62) | 1 << 63
    }

    /// 36 characters.
    package func append(to buffer: inout WireBuffer) {
        let dash = UInt8(ascii: "-")
        Self.append(hexadecimal: high >> 32, digits: 8, upperCase: true, to: &buffer)
        buffer.append(dash)
        Self.append(hexadecimal: high >> 16, digits: 4, upperCase: true, to: &buffer)
        buffer.append(dash)
        Self.append(hexadecimal: high, digits: 4, upperCase: true, to: &buffer)
        buffer.append(dash)
        Self.append(hexadecimal: low >> 48, digits: 4, upperCase: true, to: &buffer)
        buffer.append(dash)
        Self.append(hexadecimal: low, digits: 12, upperCase: true, to: &buffer)
    }

    package var text: String {
        var buffer = WireBuffer(capacity: 36)
        append(to: &buffer)
        return buffer.text
    }

    /// Appends the lowest `digits` hexadecimal digits of a number, up to 16.
    package static func append(
        hexadecimal value: UInt64, digits: Int, upperCase: Bool, to buffer: inout WireBuffer
    ) {
        if digits > 8 {
            append(hexadecimal: value >> 32, digits: digits - 8, upperCase: upperCase, to: &buffer)
        }
        let count = min(digits, 8)
        let first = UInt32(truncatingIfNeeded: value) << UInt32(32 - 4 * count)
        // Eight bytes are stored, of which the first ones count.
        buffer.append(upTo: 8) { memory in
            memory.storeBytes(of: eightDigits(of: first, upperCase: upperCase).littleEndian, as: UInt64.self)
            return count
        }
    }

    /// The eight hexadecimal digits of a number, the first one lowest.
    package static func eightDigits(of value: UInt32, upperCase: Bool) -> UInt64 {
        // One byte in two, the first one lowest; then the upper half of each before the lower one.
        var bytes = UInt64(value.byteSwapped)
        bytes = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
        bytes = (bytes | bytes << 8) & 0x00FF_00FF_00FF_00FF
        let digits = bytes >> 4 & 0x000F_000F_000F_000F | (bytes & 0x000F_000F_000F_000F) << 8
        let ones: UInt64 = 0x0101_0101_0101_0101
        let isLetter = (digits + 6 * ones) >> 4 & ones
        // From 9 to A there are 7 characters more, to a 39.
        return digits + 48 * ones + isLetter * (upperCase ? 7 : 39)
    }
}
