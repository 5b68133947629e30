/// What a timed event is about, and how long it took, in a record's 16 bits and 32.
///
/// A subject of up to 16 bits leaves the 32 to the duration. A larger one, such as the number of an order, takes them, and
/// the duration is rounded to twelve binary digits: exact up to four seconds, to within a quarter of a thousandth beyond.
package struct TimedSubject: Hashable, Sendable {
    /// Below ``EventRecord/control``'s `.max`, which stands for no subject.
    package let control: UInt16
    package let detail: UInt32
    /// Whether the subject is in the 32 bits.
    package let isWide: Bool

    /// - Parameter milliseconds: How long it took; less than a day and a half.
    package init(_ subject: UInt32, milliseconds: Int64) {
        isWide = subject >= UInt32(UInt16.max)
        if isWide {
            let exact = UInt32(milliseconds)
            var (mantissa, exponent) = (exact, UInt32(0))
            while mantissa >= 1 << 12 {
                exponent += 1
                // From the exact value each time: rounding what is rounded adds up.
                mantissa = (exact + (1 << (exponent - 1))) >> exponent
            }
            control = UInt16(exponent << 12 | mantissa)
            detail = subject
        } else {
            control = UInt16(subject)
            detail = UInt32(milliseconds)
        }
    }

    /// Reads a record of a timed event.
    @inline(__always)
    package init(_ record: EventRecord, isWide: Bool) {
        (control, detail, self.isWide) = (record.control, record.detail, isWide)
    }

    /// What the event is about; 0 without a subject.
    @inline(__always)
    package var subject: UInt32 { isWide ? detail : control == .max ? 0 : UInt32(control) }

    /// How long it took.
    @inline(__always)
    package var milliseconds: Int64 {
        isWide ? Int64(control & 0xFFF) << Int64(control >> 12) : Int64(detail)
    }
}
