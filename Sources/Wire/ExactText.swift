/// A text that only one of the same bytes equals, and that stands before another as its bytes do.
///
/// `String` takes an accented letter of one scalar and the same of two for equal. JSON and SQL do not: where names are
/// counted that both will be asked for, bytes decide.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // In no text: what is hashed next is not taken for more of this one.
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Whether another text has the same bytes.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence where Element == String {
    /// Whether one of them has the bytes of a text.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
