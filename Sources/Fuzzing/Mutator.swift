package import Timebase

/// Changes inputs at random: bytes and ranges, words of a dictionary, parts of other inputs, and the
/// values of JSON in its own structure.
package struct Mutator {
    private let words: [[UInt8]]
    private let byteLimit: Int
    private let modes: [UInt8]

    package init(for target: any FuzzTarget.Type) {
        words = target.dictionary.map { Array($0.utf8) } + Mutator.strangeWords
        byteLimit = target.byteLimit
        modes = Array(target.modes.utf8)
    }

    private static let strangeWords: [[UInt8]] =
        [
            "0", "-1", "1", "255", "65536", "4294967295", "4294967296", "9007199254740993",
            "9223372036854775807",
            "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
            "1e308", "1e400", "-0.0", "5e-324", "0x", "%", "%00", "\\u0000", "\\ud800", "\u{FEFF}", "null",
            "{}",
            "[]", "\"\"", "true", "\r\n", "\n", "\0", " ", ",", ":", "=", "&", "/", "..",
        ].map { Array($0.utf8) } + [
            [0xFF], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]

    /// An input made from one of a corpus by one to eight changes.
    ///
    /// - Precondition: `corpus` is not empty.
    package func mutated(from corpus: [[UInt8]], _ stream: inout RandomStream) -> [UInt8] {
        var input = corpus[Int(stream.below(UInt64(corpus.count)))]
        for _ in 0...stream.below(8) {
            if stream.chance(0.3), let changed = JSONMutation.mutated(input, words: words, &stream) {
                input = changed
            } else {
                change(&input, corpus, &stream)
            }
        }
        if let mode = input.first, !modes.isEmpty, !modes.contains(mode) {
            input[0] = modes[Int(stream.below(UInt64(modes.count)))]
        }
        return Array(input.prefix(byteLimit))
    }

    private func change(_ input: inout [UInt8], _ corpus: [[UInt8]], _ stream: inout RandomStream) {
        let from = Int(stream.below(UInt64(input.count + 1)))
        let length = min(Int(stream.below(stream.chance(0.8) ? 8 : 512)), input.count - from)
        let range = from..<from + length
        switch stream.below(8) {
        case 0: input.removeSubrange(range)
        case 1: input.insert(contentsOf: input[range], at: from)
        case 2: input.insert(UInt8(truncatingIfNeeded: stream.next()), at: from)
        case 3, 4: input.replaceSubrange(range, with: words[Int(stream.below(UInt64(words.count)))])
        case 5: input.insert(contentsOf: words[Int(stream.below(UInt64(words.count)))], at: from)
        case 6:
            let other = corpus[Int(stream.below(UInt64(corpus.count)))]
            let start = Int(stream.below(UInt64(other.count + 1)))
            input.replaceSubrange(range, with: other[start...].prefix(Int(stream.below(256))))
        default:
            guard from < input.count else { return }
            input[from] =
                stream.chance(0.5)
                ? input[from] ^ (1 << UInt8(stream.below(8))) : UInt8(truncatingIfNeeded: stream.next())
        }
    }
}

/// Changes of JSON that keep it JSON, by the extents of its values alone: no reader is needed, and what is
/// around the text, such as a mode's character, stays.
enum JSONMutation {
    /// The input with one value replaced, repeated, or taken from elsewhere in it; `nil` if there is none.
    static func mutated(
        _ input: [UInt8], words: [[UInt8]], _ stream: inout RandomStream
    ) -> [UInt8]? {
        let values = extents(in: input)
        guard !values.isEmpty else { return nil }
        let target = values[Int(stream.below(UInt64(values.count)))]
        var result = input
        switch stream.below(4) {
        case 0:
            let other = values[Int(stream.below(UInt64(values.count)))]
            result.replaceSubrange(target, with: input[other])
        case 1:
            result.insert(contentsOf: [UInt8(ascii: ",")] + input[target], at: target.upperBound)
        case 2:
            let word = words[Int(stream.below(UInt64(words.count)))]
            let isText = input[target.lowerBound] == UInt8(ascii: "\"")
            result.replaceSubrange(target, with: isText ? quoted(word) : word)
        default:
            let depth = 1 + Int(stream.below(stream.chance(0.9) ? 3 : 100))
            let open = [UInt8](repeating: UInt8(ascii: "["), count: depth)
            let close = [UInt8](repeating: UInt8(ascii: "]"), count: depth)
            result.replaceSubrange(target, with: open + input[target] + close)
        }
        return result
    }

    private static func quoted(_ word: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "\"")] + word + [UInt8(ascii: "\"")]
    }

    /// Where values, keys included, begin and end, as far as brackets and quotes tell.
    ///
    /// - Complexity: O(n).
    static func extents(in input: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var open: [Int] = []
        var index = 0
        while index < input.count {
            let start = index
            switch input[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(index)
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                index += 1
                if let start = open.popLast() { found.append(start..<index) }
            case UInt8(ascii: "\""):
                index += 1
                while index < input.count, input[index] != UInt8(ascii: "\"") {
                    index += input[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + 1, input.count)
                found.append(start..<index)
            case let byte where !open.isEmpty && isScalar(byte):
                while index < input.count, isScalar(input[index]) { index += 1 }
                found.append(start..<index)
            default:
                index += 1
            }
        }
        return found
    }

    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
