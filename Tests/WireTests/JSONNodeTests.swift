import Testing

@testable import Wire

@Suite("JSON of programs, both ways")
struct JSONNodeTests {
    private func read(_ text: String) throws -> JSONNode { try JSONReader.readStrictly(Array(text.utf8)) }

    private func compact(_ value: JSONNode) -> String { value.text(.compact) }

    @Test(
        "writes back what it read",
        arguments: [
            "null", "true", "[]", "{}", "0", "-1", "18446744073709551615", "-9223372036854775808", "0.1",
            "1e-07",
            "1.7976931348623157e+308", "5e-324", "\"\"", "\"a\\\"b\\\\c\\n\\u0001\"", "[1,[2,{\"a\":null}]]",
            "{\"z\":1,\"a\":2}", "\"grüße 漢字 🐝\"",
        ])
    func roundTrip(text: String) throws {
        #expect(compact(try read(text)) == text)
    }

    @Test("keeps the order of keys and the exact value of large integers")
    func exact() throws {
        let value = try read("{\"b\": 9007199254740993, \"a\": 1}")
        #expect(value == .object([("b", .int(9_007_199_254_740_993)), ("a", .int(1))]))
    }

    @Test(
        "refuses what is no JSON",
        arguments: [
            "", "nul", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "01", "+1", "1.", ".5", "1e",
            "\"\u{1}\"",
            "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"open", "1 2", "// no\n1", "1e999", "[1 2]",
            "{\"a\" 1}",
        ])
    func refuses(text: String) {
        #expect(throws: JSONReader.Failure.self) { try read(text) }
    }

    @Test("refuses bytes that are not UTF-8")
    func refusesInvalidUTF8() {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.readStrictly([0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test("refuses nesting deeper than 64 levels instead of overflowing the stack")
    func refusesDepth() throws {
        _ = try read(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        #expect(throws: JSONReader.Failure.self) { try read(String(repeating: "[", count: 100_000)) }
    }

    @Test("reads escapes, surrogate pairs too")
    func escapes() throws {
        #expect(try read("\"\\u0041\\/\\b\\f\\n\\r\\t\\ud83d\\udc1d\"") == .text("A/\u{8}\u{C}\n\r\t🐝"))
    }

    @Test("names the line of a fault")
    func line() {
        let error = #expect(throws: JSONReader.Failure.self) { try read("{\n\"a\": 1,\n\"b\": x}") }
        #expect(error?.position == .file(line: 3, column: 6))
    }

    @Test("writes numbers that are not finite as null, and whole doubles without a fraction")
    func doubles() {
        #expect(
            compact(.list([.number(.nan), .number(.infinity), .number(3), .number(-0.0), .number(2.5)]))
                == "[null,null,3,0,2.5]")
    }

    @Test("indents objects and keeps arrays of plain values on one line")
    func pretty() {
        let value: JSONNode = .object([
            ("a", .list([.int(1), .int(2)])), ("b", .object([("c", .null)])), ("d", .list([])),
        ])
        #expect(
            value.text(.indented())
                == "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": null\n  },\n  \"d\": []\n}")
        #expect(value.text(.line) == #"{"a": [1, 2], "b": {"c": null}, "d": []}"#)
    }

    @Test("breaks an array of plain values that is longer than the width")
    func width() {
        let value: JSONNode = .object([("a", .list([.text("ä"), .int(2)]))])
        #expect(value.text(.indented(width: 10)) == "{\n  \"a\": [\"ä\", 2]\n}")
        #expect(value.text(.indented(width: 9)) == "{\n  \"a\": [\n    \"ä\",\n    2\n  ]\n}")
    }

    @Test("a random value survives a round trip")
    func random() throws {
        var state: UInt64 = 20_260_105
        for round in 0..<200 {
            let value = Self.value(&state, depth: 0)
            let bytes = value.bytes(round % 2 == 0 ? .indented() : .compact)
            #expect(try JSONReader.readStrictly(bytes) == value, "seed 20260105, round \(round)")
        }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 17
    }

    private static func value(_ state: inout UInt64, depth: Int) -> JSONNode {
        switch next(&state) % (depth > 3 ? 6 : 8) {
        case 0: return .null
        case 1: return .bool(next(&state) % 2 == 0)
        case 2: return .int(next(&state))
        case 3: return .int(-Int64(next(&state)) - 1)
        case 4: return .number(Double(next(&state)) / 7 + 0.1)
        case 5:
            let scalars = (0..<8).compactMap { _ in Unicode.Scalar(UInt32(next(&state) % 0x3000)) }
            return .text(String(String.UnicodeScalarView(scalars)))
        case 6: return .list((0..<next(&state) % 4).map { _ in value(&state, depth: depth + 1) })
        default:
            return .object((0..<next(&state) % 4).map { ("k\($0)", value(&state, depth: depth + 1)) })
        }
    }
}
