/// The texts of a parsed list's elements, one after the other, without the white space around them.
///
/// The tape has no positions; this walks the parser's index of the characters that matter, some
/// seven times fewer than the text has. Points into the text and into the parser.
package struct JSONListSlices {
    private let bytes: UnsafeRawBufferPointer
    private let structurals: UnsafeBufferPointer<UInt32>
    /// The next element's first character in the index; the first is the list's own bracket.
    private var position = 1

    init(_ bytes: UnsafeRawBufferPointer, structurals: UnsafeBufferPointer<UInt32>) {
        self.bytes = bytes
        self.structurals = structurals
    }

    /// The next element's text; `nil` at the end.
    ///
    /// - Complexity: O(structural characters of the element).
    package mutating func next() -> UnsafeRawBufferPointer? {
        guard position < structurals.count else { return nil }
        let start = Int(structurals[position])
        guard bytes[start] != UInt8(ascii: "]") else { return nil }
        var depth = 0
        while position < structurals.count {
            let offset = Int(structurals[position])
            position += 1
            switch bytes[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return slice(from: start, to: offset) }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return slice(from: start, to: offset) }
            default:
                break
            }
        }
        return slice(from: start, to: bytes.count)
    }

    private func slice(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        var end = end
        while end > start, JSONListSlices.isSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
