import Testing

@testable import Reporting

@Suite("JSON text")
struct JSONTextTests {
    private func read(_ text: String) throws -> JSONValue { try JSONText.read(Array(text.utf8)) }

    private func compact(_ value: JSONValue) -> String {
        String(decoding: JSONText.write(value, pretty: false), as: UTF8.self)
    }

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
        #expect(
            value
                == .object([JSONMember("b", .unsigned(9_007_199_254_740_993)), JSONMember("a", .unsigned(1))])
        )
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
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test("refuses bytes that are not UTF-8")
    func refusesInvalidUTF8() {
        #expect(throws: JSONError.self) { try JSONText.read([0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test("refuses nesting deeper than 64 levels instead of overflowing the stack")
    func refusesDepth() throws {
        _ = try read(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 100_000)) }
    }

    @Test("reads escapes, surrogate pairs too")
    func escapes() throws {
        #expect(try read("\"\\u0041\\/\\b\\f\\n\\r\\t\\ud83d\\udc1d\"") == .string("A/\u{8}\u{C}\n\r\t🐝"))
    }

    @Test("names the line of a fault")
    func line() {
        let error = #expect(throws: JSONError.self) { try read("{\n\"a\": 1,\n\"b\": x}") }
        #expect(error?.line == 3)
    }

    @Test("writes numbers that are not finite as null, and whole doubles without a fraction")
    func doubles() {
        #expect(
            compact(.array([.double(.nan), .double(.infinity), .double(3), .double(-0.0), .double(2.5)]))
                == "[null,null,3,0,2.5]")
    }

    @Test("indents objects and keeps arrays of plain values on one line")
    func pretty() {
        let value: JSONValue = .members([
            "a": .array([.unsigned(1), .unsigned(2)]), "b": .members(["c": .null]),
        ])
        let text = String(decoding: JSONText.write(value), as: UTF8.self)
        #expect(text == "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": null\n  }\n}\n")
    }

    @Test("a random value survives a round trip")
    func random() throws {
        var state: UInt64 = 20_260_105
        for round in 0..<200 {
            let value = Self.value(&state, depth: 0)
            let bytes = JSONText.write(value, pretty: round % 2 == 0)
            #expect(try JSONText.read(bytes) == value, "seed 20260105, round \(round)")
        }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 17
    }

    private static func value(_ state: inout UInt64, depth: Int) -> JSONValue {
        switch next(&state) % (depth > 3 ? 6 : 8) {
        case 0: return .null
        case 1: return .boolean(next(&state) % 2 == 0)
        case 2: return .unsigned(next(&state))
        case 3: return .integer(-Int64(next(&state)) - 1)
        case 4: return .double(Double(next(&state)) / 7 + 0.1)
        case 5:
            let scalars = (0..<8).compactMap { _ in Unicode.Scalar(UInt32(next(&state) % 0x3000)) }
            return .string(String(String.UnicodeScalarView(scalars)))
        case 6:
            var values: [JSONValue] = []
            for _ in 0..<next(&state) % 4 { values.append(value(&state, depth: depth + 1)) }
            return .array(values)
        default:
            var members: [JSONMember] = []
            for index in 0..<next(&state) % 4 {
                members.append(JSONMember("k\(index)", value(&state, depth: depth + 1)))
            }
            return .object(members)
        }
    }
}
