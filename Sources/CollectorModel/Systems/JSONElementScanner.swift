/// Finds where the elements of a JSON list begin and end in a text that the parser refused, as well as
/// can be told, so that each can be parsed alone.
///
/// A text that was parsed has `JSONListSlices`, which are exact and cheaper.
struct JSONElementScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    /// Whether the text is a list; if not, its one slice is the whole text.
    let isList: Bool

    /// Makes a walk over a text, whose memory must outlive the walk and its slices.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        position = 0
        while position < bytes.count, JSONElementScanner.isSpace(bytes[position]) { position += 1 }
        isList = position < bytes.count && bytes[position] == UInt8(ascii: "[")
        if isList { position += 1 }
    }

    /// The next element's text without surrounding white space; `nil` at the end.
    ///
    /// - Complexity: O(bytes of the element).
    mutating func next() -> UnsafeRawBufferPointer? {
        while position < bytes.count, JSONElementScanner.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count, !isList || bytes[position] != UInt8(ascii: "]") else { return nil }
        let start = position
        var end = isList ? elementEnd() : bytes.count
        position = min(end + (end < bytes.count && bytes[end] == UInt8(ascii: ",") ? 1 : 0), bytes.count)
        while end > start, JSONElementScanner.isSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Whether nothing is left to read, not even a list's bracket.
    var isAtEnd: Bool { position >= bytes.count }

    /// Whether the list ends as it should after the elements that were read: with its bracket, and nothing behind that.
    var endsWell: Bool {
        guard isList else { return true }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "]") else { return false }
        return bytes[(position + 1)...].allSatisfy(JSONElementScanner.isSpace)
    }

    /// The offset of the comma or bracket after the element at `position`, or the text's end.
    private func elementEnd() -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let count = bytes.count
        var index = position
        var depth = 0
        while index < count {
            switch base.load(fromByteOffset: index, as: UInt8.self) {
            case UInt8(ascii: "\""):
                index = JSONElementScanner.stringEnd(base, from: index &+ 1, count: count)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth &+= 1
            case UInt8(ascii: "}"):
                depth &-= 1
            case UInt8(ascii: "]"):
                if depth <= 0 { return index }
                depth &-= 1
            case UInt8(ascii: ","):
                if depth <= 0 { return index }
            default:
                break
            }
            index &+= 1
        }
        return count
    }

    /// The offset after the quote that ends the string whose content begins at `start`.
    private static func stringEnd(_ base: UnsafeRawPointer, from start: Int, count: Int) -> Int {
        var index = start
        while index < count {
            // Eight bytes a step while none of them is a quote or a backslash.
            while index &+ 8 <= count {
                let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard !hasByte(word, UInt8(ascii: "\"")), !hasByte(word, UInt8(ascii: "\\")) else { break }
                index &+= 8
            }
            var steps = 0
            while index < count, steps < 8 {
                let byte = base.load(fromByteOffset: index, as: UInt8.self)
                if byte == UInt8(ascii: "\"") { return index &+ 1 }
                let length = byte == UInt8(ascii: "\\") ? 2 : 1
                index &+= length
                steps &+= length
            }
        }
        return count
    }

    /// Whether one of the word's bytes is this one (Mycroft's test for a zero byte).
    @inline(__always)
    private static func hasByte(_ word: UInt64, _ byte: UInt8) -> Bool {
        let zeroed = word ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        return (zeroed &- 0x0101_0101_0101_0101) & ~zeroed & 0x8080_8080_8080_8080 != 0
    }

    @inline(__always)
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
