import Testing
import Timebase

@testable import Wire

@Suite("Gzip")
struct GzipTests {
    /// The content of gzip bytes, or the error's name.
    static func decode(_ bytes: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], GzipError> {
        var output = WireBuffer("before")
        do throws(GzipError) {
            var input = WireBuffer()
            input.append(contentsOf: bytes)
            try GzipDecoder(limit: limit).decompress(input, into: &output)
            return .success(Array(output.bytes.dropFirst(6)))
        } catch {
            #expect(output.text == "before")
            return .failure(error)
        }
    }

    static func encode(_ bytes: [UInt8], level: Int = 6, operatingSystem: UInt8 = GzipEncoder.unix) -> [UInt8]
    {
        writtenBytes { buffer in
            bytes.withUnsafeBytes {
                GzipEncoder(level: level, operatingSystem: operatingSystem).compress($0, into: &buffer)
            }
        }
    }

    @Test("decodes what it encodes, at every level", arguments: 1...12)
    func roundTrip(level: Int) {
        let seed = UInt64(level)
        var stream = RandomStream(testSeed: seed)
        for size in [0, 1, 17, 1000, 70_000] {
            let random = stream.bytes(size)
            let repetitive = random.map { $0 & 3 }
            for content in [random, repetitive] {
                let decoded = Self.decode(Self.encode(content, level: level))
                #expect(decoded == .success(content), "seed \(seed)")
            }
        }
    }

    @Test("one encoder and one decoder serve many bodies")
    func reuse() throws {
        let encoder = GzipEncoder()
        let decoder = GzipDecoder()
        for size in [500, 3, 0, 9000] {
            let content = [UInt8](repeating: 7, count: size)
            var compressed = WireBuffer()
            content.withUnsafeBytes { encoder.compress($0, into: &compressed) }
            var output = WireBuffer()
            try compressed.withUnsafeBytes { try decoder.decompress($0, into: &output) }
            #expect(output.bytes == content)
        }
    }

    @Test("names the operating system and the level's class as zlib does")
    func header() {
        let content = Array("content".utf8)
        #expect(Self.encode(content)[..<10] == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        #expect(Self.encode(content, level: 1)[8] == 4)
        #expect(Self.encode(content, level: 9)[8] == 2)
        #expect(Self.encode(content, operatingSystem: GzipEncoder.darwin)[9] == 19)
    }

    @Test("joins several members")
    func members() {
        let bytes = Self.encode([1, 2]) + Self.encode([]) + Self.encode([3])
        #expect(Self.decode(bytes) == .success([1, 2, 3]))
        #expect(Self.decode(bytes + [0]) == .failure(.corrupt))
        #expect(Self.decode(bytes + bytes.prefix(15)) == .failure(.truncated))
    }

    @Test("reads optional header fields, and names a header that is cut")
    func optionalFields() {
        let plain = Self.encode([5, 6, 7])
        let extra: [UInt8] = [2, 0, 0xAA, 0xBB]
        var bytes = Array(plain[..<10]) + extra + Array("name\0comment\0".utf8) + plain[10...]
        bytes[3] = 0x04 | 0x08 | 0x10
        #expect(Self.decode(bytes) == .success([5, 6, 7]))
        var endless = Array(plain[..<10]) + [UInt8](repeating: 65, count: 40)
        endless[3] = 0x08
        #expect(Self.decode(endless) == .failure(.truncated))
    }

    @Test("holds the limit, to the byte, and over all members")
    func limit() {
        let content = [UInt8](repeating: 0, count: 100_000)
        let bytes = Self.encode(content)
        #expect(Self.decode(bytes, limit: 100_000) == .success(content))
        #expect(Self.decode(bytes, limit: 99_999) == .failure(.tooLarge(limit: 99_999)))
        #expect(Self.decode(bytes + bytes, limit: 199_999) == .failure(.tooLarge(limit: 199_999)))
        #expect(Self.decode(bytes, limit: 0) == .failure(.tooLarge(limit: 0)))
        #expect(Self.decode(Self.encode([]), limit: 0) == .success([]))
    }

    @Test("is not fooled by a false length in the trailer")
    func falseLength() {
        var bytes = Self.encode([UInt8](repeating: 1, count: 50_000))
        for lie: [UInt8] in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
            bytes.replaceSubrange((bytes.count - 4)..., with: lie)
            #expect(Self.decode(bytes) == .failure(.corrupt))
        }
    }

    @Test("decodes what expands a thousandfold")
    func strongCompression() {
        let content = [UInt8](repeating: 9, count: 1 << 20)
        #expect(Self.decode(Self.encode(content)) == .success(content))
    }

    @Test("names an error for a cut after every byte")
    func truncations() {
        let bytes = Self.encode(Array(GoldenVectorTests.json.utf8))
        for length in 0..<bytes.count {
            let result = Self.decode(Array(bytes[..<length]))
            #expect(result == .failure(length < 20 ? .truncated : .corrupt))
        }
    }

    @Test("survives every flipped bit, and never takes other content for good")
    func bitFlips() {
        let content = Array(GoldenVectorTests.json.utf8)
        let bytes = Self.encode(content)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            // Free are most of the header and the bits that fill up the stream's last byte.
            switch Self.decode(damaged) {
            case .success(let decoded): #expect(decoded == content)
            case .failure(let error): #expect(error == .corrupt || error == .truncated)
            }
        }
    }

    @Test("survives random bytes behind a good header")
    func randomStreams() {
        let seed: UInt64 = 77
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<2000 {
            let size = Int(stream.below(200))
            let bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + stream.bytes(size)
            if case .success = Self.decode(bytes, limit: 1 << 16) {
                Issue.record("random bytes passed a checksum of 64 bits; seed \(seed)")
            }
        }
    }
}
