import Timebase
import Wire

/// Writes times as RFC 3339 in UTC, such as `2026-01-05T03:04:05.678Z`; dates are made once a day.
struct TimeText {
    private var day = Int64.min
    /// `2026-01-05T` in its bytes.
    private var date: (UInt64, UInt32) = (0, 0)

    /// Appends a time of a column of such a type.
    mutating func append(_ value: Int64, of type: ColumnType, to buffer: inout WireBuffer) {
        let perSecond = type == .timestampMillis ? 1000 : 1_000_000 as Int64
        var days = value / (86_400 * perSecond)
        var rest = value % (86_400 * perSecond)
        if rest < 0 {
            days -= 1
            rest += 86_400 * perSecond
        }
        if days != day { begin(days) }
        let date = date
        let decimals = type == .timestampMillis ? 3 : 6
        buffer.append(upTo: TimeText.size + 6) { memory in
            memory.storeBytes(of: date.0, as: UInt64.self)
            memory.storeBytes(of: date.1, toByteOffset: 8, as: UInt32.self)
            let bytes = memory.assumingMemoryBound(to: UInt8.self)
            let second = UInt32(truncatingIfNeeded: rest / perSecond)
            TimeText.put(second / 3600, digits: 2, at: bytes + 11)
            bytes[13] = UInt8(ascii: ":")
            TimeText.put(second / 60 % 60, digits: 2, at: bytes + 14)
            bytes[16] = UInt8(ascii: ":")
            TimeText.put(second % 60, digits: 2, at: bytes + 17)
            bytes[19] = UInt8(ascii: ".")
            TimeText.put(UInt32(truncatingIfNeeded: rest % perSecond), digits: decimals, at: bytes + 20)
            bytes[20 + decimals] = UInt8(ascii: "Z")
            return TimeText.size + decimals
        }
    }

    /// The bytes of `2026-01-05T03:04:05.Z`.
    private static let size = 21

    private mutating func begin(_ days: Int64) {
        day = days
        var bytes = Array(CivilTime(Instant(milliseconds: days * 86_400_000)).dateText.utf8)
        bytes += [UInt8(ascii: "T"), 0]
        date = bytes.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        }
    }

    @inline(__always)
    private static func put(_ value: UInt32, digits: Int, at bytes: UnsafeMutablePointer<UInt8>) {
        var rest = value
        for index in stride(from: digits - 1, through: 0, by: -1) {
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
