import Testing

@testable import Wire

/// Vectors of SensorsAnalytics' upload format, made with zlib and Java's rules by other tools.
@Suite("Golden vectors of a Sensors body")
struct GoldenVectorTests {
    static let json =
        #"[{"event":"BuyGoods","type":"track","distinct_id":"u-1","time":1700000000000,"#
        + #""_track_id":123456789,"properties":{"price":9.5},"_flush_time":1700000000100}]"#
    static let base64 =
        "H4sIAAAAAAAAA4uuVkotS80rUbJSciqtdM/PTylW0lEqqSxIBYqUFCUmZwO5KZnFJZl5ySXxmSlA0VJdQ5CSzFygEkNz"
        + "AwTQUYoH6wArMzQyNjE1M7ew1FEqKMovSC0qyUwtVrKqBvIyk4E6LfVMa4Ea0nJKizPi0Q0zNDCojQUAQLONS5sAAAA="
    static let modernTail = base64.dropLast() + "%3D"

    @Test(
        "hashes as Java does",
        arguments: [
            ("", 0), ("a", 97), ("hello", 99_162_322), ("H4sIAAAAAAAA", -1_372_898_654), ("中文", 646_394),
            ("一", 19_968), ("A/B+C==", -1_033_933_044), (base64, 284_406_544),
        ] as [(String, Int32)])
    func javaHash(text: String, expected: Int32) {
        #expect(withBytes(text) { JavaHash.hash($0) } == expected)
    }

    @Test("counts a unit with low byte 0 as nothing in the legacy variant alone")
    func legacyHash() {
        #expect(withBytes("一") { JavaHash.hash($0, variant: .sensorsLegacy) } == 0)
        #expect(withBytes("a一b") { JavaHash.hash($0, variant: .sensorsLegacy) } == 97 * 961 + 98)
        #expect(withBytes("中文") { JavaHash.hash($0, variant: .sensorsLegacy) } == 646_394)
        #expect(
            withBytes(Self.base64) { JavaHash.hash($0, variant: .sensorsLegacy) } == 284_406_544)
    }

    @Test("decodes the body's base64 and gzip to the exact JSON")
    func decodesBody() throws {
        #expect(Self.json.utf8.count == 155)
        let compressed = try #require(withBytes(Self.base64) { Base64.decode($0) })
        #expect(compressed.count == 137)
        let json = try written { buffer in
            try compressed.withUnsafeBytes { try GzipDecoder().decompress($0, into: &buffer) }
        }
        #expect(json == Self.json)
    }

    @Test("writes zlib's header in front of its own stream")
    func gzipHeader() throws {
        let theirs = try #require(withBytes(Self.base64) { Base64.decode($0) })
        let ours = writtenBytes { buffer in
            withBytes(Self.json) { GzipEncoder().compress($0, into: &buffer) }
        }
        #expect(ours.prefix(10) == theirs.prefix(10))
        #expect(ours.suffix(8) == theirs.suffix(8))
        #expect(ours.count <= theirs.count)
    }

    @Test("percent-encodes as 4.x and as 1.x do")
    func percentEncodings() {
        let modern = written { buffer in
            withBytes(Self.base64) { PercentEncoding.sensorsModern.encode($0, into: &buffer) }
        }
        #expect(modern == Self.modernTail)
        let legacy = written { buffer in
            withBytes(Self.base64) { PercentEncoding.sensorsLegacy.encode($0, into: &buffer) }
        }
        #expect(
            legacy
                == Self.modernTail.split(separator: "/", omittingEmptySubsequences: false).joined(
                    separator: "%2F"))
    }

    @Test("decodes a whole body: form, checksum, base64, gzip, JSON", arguments: [true, false])
    func wholeBody(isModern: Bool) throws {
        let encoding = isModern ? PercentEncoding.sensorsModern : .sensorsLegacy
        let body = writtenBytes { buffer in
            buffer.append("crc=284406544&gzip=1&data_list=")
            withBytes(Self.base64) { encoding.encode($0, into: &buffer) }
        }
        var list = WireBuffer()
        var crc: Int64?
        var gzip: Int64?
        try body.withUnsafeBytes { bytes in
            var form = FormDecoder(bytes)
            while let field = try form.next() {
                if field.isNamed("crc") { crc = field.integer }
                if field.isNamed("gzip") { gzip = field.integer }
                if field.isNamed("data_list") { try field.appendValue(to: &list) }
            }
        }
        #expect(gzip == 1 && crc == Int64(JavaHash.hash(list)))
        let compressed = try #require(list.withUnsafeBytes { Base64.decode($0) })
        var json = WireBuffer()
        try compressed.withUnsafeBytes { try GzipDecoder().decompress($0, into: &json) }
        let parser = JSONParser()
        try json.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { events in
                #expect(events.count == 1)
                for event in events.elements {
                    #expect(event["event"]?.string == "BuyGoods")
                    #expect(event["time"]?.int64 == 1_700_000_000_000)
                    #expect(event["properties"]?["price"]?.double == 9.5)
                }
            }
        }
    }
}
