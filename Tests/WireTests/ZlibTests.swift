import Testing
import Timebase

@testable import Wire

@Suite("What HTTP calls deflate")
struct ZlibTests {
    /// The content of a stream, or the error's name.
    private static func decode(_ bytes: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], GzipError> {
        var output = WireBuffer("before")
        var failure: GzipError?
        bytes.withUnsafeBytes { input in
            do throws(GzipError) {
                try ZlibDecoder(limit: limit).decompress(input, into: &output)
            } catch {
                failure = error
            }
        }
        guard let failure else { return .success(Array(output.bytes.dropFirst(6))) }
        #expect(output.text == "before")
        return .failure(failure)
    }

    private static func encode(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var input = WireBuffer()
        input.append(contentsOf: bytes)
        return writtenBytes { ZlibEncoder(level: level).compress(input, into: &$0) }
    }

    /// Without header and checksum.
    private static func bare(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst(2).dropLast(4)) }

    @Test("is decoded in zlib's wrapping and without it", arguments: [1, 6, 12])
    func roundTrip(level: Int) {
        var stream = RandomStream(testSeed: UInt64(level))
        for size in [1, 17, 1000, 70_000] {
            let random = stream.bytes(size)
            for content in [random, random.map { $0 & 3 }, [UInt8](repeating: 9, count: size)] {
                let packed = Self.encode(content, level: level)
                #expect(Self.decode(packed) == .success(content))
                #expect(Self.decode(Self.bare(packed)) == .success(content))
            }
        }
    }

    @Test("is held to the limit, to the byte")
    func limit() {
        let content = [UInt8](repeating: 0, count: 100_000)
        for packed in [Self.encode(content), Self.bare(Self.encode(content))] {
            #expect(Self.decode(packed, limit: 100_000) == .success(content))
            #expect(Self.decode(packed, limit: 99_999) == .failure(.tooLarge(limit: 99_999)))
        }
    }

    @Test("is refused where it is cut, damaged or followed by something")
    func damaged() {
        let packed = Self.encode(Array(GoldenVectorTests.json.utf8))
        #expect(Self.decode([]) == .failure(.truncated))
        for length in 1..<packed.count {
            #expect(Self.decode(Array(packed[..<length])) == .failure(.corrupt))
        }
        #expect(Self.decode(packed + [0]) == .failure(.corrupt))
        #expect(Self.decode(Self.bare(packed) + [0]) == .failure(.corrupt))
        var other = packed
        other[other.count - 1] ^= 1
        #expect(Self.decode(other) == .failure(.corrupt))
        #expect(Self.decode(Array("no stream at all".utf8)) == .failure(.corrupt))
    }
}
