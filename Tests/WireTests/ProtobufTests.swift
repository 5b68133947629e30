import Testing
import Timebase

@testable import Wire

@Suite("Protocol Buffers")
struct ProtobufTests {
    /// GrowingIO's EventV3List with one event, made by Google's library.
    static let golden = bytes(hex: "0a100a03642d3130064080d095ffbc317801")

    /// What a message holds, as its wire types have it; nested messages stay bytes.
    static func fields(_ message: [UInt8], fieldLimit: Int = 100) throws(ProtobufError) -> [String] {
        var all: [String] = []
        try buffer(message).withUnsafeBytes { bytes throws(ProtobufError) in
            var reader = ProtobufReader(bytes, fieldLimit: fieldLimit)
            while let field = try reader.next() {
                let value =
                    switch field.value {
                    case .varint(let value): "\(value)"
                    case .fixed64(let value): "q\(value)"
                    case .fixed32(let value): "d\(value)"
                    case .lengthDelimited(let bytes): "\(Array(bytes))"
                    }
                all.append("\(field.number)@\(field.offset)=\(value)")
            }
        }
        return all
    }

    @Test("writes the golden message")
    func writesGolden() {
        let message = writtenBytes { list in
            list.appendProtobufField(1) { event in
                event.appendProtobufField(1, string: "d-1")
                event.appendProtobufField(6, varint: 6)
                event.appendProtobufField(8, int64: 1_700_000_000_000)
                event.appendProtobufField(15, int64: 1)
            }
        }
        #expect(message == Self.golden)
    }

    @Test("reads the golden message")
    func readsGolden() throws {
        try Self.golden.withUnsafeBytes { bytes in
            var list = ProtobufReader(bytes)
            let first = try #require(try list.next())
            #expect(first.number == 1)
            var event = try first.message()
            var seen: [UInt32] = []
            while let field = try event.next() {
                seen.append(field.number)
                switch field.number {
                case 1: #expect(try field.string() == "d-1" && field.offset == 2)
                case 6: #expect(try field.int32() == 6 && field.offset == 7)
                case 8: #expect(try field.int64() == 1_700_000_000_000)
                case 15: #expect(try field.int32() == 1)
                default: Issue.record("field \(field.number)")
                }
            }
            #expect(seen == [1, 6, 8, 15])
            #expect(try list.next() == nil)
        }
    }

