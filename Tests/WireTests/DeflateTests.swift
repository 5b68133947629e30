import Testing
import Timebase

@testable import Wire

@Suite("Deflate")
struct DeflateTests {
    /// One gzip member around the encoder's stream.
    static func encode(_ bytes: [UInt8], _ deflate: DeflateEncoder) -> [UInt8] {
        writtenBytes { buffer in
            bytes.withUnsafeBytes { GzipEncoder(level: 6, deflate: deflate).compress($0, into: &buffer) }
        }
    }

    static func encode(_ bytes: [UInt8], _ effort: DeflateEffort) -> [UInt8] {
        encode(bytes, DeflateEncoder(effort))
    }

    static func decode(_ bytes: [UInt8]) -> Result<[UInt8], GzipError> {
        GzipTests.decode(bytes, limit: 1 << 22)
    }

    @Test("libdeflate decodes it to the input, whatever the input is", arguments: DeflateInput.allCases)
    func roundTrip(kind: DeflateInput) {
        for seed in UInt64(1)...12 {
            var stream = RandomStream(testSeed: seed)
            let count = Int(stream.below(seed.isMultiple(of: 4) ? 150_000 : 12_000))
            let content = kind.bytes(count, &stream)
            for effort in DeflateEffort.allCases {
                let packed = Self.encode(content, effort)
                #expect(Self.decode(packed) == .success(content), "\(kind), \(effort), seed \(seed)")
                #expect(packed.count <= DeflateEncoder(effort).bound(of: content.count) + 18)
            }
        }
    }

    @Test("every short length", arguments: DeflateEffort.allCases)
    func shortInputs(effort: DeflateEffort) {
        let text = Array(GoldenVectorTests.json.utf8)
        for count in 0...text.count {
            let repeated = [UInt8](repeating: 65, count: count)
            for content in [Array(text.prefix(count)), repeated, Array(text.prefix(count)) + repeated] {
                #expect(Self.decode(Self.encode(content, effort)) == .success(content), "\(content.count)")
            }
        }
    }

    @Test(
        "matches at the limits of distance and length, at the end and before it",
        arguments: [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 257, 258, 259, 32_766, 32_767, 32_768, 32_769])
    func limits(distance: Int) {
        var stream = RandomStream(testSeed: UInt64(distance))
        let head = stream.bytes(distance)
        for length in [3, 4, 5, 8, 9, 16, 256, 257, 258, 259, 260, 516, 517, 600] {
            var content = head
            for _ in 0..<length { content.append(content[content.count - distance]) }
            for tail in [0, 1, 7, 8, 9, 24, 40] {
                let input = content + stream.bytes(tail)
                for effort in DeflateEffort.allCases {
                    #expect(Self.decode(Self.encode(input, effort)) == .success(input), "\(length), \(tail)")
                }
            }
        }
    }

    @Test("writes nothing as zlib does, and what cannot be packed as it is")
    func framesOfExtremes() {
        for effort in DeflateEffort.allCases {
            #expect(Array(Self.encode([], effort).dropFirst(10)) == [3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
            var stream = RandomStream(testSeed: 5)
            // Random bytes: two blocks of the longest stored kind, each with five bytes in front.
            let noise = stream.bytes(131_070)
            #expect(Self.encode(noise, effort).count == noise.count + 10 + 18)
            let same = [UInt8](repeating: 7, count: 1 << 20)
            #expect(Self.encode(same, effort).count < 1200)
        }
    }

