/// The harness's own name of an event: the device's number through all populations, and the
/// event's sequence on that device; both from 0, sequences without holes.
package struct EventID: Hashable, Comparable, Sendable {
    package var device: UInt32
    package var sequence: UInt32

    package init(device: UInt32, sequence: UInt32) {
        self.device = device
        self.sequence = sequence
    }

    /// Reads the text form `<device>-<sequence>`, both decimal without sign or leading zeros.
    ///
    /// - Returns: `nil` for anything else, so that a mangled id is never taken for another event.
    @inlinable
    package init?(text: some Collection<UInt8>) {
        var numbers: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var seenDash = false
        for byte in text {
            if byte == UInt8(ascii: "-"), !seenDash, digits > 0 {
                seenDash = true
                digits = 0
                continue
            }
            guard (48...57).contains(byte) else { return nil }
            let value = (seenDash ? numbers.1 : numbers.0)
            // A zero may stand only alone.
            guard digits == 0 || value != 0 else { return nil }
            let grown = value * 10 + UInt64(byte - 48)
            guard grown <= UInt64(UInt32.max) else { return nil }
            if seenDash { numbers.1 = grown } else { numbers.0 = grown }
            digits += 1
        }
        guard seenDash, digits > 0 else { return nil }
        self.init(device: UInt32(numbers.0), sequence: UInt32(numbers.1))
    }

    /// `<device>-<sequence>`.
    package var text: String { "\(device)-\(sequence)" }

    package static func < (left: EventID, right: EventID) -> Bool {
        left.device != right.device ? left.device < right.device : left.sequence < right.sequence
    }
}
