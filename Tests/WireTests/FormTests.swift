import Testing
import Timebase

@testable import Wire

@Suite("Percent-encoding and forms")
struct FormTests {
    static func decodeForm(_ text: String) -> (text: String, malformed: Int?) {
        var malformed: Int?
        let decoded = written { buffer in
            malformed = withBytes(text) { PercentEncoding.decodeForm($0, into: &buffer) }
        }
        return (decoded, malformed)
    }

    /// The fields of a body as decoded pairs.
    static func fields(of body: String, limit: Int = 64) throws -> [[String]] {
        try withBytes(body) { bytes in
            var form = FormDecoder(bytes, fieldLimit: limit)
            var fields: [[String]] = []
            while let field = try form.next() {
                fields.append([
                    try written { try field.appendName(to: &$0) },
                    try written { try field.appendValue(to: &$0) },
                ])
            }
            return fields
        }
    }

    @Test("leaves literal exactly what each version does")
    func literals() {
        let printable = String(decoding: UInt8(0x20)...0x7E, as: UTF8.self)
        func literals(_ encoding: PercentEncoding) -> String {
            String(
                printable.filter { character in
                    written { buffer in withBytes(String(character)) { encoding.encode($0, into: &buffer) } }
                        == String(character)
                })
        }
        let common = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(literals(.sensorsLegacy) == "-." + common)
        #expect(literals(.sensorsModern) == "-./" + common.prefix(10) + "?" + common.dropFirst(10))
    }

    @Test("writes UTF-8 bytes in upper case")
    func unicode() {
        let text = written { buffer in
            withBytes("中 \u{0}é") { PercentEncoding.sensorsModern.encode($0, into: &buffer) }
        }
        #expect(text == "%E4%B8%AD%20%00%C3%A9")
    }

    @Test("decodes what it encodes, all bytes")
    func roundTrip() {
        let seed: UInt64 = 3986
        var stream = RandomStream(testSeed: seed)
        for encoding in [PercentEncoding.sensorsLegacy, .sensorsModern] {
            for size in 0..<200 {
                let bytes = stream.bytes(size)
                let encoded = writtenBytes { buffer in
                    bytes.withUnsafeBytes { encoding.encode($0, into: &buffer) }
                }
                let decoded = writtenBytes { buffer in
                    let malformed = encoded.withUnsafeBytes { PercentEncoding.decodeForm($0, into: &buffer) }
                    #expect(malformed == nil)
                }
                #expect(decoded == bytes, "seed \(seed)")
            }
        }
    }

    @Test(
        "encodes bytes by way of base64, and hashes that, as one step after the other does, at every length")
    func base64() {
        let seed: UInt64 = 4648
        var stream = RandomStream(testSeed: seed)
        // No marks escaped, some, and all.
        for encoding in [PercentEncoding(literals: "+/="), .sensorsModern, .sensorsLegacy] {
            for size in 0..<200 {
                // Bytes of which many become plus signs and slashes.
                let bytes = stream.bytes(size).map { $0.isMultiple(of: 3) ? $0 : $0 | 0xFB }
                let text = Base64Tests.encode(bytes)
                let expected = written { buffer in withBytes(text) { encoding.encode($0, into: &buffer) } }
                var hash: Int32 = 0
                let actual = written { buffer in
                    hash = bytes.withUnsafeBytes { encoding.encodeBase64(of: $0, into: &buffer) }
                }
                #expect(actual == expected, "seed \(seed), size \(size)")
                #expect(hash == withBytes(text) { JavaHash.hash($0) }, "seed \(seed), size \(size)")
            }
        }
    }

    @Test("takes a plus for a space and escapes in either case")
    func decoding() {
        #expect(Self.decodeForm("a+b%2bc%2BD%e4%B8%ad") == ("a b+c+D中", nil))
    }

    @Test(
        "finds an escape that is not one",
        arguments: [("%", 0), ("a%", 1), ("a%2", 1), ("%2G", 0), ("ok%20%zz", 5), ("%%20", 0)])
    func malformed(text: String, offset: Int) {
        #expect(Self.decodeForm(text) == ("", offset))
        #expect(throws: FormError.malformedEscape(offset: offset)) { try Self.fields(of: "x=" + text) }
    }

    @Test("walks fields, with and without values, skipping empty parts")
    func fieldWalk() throws {
        #expect(try Self.fields(of: "") == [])
        #expect(try Self.fields(of: "&&") == [])
        #expect(
            try Self.fields(of: "a=1&&b&=c&d=&e=x=y&f%26=%3D") == [
                ["a", "1"], ["b", ""], ["", "c"], ["d", ""], ["e", "x=y"], ["f&", "="],
            ])
    }

    @Test("stops at the limit of fields")
    func fieldLimit() throws {
        #expect(try Self.fields(of: "a&b&c", limit: 3).count == 3)
        #expect(throws: FormError.tooManyFields(limit: 2)) { try Self.fields(of: "a&b&c", limit: 2) }
    }

    @Test(
        "reads integers strictly",
        arguments: [
            ("0", 0), ("-12", -12), ("284406544", 284_406_544), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil), ("", nil), ("-", nil), ("1a", nil),
            ("+1", nil), (" 1", nil), ("99999999999999999999999", nil),
        ] as [(String, Int64?)])
    func integers(text: String, expected: Int64?) {
        #expect(withBytes(text) { $0.decimalInteger } == expected)
    }
}