    @Test("writes the examples of the format's description")
    func documentedExamples() {
        #expect(writtenBytes { $0.appendProtobufField(1, varint: 150) } == bytes(hex: "089601"))
        #expect(
            writtenBytes { $0.appendProtobufField(2, string: "testing") } == bytes(hex: "120774657374696e67"))
        let minusTwo = writtenBytes { $0.appendProtobufField(1, int64: -2) }
        #expect(minusTwo == bytes(hex: "08feffffffffffffffff01"))
        let nested = writtenBytes { $0.appendProtobufField(3) { $0.appendProtobufField(1, varint: 150) } }
        #expect(nested == bytes(hex: "1a03089601"))
        #expect(
            writtenBytes { $0.appendProtobufField(44, double: 1.5) } == bytes(hex: "e102000000000000f83f"))
        #expect(writtenBytes { $0.appendProtobufField(16, bool: true) } == bytes(hex: "800101"))
        #expect(
            writtenBytes { $0.appendProtobufField(24, map: [(key: "k", value: "v"), (key: "", value: "")]) }
                == bytes(hex: "c201060a016b120176 c201040a001200"))
    }

    @Test("reads back numbers of every length")
    func numbers() throws {
        let seed: UInt64 = 12
        var stream = RandomStream(testSeed: seed)
        var values: [UInt64] = [0, 1, .max, UInt64(Int64.max), 1 << 63]
        for bits: UInt64 in 0..<64 { values += [1 << bits, (1 << bits) - 1, stream.next() >> bits] }
        for value in values {
            let message = writtenBytes { output in
                output.appendProtobufField(1, varint: value)
                output.appendProtobufField(2, int64: Int64(bitPattern: value))
                output.appendProtobufField(536_870_911, fixed64: value)
                output.appendProtobufField(4, double: Double(bitPattern: value))
            }
            try message.withUnsafeBytes { bytes in
                var reader = ProtobufReader(bytes)
                let first = try #require(try reader.next())
                #expect(try first.uint64() == value && first.int32() == Int32(truncatingIfNeeded: value))
                #expect(try first.bool() == (value != 0))
                #expect(try reader.next()?.int64() == Int64(bitPattern: value))
                let third = try #require(try reader.next())
                guard case .fixed64(value) = third.value else {
                    Issue.record("\(third) for \(value), seed \(seed)")
                    return
                }
                #expect(third.number == 536_870_911)
                #expect(try reader.next()?.double().bitPattern == value)
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test("puts the length before messages of every size, nested too")
    func nestedLengths() throws {
        for size in [0, 1, 124, 125, 126, 127, 128, 129, 16_380, 16_383, 16_384, 16_385, 2_097_152] {
            let content = [UInt8](repeating: 5, count: size)
            let message = writtenBytes { output in
                output.append("x")
                output.appendProtobufField(1) { outer in
                    outer.appendProtobufField(2) { inner in
                        content.withUnsafeBytes { inner.appendProtobufField(3, bytes: $0) }
                    }
                    outer.appendProtobufField(4, varint: 7)
                }
            }
            try message.withUnsafeBytes { bytes in
                var reader = ProtobufReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
                var outer = try #require(try reader.next()).message()
                var inner = try #require(try outer.next()).message()
                let field = try #require(try inner.next())
                #expect(try field.number == 3 && field.bytes().elementsEqual(content))
                #expect(try inner.next() == nil)
                #expect(try outer.next()?.uint64() == 7)
                #expect(try outer.next() == nil && reader.next() == nil)
                // Offsets count from the beginning of all.
                #expect(bytes[1 + field.offset] == 3 << 3 | 2)
            }
        }
    }

    @Test("appends nothing of a message whose writer throws, and copies what is shared")
    func writersThatThrow() {
        var output = WireBuffer("before")
        #expect(throws: ZipError.notAnArchive) {
            try output.appendProtobufField(1) { message throws(ZipError) in
                message.append("half")
                throw .notAnArchive
            }
        }
        #expect(output.text == "before")
        var copies: [WireBuffer] = []
        let message = writtenBytes { output in
            output.appendProtobufField(1) { message in
                message.append("abc")
                copies.append(message)
            }
        }
        #expect(message == bytes(hex: "0a03616263"))
        #expect(copies.map(\.bytes) == [bytes(hex: "0a00616263")])
    }

    @Test("reads maps, in which both halves may be absent, in any order or twice")
    func maps() throws {
        let cases: [(String, String, String)] = [
            ("0a060a016b120176", "k", "v"), ("0a0612017 60a016b", "k", "v"), ("0a00", "", ""),
            ("0a0412001800", "", ""), ("0a090a016b0a016c120176", "l", "v"),
        ]
        for (message, key, value) in cases {
            try bytes(hex: message).withUnsafeBytes { bytes in
                var reader = ProtobufReader(bytes)
                let entry = try #require(try reader.next()).mapEntry()
                #expect(entry == (key, value))
            }
        }
    }

    @Test(
        "names what is wrong with a message, and where",
        arguments: [
            ("0801 08", .truncated(offset: 2)), ("0801 0880", .truncated(offset: 2)),
            ("0801 0a02ff", .truncated(offset: 2)), ("0801 0d010203", .truncated(offset: 2)),
            ("0801 0901020304050607", .truncated(offset: 2)),
            ("0affffffffffffffffff01", .truncated(offset: 0)),
            ("08ffffffffffffffffff02", .malformedVarint(offset: 0)),
            ("08ffffffffffffffffffff01", .malformedVarint(offset: 0)),
            ("0801 0001", .invalidFieldNumber(0, offset: 2)),
            ("8080808010", .invalidFieldNumber(1 << 29, offset: 0)),
            ("0801 0b0c", .unsupportedWireType(3, field: 1, offset: 2)),
            ("0801 17", .unsupportedWireType(7, field: 2, offset: 2)),
            ("0801 0801 0801 0801", .tooManyFields(limit: 3)),
        ] as [(String, ProtobufError)])
    func errors(message: String, error: ProtobufError) {
        #expect(throws: error) { try Self.fields(bytes(hex: message), fieldLimit: 3) }
    }

    @Test("names a field of another type than the schema's, at its offset in the whole")
    func wrongTypes() throws {
        try bytes(hex: "0801 1204 0a02c328").withUnsafeBytes { bytes in
            var reader = ProtobufReader(bytes)
            let number = try #require(try reader.next())
            let expected = ProtobufError.wrongWireType(
                .varint, expected: .lengthDelimited, field: 1, offset: 0)
            #expect(throws: expected) { try number.string() }
            #expect(throws: expected) { try number.message() }
            #expect(throws: ProtobufError.wrongWireType(.varint, expected: .fixed64, field: 1, offset: 0)) {
                try number.double()
            }
            var nested = try #require(try reader.next()).message()
            let text = try #require(try nested.next())
            #expect(throws: ProtobufError.invalidUTF8(field: 1, offset: 4)) { try text.string() }
            #expect(
                throws: ProtobufError.wrongWireType(.lengthDelimited, expected: .varint, field: 1, offset: 4)
            ) {
                try text.int64()
            }
        }
    }

    @Test("skips fields that it does not know")
    func unknownFields() throws {
        let fields = try Self.fields(bytes(hex: "0805 a20603616263 ad0601000000 b1060200000000000000 1003"))
        #expect(fields == ["1@0=5", "100@2=[97, 98, 99]", "101@8=d1", "102@14=q2", "2@24=3"])
    }

    @Test("gives an error or fields for every damage and for random bytes")
    func damage() {
        let seed: UInt64 = 21
        var stream = RandomStream(testSeed: seed)
        let message = writtenBytes { list in
            for index: UInt64 in 0..<3 {
                list.appendProtobufField(1) { event in
                    event.appendProtobufField(1, string: "设备-\(index)")
                    event.appendProtobufField(8, varint: 1_700_000_000_000 + index)
                    event.appendProtobufField(44, double: 31.2)
                    event.appendProtobufField(24, map: [(key: "a", value: "b"), (key: "c", value: "")])
                }
            }
        }
        for bytes in damages(of: message) + (0..<5000).map({ _ in stream.bytes(Int(stream.below(40))) }) {
            var budget = 10_000
            bytes.withUnsafeBytes { visit(ProtobufReader($0), depth: 0, budget: &budget) }
            #expect(budget > 0, "seed \(seed)")
        }
    }

    /// Reads everything as everything, to the first error.
    private func visit(_ reader: ProtobufReader, depth: Int, budget: inout Int) {
        var reader = reader
        while budget > 0, let field = try? reader.next() {
            budget -= 1
            _ = try? field.string()
            _ = try? field.mapEntry()
            _ = try? field.double()
            _ = try? field.int32()
            if depth < 4, let message = try? field.message() {
                visit(message, depth: depth + 1, budget: &budget)
            }
        }
    }
}
