/// Digits of whole numbers, written into memory whose size was reserved before.
package enum DecimalDigits {
    /// The pairs 00 … 99, so that a division yields two digits.
    @inlinable
    static var pairs: StaticString {
        @inline(__always)
        get {
            """
            00010203040506070809101112131415161718192021222324252627282930313233343536373839\
            40414243444546474849505152535455565758596061626364656667686970717273747576777879\
            8081828384858687888990919293949596979899
            """
        }
    }

    /// The number of digits of a value; 1 for zero.
    @inlinable
    @inline(__always)
    package static func count(of value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return count &+ (rest < 10 ? 0 : rest < 100 ? 1 : rest < 1000 ? 2 : 3)
    }

    /// Writes all digits of a value, ``count(of:)``, to the memory before `end`.
    @inlinable
    @inline(__always)
    package static func write(_ value: UInt64, endingAt end: UnsafeMutableRawPointer) {
        let pairs = UnsafeRawPointer(DecimalDigits.pairs.utf8Start)
        var rest = value
        var target = end
        while rest >= 100 {
            let quotient = rest / 100
            target -= 2
            target.copyMemory(
                from: pairs + Int(truncatingIfNeeded: rest &- quotient &* 100) &* 2, byteCount: 2)
            rest = quotient
        }
        if rest >= 10 {
            (target - 2).copyMemory(from: pairs + Int(truncatingIfNeeded: rest) &* 2, byteCount: 2)
        } else {
            (target - 1).storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 48, as: UInt8.self)
        }
    }

    /// Writes the two digits of a number from 0 to 99.
    @inlinable
    @inline(__always)
    package static func write(pair value: Int64, at start: UnsafeMutableRawPointer) {
        start.copyMemory(
            from: UnsafeRawPointer(pairs.utf8Start) + Int(truncatingIfNeeded: value) &* 2, byteCount: 2)
    }
}