    @Test("what was encoded before leaves no trace", arguments: DeflateEffort.allCases)
    func independence(effort: DeflateEffort) {
        var stream = RandomStream(testSeed: 3)
        // The second encoder's table of positions runs over within the inputs.
        let encoders = [
            DeflateEncoder(effort), DeflateEncoder(effort, base: 0xFFFF_0000, partLimit: 1 << 30),
        ]
        for _ in 0..<8 {
            let content = DeflateInput.records.bytes(30_000, &stream)
            let fresh = Self.encode(content, effort)
            for encoder in encoders { #expect(Self.encode(content, encoder) == fresh) }
        }
    }

    @Test("cuts what is longer than its tables reach", arguments: [1, 7, 1000, 40_000])
    func parts(limit: Int) {
        var stream = RandomStream(testSeed: UInt64(limit))
        let content = DeflateInput.records.bytes(min(50_000, limit * 500), &stream)
        for effort in DeflateEffort.allCases {
            let encoder = DeflateEncoder(effort, base: 1, partLimit: limit)
            let packed = Self.encode(content, encoder)
            #expect(Self.decode(packed) == .success(content))
            #expect(packed.count <= encoder.bound(of: content.count) + 18)
        }
    }

    @Test("finds what repeats: records shrink as under libdeflate's level 6")
    func ratio() {
        var stream = RandomStream(testSeed: 8)
        let content = DeflateInput.records.bytes(60_000, &stream)
        let peer = GzipTests.encode(content).count
        #expect(Self.encode(content, .small).count * 100 < peer * 103)
        #expect(Self.encode(content, .fast).count * 100 < peer * 125)
    }

    @Test("the fuzzer's entry takes anything, and short bodies stay with libdeflate")
    func entries() {
        var stream = RandomStream(testSeed: 21)
        for kind in DeflateInput.allCases {
            for first in [UInt8(0), 128, 140, 255] {
                let content = [first] + kind.bytes(3000, &stream)
                #expect(content.withUnsafeBytes { DeflateEncoder.roundTrips($0) }, "\(kind) \(first)")
            }
        }
        #expect(DeflateEncoder.roundTrips(UnsafeRawBufferPointer(start: nil, count: 0)))
        let short = DeflateInput.records.bytes(GzipEncoder.batchFrom - 1, &stream)
        let packed = writtenBytes { buffer in
            short.withUnsafeBytes { GzipEncoder(batches: .fast).compress($0, into: &buffer) }
        }
        #expect(packed == GzipTests.encode(short))
    }
}

/// Kinds of input that an encoder meets, or that break one.
enum DeflateInput: CaseIterable {
    case noise, fewSymbols, same, periodic, text, records, copies, fibonacci, mixed

    /// `count` bytes of the kind.
    func bytes(_ count: Int, _ stream: inout RandomStream) -> [UInt8] {
        switch self {
        case .noise: return stream.bytes(count)
        case .fewSymbols:
            let symbols = stream.below(6) + 1
            return (0..<count).map { _ in UInt8(stream.below(symbols)) }
        case .same: return [UInt8](repeating: UInt8(stream.below(256)), count: count)
        case .periodic:
            let period = stream.bytes(1 + Int(stream.below(40_000)))
            return (0..<count).map { period[$0 % period.count] }
        case .text: return Array(Array(stream.text(upTo: UInt64(count)).utf8).prefix(count))
        case .records: return Self.records(count, &stream)
        case .copies: return Self.copies(count, &stream)
        case .fibonacci: return Self.fibonacci(count, &stream)
        case .mixed:
            let parts = [Self.records, .noise, .same, .text, .copies].map {
                $0.bytes(count / 5, &stream)
            }
            return Array(parts.joined())
        }
    }

    /// JSON records of a few forms with changing values.
    private static func records(_ count: Int, _ stream: inout RandomStream) -> [UInt8] {
        let forms = (0..<4).map { form in
            (0..<20).map { "\"$property_\(form * form + $0)\":\"value \($0 * 7)\"," }.joined()
        }
        var result: [UInt8] = []
        var time: UInt64 = 1_700_000_000_000
        while result.count < count {
            time += stream.below(5000)
            let form = forms[Int(stream.below(4))]
            result += Array("{\"time\":\(time),\"id\":\(stream.next() >> 32),\(form)\"end\":0},".utf8)
        }
        return Array(result.prefix(count))
    }

    /// Copies of earlier bytes with lengths and distances around the format's limits.
    private static func copies(_ count: Int, _ stream: inout RandomStream) -> [UInt8] {
        var result = stream.bytes(10)
        while result.count < count {
            result += stream.bytes(Int(stream.below(4)))
            let far = [4, 300, 32_770, 70_000][Int(stream.below(4))]
            let distance = 1 + Int(stream.below(UInt64(min(far, result.count))))
            let length = [3, 5, 9, 260, 700][Int(stream.below(5))] + Int(stream.below(4))
            for _ in 0..<length { result.append(result[result.count - distance]) }
        }
        return Array(result.prefix(count))
    }

    /// Bytes whose frequencies grow like Fibonacci's numbers, which asks for the longest code words.
    private static func fibonacci(_ count: Int, _ stream: inout RandomStream) -> [UInt8] {
        var result: [UInt8] = []
        var (last, next) = (1, 1)
        var symbol: UInt8 = 0
        while result.count < count {
            result += [UInt8](repeating: symbol, count: min(last, count - result.count))
            (last, next) = (next, last + next)
            symbol &+= 1
        }
        // In random order, so that there are few matches.
        for index in result.indices.dropFirst() {
            result.swapAt(index, Int(stream.below(UInt64(index + 1))))
        }
        return result
    }
}
