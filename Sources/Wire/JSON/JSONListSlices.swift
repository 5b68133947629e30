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

    /// The list to which members of these names lead; of several of one name the first.
    init?(_ bytes: UnsafeRawBufferPointer, structurals: UnsafeBufferPointer<UInt32>, at path: [[UInt8]]) {
        self.init(bytes, structurals: structurals)
        position = 0
        for name in path {
            guard character == UInt8(ascii: "{") else { return nil }
            position += 1
            while !isAtName(name) { guard skipMember() else { return nil } }
            // The name and the colon.
            position += 2
        }
        guard character == UInt8(ascii: "[") else { return nil }
        position += 1
    }

    /// The character at the position in the index; `nil` at its end.
    private var character: UInt8? {
        position < structurals.count ? bytes[Int(structurals[position])] : nil
    }

    /// Whether the string at the position is this, written without escapes.
    private func isAtName(_ name: [UInt8]) -> Bool {
        guard character == UInt8(ascii: "\"") else { return false }
        let text = bytes[(Int(structurals[position]) + 1)...]
        return text.starts(with: name) && text.dropFirst(name.count).first == UInt8(ascii: "\"")
    }

    /// Moves to the next member's name.
    ///
    /// - Returns: `false` if there is none.
    private mutating func skipMember() -> Bool {
        var depth = 0
        while let character {
            position += 1
            switch character {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return false }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return true }
            default: break
            }
        }
        return false
    }

    /// The next element's text; `nil` at the end.
    ///
    /// - Complexity: O(structural characters of the element).
    package mutating func next() -> UnsafeRawBufferPointer? {
        guard position < structurals.count else { return nil }
        let start = Int(structurals[position])
        guard bytes[start] != UInt8(ascii: "]") else { return nil }
        skipContainer()
        // After a list or an object, as nearly always, the comma or the bracket that ends the element is next.
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

    /// Moves behind the list or object at the position, if there is one; one test for each character in it, whichever it is.
    private mutating func skipContainer() {
        guard JSONListSlices.nesting(bytes[Int(structurals[position])]) == 1 else { return }
        var depth = 0
        var next = position
        repeat {
            depth &+= JSONListSlices.nesting(bytes[Int(structurals[next])])
            next &+= 1
        } while depth > 0 && next < structurals.count
        position = next
    }

    /// How much deeper the text is nested behind a character: 1, 0 or -1.
    @inline(__always)
    private static func nesting(_ byte: UInt8) -> Int {
        // The brackets and braces are 0x5B, 0x5D, 0x7B and 0x7D, alone in their two pairs.
        let folded = byte | 0x20
        return (folded == UInt8(ascii: "{") ? 1 : 0) &- (folded == UInt8(ascii: "}") ? 1 : 0)
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
