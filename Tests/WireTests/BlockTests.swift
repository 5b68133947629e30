import Testing
import Timebase

@testable import Wire

/// A compression of whole blocks.
enum BlockCodec: CaseIterable {
    case lz4
    case snappy

    func encode(_ content: [UInt8]) -> [UInt8] {
        writtenBytes { output in
            content.withUnsafeBytes { content in
                switch self {
                case .lz4: LZ4Block.encode(content, into: &output)
                case .snappy: SnappyBlock.encode(content, into: &output)
                }
            }
        }
    }

    /// The content, or the error; whichever it is, what was in the output stays there.
    func decode(_ block: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], BlockError> {
        var output = WireBuffer("before")
        do throws(BlockError) {
            let block = buffer(block)
            switch self {
            case .lz4: try LZ4Block.decode(block, limit: limit, into: &output)
            case .snappy: try SnappyBlock.decode(block, limit: limit, into: &output)
            }
        } catch {
            #expect(output.text == "before")
            return .failure(error)
        }
        #expect(output.bytes.prefix(6).elementsEqual("before".utf8))
        return .success(Array(output.bytes.dropFirst(6)))
    }
}

@Suite("LZ4 and Snappy blocks, and XOR")
struct BlockTests {
    /// A body of GrowingIO's, with its blocks as liblz4 and libsnappy of other versions made them.
    static let json =
        #"[{"eventType":"VISIT","deviceId":"d-1","timestamp":1700000000000,"globalSequenceId":1,"#
        + #""eventSequenceId":1}]"#
    static let key = UInt8(truncatingIfNeeded: 1_700_000_000_123)
    static let vectors: [(BlockCodec, isEncrypted: Bool, block: String)] = [
        (
            .lz4, false,
            "f6275b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c227469"
                + "6d657374616d70223a3137300100e22c22676c6f62616c53657175656e330022312c540006140050223a317d"
                + "5d"
        ),
        (
            .lz4, true,
            "8d5c2000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12"
                + "161e080f1a160b59414a4c4b7a7b9957591c1714191a17281e0a0e1e15487b594a572f7b7d6f7b2b59414a06"
                + "26"
        ),
        (
            .snappy, false,
            "6bd85b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c227469"
                + "6d657374616d70223a313730301502342c22676c6f62616c53657175656e093304312c09543853657175656e"
                + "63654964223a317d5d"
        ),
        (
            .snappy, true,
            "10a32000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12"
                + "161e080f1a160b59414a4c4b4b6e794f57591c1714191a17281e0a0e1e1572487f4a57722f43281e0a0e1e15"
                + "181e321f59414a0626"
        ),
    ]

    @Test("decodes GrowingIO's golden blocks to the exact JSON", arguments: vectors)
    func goldenVectors(codec: BlockCodec, isEncrypted: Bool, block: String) {
        var block = buffer(bytes(hex: block))
        if isEncrypted { block.applyXOR(Self.key) }
        #expect(codec.decode(block.bytes) == .success(Array(Self.json.utf8)))
    }

    @Test("decodes what it encodes, whatever it is", arguments: BlockCodec.allCases)
    func roundTrip(codec: BlockCodec) {
        for seed: UInt64 in 1...5 {
            var stream = RandomStream(testSeed: seed)
            for content in stream.contents() {
                let decoded = codec.decode(codec.encode(content))
                #expect(decoded == .success(content), "seed \(seed), \(content.count) bytes")
            }
        }
    }

    @Test("makes a batch of events much smaller", arguments: BlockCodec.allCases)
    func compresses(codec: BlockCodec) {
        let batch = Array(repeatElement(Array(Self.json.utf8), count: 50).joined())
        #expect(codec.encode(batch).count < batch.count / 10)
    }

    @Test("holds the limit to the byte", arguments: BlockCodec.allCases)
    func limit(codec: BlockCodec) {
        for content in [[UInt8](repeating: 7, count: 100_000), Array(Self.json.utf8)] {
            let block = codec.encode(content)
            #expect(codec.decode(block, limit: content.count) == .success(content))
            let less = content.count - 1
            #expect(codec.decode(block, limit: less) == .failure(.tooLarge(limit: less)))
        }
        #expect(codec.decode(codec.encode([]), limit: 0) == .success([]))
        #expect(codec.decode(codec.encode([1]), limit: 0) == .failure(.tooLarge(limit: 0)))
    }

