import Testing
import Timebase

@testable import Wire

@Suite("Huffman codes")
struct HuffmanBuilderTests {
    static func lengths(_ frequencies: [UInt32], limit: Int) -> [Int] {
        let builder = HuffmanBuilder()
        var lengths = [UInt8](repeating: 99, count: frequencies.count)
        lengths.withUnsafeMutableBufferPointer { target in
            frequencies.withUnsafeBufferPointer {
                if let base = target.baseAddress { builder.lengths(of: $0, limit: limit, into: base) }
            }
        }
        return lengths.map(Int.init)
    }

    /// The bits of Huffman's own tree, by adding up the two smallest weights until one is left.
    static func optimum(_ frequencies: [UInt32]) -> Int {
        var weights = frequencies.filter { $0 > 0 }.map(Int.init).sorted(by: >)
        var bits = 0
        while weights.count > 1 {
            let sum = weights.removeLast() + weights.removeLast()
            bits += sum
            let index = weights.firstIndex { $0 < sum } ?? weights.count
            weights.insert(sum, at: index)
        }
        return bits
    }

    static func expectComplete(_ lengths: [Int], limit: Int, _ comment: Comment) {
        #expect(lengths.allSatisfy { $0 <= limit }, comment)
        let sum = lengths.reduce(0) { $0 + ($1 == 0 ? 0 : 1 << (limit - $1)) }
        #expect(sum == 1 << limit, comment)
    }

    @Test("are complete, and as short as Huffman's where the limit allows")
    func randomFrequencies() {
        for seed in UInt64(1)...200 {
            var stream = RandomStream(testSeed: seed)
            let count = 2 + Int(stream.below(285))
            let spread = stream.below(18)
            let frequencies = (0..<count).map { _ -> UInt32 in
                stream.chance(0.3) ? 0 : UInt32(stream.below(1 << stream.below(spread + 1)))
            }
            for limit in [9, 14, 15] where frequencies.count <= 1 << limit {
                let lengths = Self.lengths(frequencies, limit: limit)
                Self.expectComplete(lengths, limit: limit, "seed \(seed), limit \(limit)")
                guard frequencies.count(where: { $0 > 0 }) > 1 else { continue }
                let bits = zip(frequencies, lengths).reduce(0) { $0 + Int($1.0) * $1.1 }
                let best = Self.optimum(frequencies)
                #expect(bits >= best, "seed \(seed)")
                let isUnlimited = lengths.allSatisfy { $0 < limit }
                if isUnlimited { #expect(bits == best, "seed \(seed), limit \(limit)") }
                // The repair costs little under the limits that blocks have.
                if limit >= 14 { #expect(bits * 100 <= best * 102, "seed \(seed), limit \(limit)") }
            }
        }
    }

    @Test("hold the limit for Fibonacci's frequencies", arguments: [(30, 15), (30, 14), (19, 7), (40, 15)])
    func fibonacci(count: Int, limit: Int) {
        var frequencies: [UInt32] = [1, 1]
        while frequencies.count < count { frequencies.append(frequencies.suffix(2).reduce(0, +)) }
        let lengths = Self.lengths(frequencies, limit: limit)
        Self.expectComplete(lengths, limit: limit, "\(count), \(limit)")
        #expect(lengths.max() == limit)
        // The more frequent, the shorter.
        #expect(lengths == lengths.sorted(by: >))
    }

    @Test("have two words at least, so that every decoder takes them")
    func fewSymbols() {
        #expect(Self.lengths([0, 0, 0], limit: 15) == [1, 1, 0])
        #expect(Self.lengths([0, 0, 9], limit: 15) == [1, 0, 1])
        #expect(Self.lengths([4, 0, 9], limit: 15) == [1, 0, 1])
        #expect(Self.lengths([7, 0, 0], limit: 15) == [1, 1, 0])
    }

    @Test("have the words of the standard's example, first bit lowest")
    func standardExample() {
        // RFC 1951, section 3.2.2: 010 011 100 101 110 00 1110 1111.
        let lengths: [UInt8] = [3, 3, 3, 3, 3, 2, 4, 4]
        var words = [UInt32](repeating: 0, count: 8)
        words.withUnsafeMutableBufferPointer { target in
            lengths.withUnsafeBufferPointer {
                if let base = target.baseAddress { HuffmanBuilder().codeWords(of: $0, into: base) }
            }
        }
        #expect(words.map { $0 >> 24 } == [3, 3, 3, 3, 3, 2, 4, 4])
        #expect(words.map { $0 & 0xFFFF } == [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111])
    }
}
