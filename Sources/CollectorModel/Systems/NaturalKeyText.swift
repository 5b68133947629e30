import Accounting
import Wire

/// The text that names an event without an id of the harness: the parts of its natural key, joined with
/// U+001F. Its hash is what the store keeps.
extension WireBuffer {
    /// Begins a natural key with its first part.
    mutating func beginKey(_ part: UnsafeRawBufferPointer) {
        removeAll()
        append(contentsOf: part)
    }

    mutating func appendKey(_ part: UnsafeRawBufferPointer) {
        append(0x1F)
        append(contentsOf: part)
    }

    mutating func appendKey(_ part: Int64) {
        append(0x1F)
        appendDecimal(part)
    }

    /// The hash of the text so far.
    var naturalKey: EventKey {
        let hash = withUnsafeBytes { Hash128($0) }
        return .natural(NaturalKey(high: hash.high, low: hash.low))
    }
}

extension JSONValue {
    /// The harness's id in a member of this name; `nil` for a mangled one.
    func harnessID(_ name: StaticString = "bs_id") -> EventID? {
        self[name]?.bytes.flatMap { EventID(text: $0) }
    }

    /// A time or a number as a whole one; some clients write it with a fraction.
    var wholeNumber: Int64? {
        if let whole = int64 { return whole }
        guard let number = double else { return nil }
        return Int64(exactly: number.rounded(.down))
    }
}