    @Test("takes no memory for what a block only claims to hold")
    func bombs() {
        // One literal, then a match of 25 MB in 100 kB.
        let lz4 = [0x1F, 0, 1, 0] + [UInt8](repeating: 255, count: 100_000) + [0, 0]
        #expect(BlockCodec.lz4.decode(lz4) == .failure(.tooLarge(limit: 1 << 20)))
        var output = WireBuffer()
        // A length of 4 GiB less one, and nothing behind it.
        let snappy = buffer([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0])
        #expect(throws: BlockError.corrupt(offset: 0)) {
            try SnappyBlock.decode(snappy, limit: .max, into: &output)
        }
        #expect(output.capacity < 1000)
    }

    @Test("names what is wrong with an LZ4 block, and where")
    func lz4Errors() {
        let codec = BlockCodec.lz4
        #expect(codec.decode([]) == .failure(.truncated(offset: 0)))
        #expect(codec.decode([0x50, 1, 2]) == .failure(.truncated(offset: 0)))
        #expect(codec.decode([0x10, 1, 2]) == .failure(.truncated(offset: 0)))
        #expect(codec.decode([0xF0, 255, 255]) == .failure(.truncated(offset: 1)))
        // Distances of 0, and to before the beginning.
        #expect(codec.decode([0x10, 1, 0, 0, 0x50, 1, 2, 3, 4, 5]) == .failure(.corrupt(offset: 2)))
        #expect(codec.decode([0x10, 1, 2, 0, 0x50, 1, 2, 3, 4, 5]) == .failure(.corrupt(offset: 2)))
        // A match without the literals that must follow it.
        #expect(codec.decode([0x10, 1, 1, 0]) == .failure(.truncated(offset: 4)))
        #expect(codec.decode([0x10, 1, 1, 0, 0]) == .failure(.corrupt(offset: 0)))
        #expect(codec.decode([0x01]) == .failure(.corrupt(offset: 0)))
        #expect(BlockCodec.snappy.decode([]) == .failure(.truncated(offset: 0)))
    }

    @Test("gives an error or a value for every damage, never more", arguments: BlockCodec.allCases)
    func damage(codec: BlockCodec) {
        let content = Array((Self.json + Self.json).utf8)
        let block = codec.encode(content)
        for damaged in damages(of: block) {
            guard case .success(let decoded) = codec.decode(damaged, limit: 4096) else { continue }
            #expect(decoded.count <= 4096)
            guard damaged.count < block.count else { continue }
            // LZ4 has neither length nor checksum: a cut between two sequences goes unnoticed.
            #expect(codec == .lz4 && decoded.count < content.count && content.starts(with: decoded))
        }
    }

    @Test("survives random bytes", arguments: BlockCodec.allCases)
    func randomBytes(codec: BlockCodec) {
        let seed: UInt64 = 3
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<20_000 {
            let block = stream.bytes(Int(stream.below(60)))
            guard case .success(let decoded) = codec.decode(block, limit: 1000) else { continue }
            #expect(decoded.count <= 1000, "seed \(seed)")
        }
    }

    @Test("xors every byte, of any number from any place, and itself undone", arguments: [0, 1, 0x7B, 255])
    func xor(key: UInt8) {
        let seed: UInt64 = 9
        var stream = RandomStream(testSeed: seed)
        for size in 0..<40 {
            let content = stream.bytes(size)
            for start in 0...min(size, 9) {
                let expected = content[..<start] + content[start...].map { $0 ^ key }
                var changed = buffer(content)
                let shared = changed
                changed.applyXOR(key, from: start)
                #expect(changed.bytes == Array(expected), "seed \(seed)")
                #expect(shared.bytes == content)
                changed.applyXOR(key, from: start)
                #expect(changed == shared)
            }
            let appended = writtenBytes { output in
                output.append("before")
                content.withUnsafeBytes { output.append(contentsOf: $0, xor: key) }
            }
            #expect(appended == Array("before".utf8) + content.map { $0 ^ key })
        }
    }
}
