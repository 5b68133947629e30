import NIOCore
import Testing
import Timebase

@testable import LiveEngine

@Suite("HPACK")
struct HPACKTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).map { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
        }
    }

    private static func decode(_ hex: String, with decoder: inout HPACKDecoder) throws -> [String] {
        var fields: [String] = []
        try bytes(hex).withUnsafeBytes { block in
            try decoder.decode(block) { name, value in
                fields.append(
                    "\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
            }
        }
        return fields
    }

    @Test("reads the answers of RFC 7541, C.6, whose second one is mostly what the table holds")
    func answers() throws {
        var decoder = HPACKDecoder()
        let first =
            "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3"
        var expected = [
            ":status=302", "cache-control=private", "date=Mon, 21 Oct 2013 20:13:21 GMT",
            "location=https://www.example.com",
        ]
        #expect(try Self.decode(first, with: &decoder) == expected)
        expected[0] = ":status=307"
        #expect(try Self.decode("4883640effc1c0bf", with: &decoder) == expected)
    }

    @Test("reads every printable character in Huffman's code, as another encoder packs it")
    func huffman() throws {
        var decoder = HPACKDecoder()
        let packed =
            "4084f2b0e8a3dd53f8fe7febff2afc7fafebfbf9ff7f4b2ec002265a6dc75e7ee7dfffc83feffcffd4376f5fc187163c997367d1a756bd9b776fe1c797e73fdffdffff0ffe7ff917ffd1c6490b2cd39ba75a29a8f5f6b109b7bf8f3ebdfffeff9ffefff7"
        let all = String(decoding: (32...126).map { UInt8($0) }, as: UTF8.self)
        #expect(try Self.decode(packed, with: &decoder) == ["x-all=\(all)"])
    }

    @Test("packs any bytes so that they are read as they were")
    func packing() {
        var stream = RandomStream(key: 11)
        for _ in 0..<200 {
            let text = (0..<Int(stream.below(60))).map { _ in UInt8(stream.below(256)) }
            var packed = ByteBuffer()
            text.withUnsafeBytes { HPACKHuffman.encode($0, into: &packed) }
            #expect(packed.readableBytes == text.withUnsafeBytes { HPACKHuffman.encodedCount($0) })
            var read: [UInt8] = []
            #expect(packed.withUnsafeReadableBytes { HPACKHuffman.decode($0, into: &read) })
            #expect(read == text)
        }
    }

    @Test(
        "refuses what is no block",
        arguments: [
            "80", "be", "ff80808080", "3fe21f", "8820", "48", "4883", "488464", "40", "4001", "400178",
            "00850000000000",
            "008400000000", "0082ffff00", "0083ffffff00",
        ])
    func refusals(hex: String) {
        var decoder = HPACKDecoder()
        #expect(throws: HPACKDecoder.Failure.self) { try Self.decode(hex, with: &decoder) }
    }

    @Test("takes a smaller table, and forgets what it has no room for")
    func smallerTable() throws {
        var decoder = HPACKDecoder()
        #expect(try Self.decode("4001780179", with: &decoder) == ["x=y"])
        #expect(try Self.decode("be", with: &decoder) == ["x=y"])
        #expect(try Self.decode("20", with: &decoder) == [])
        #expect(throws: HPACKDecoder.Failure.self) { try Self.decode("be", with: &decoder) }
    }

    @Test("limits what a few bytes may grow to")
    func repetition() throws {
        var decoder = HPACKDecoder()
        let value = String(repeating: "61", count: 126)
        _ = try Self.decode("400178" + "7e" + value, with: &decoder)
        let many = String(repeating: "be", count: 1000)
        #expect(throws: HPACKDecoder.Failure.self) { try Self.decode(many, with: &decoder) }
    }

    private static func encode(
        _ fields: [(String, String)], with encoder: inout HPACKEncoder
    ) -> [UInt8] {
        var output = ByteBuffer()
        encoder.begin(into: &output)
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { encoder.write(name, $0, into: &output) }
            }
        }
        return Array(output.readableBytesView)
    }

    @Test("writes a field as RFC 7541, C.4 does, and the second time as one byte")
    func encoding() {
        var encoder = HPACKEncoder()
        let fields = [(":Authority", "www.example.com")]
        #expect(Self.encode(fields, with: &encoder) == Self.bytes("418cf1e3c2e5f23a6ba0ab90f4ff"))
        #expect(Self.encode(fields, with: &encoder) == [0xBE])
    }

    @Test("writes what its counterpart reads, whatever drives what out of the table")
    func roundTrip() throws {
        var stream = RandomStream(key: 5)
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        for round in 0..<300 {
            if round % 50 == 49 {
                encoder.setLimit(Int(stream.below(5000)))
                if stream.chance(0.5) { encoder.setLimit(Int(stream.below(300))) }
            }
            let fields = (0..<Int(stream.below(8))).map { _ in
                (
                    "name-\(stream.below(20))",
                    String(repeating: "v", count: Int(stream.below(400))) + "\(stream.below(3))"
                )
            }
            var read: [String] = []
            try Self.encode(fields, with: &encoder).withUnsafeBytes { block in
                try decoder.decode(block) { name, value in
                    read.append(
                        "\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
                }
            }
            #expect(read == fields.map { "\($0.0)=\($0.1)" }, "round \(round)")
        }
    }
}
