import Testing
import Timebase

@testable import Wire

@Suite("Slices of a JSON list")
struct JSONListSlicesTests {
    @Test(
        "are the elements' own texts, whatever stands in them and between them",
        arguments: [
            ([], "[]"), ([], " [ \n ] "),
            (["1"], "[1]"), (["{}", "[]", "\"\"", "null"], "[{},[],\"\",null]"),
            (
                ["{\"a\":[1,{\"b\":\"],}\"}]}", "\"\\\"],[\""],
                " [ {\"a\":[1,{\"b\":\"],}\"}]} ,\t\"\\\"],[\"\r\n]\n"
            ),
            (["-1.5e3", "true", "[[[0]]]"], "[ -1.5e3 , true,[[[0]]] ]"),
        ])
    func slices(elements: [String], text: String) throws {
        #expect(try slices(of: text) == elements)
    }

    @Test("parse to the list's own values, for random lists", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var stream = RandomStream(key: seed)
        let elements = (0..<stream.below(40)).map { _ in value(&stream, depth: 0) }
        let spaces = ["", " ", "\n\t", "  "]
        func space() -> String { spaces[Int(stream.below(4))] }
        var text = space() + "["
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "" : ",") + space() + element + space()
        }
        text += "]" + space()
        #expect(try slices(of: text) == elements, "seed \(seed): \(text)")
    }

    private func slices(of text: String) throws -> [String] {
        let parser = JSONParser()
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { _ in
                var slices = parser.listSlices(of: bytes)
                var result: [String] = []
                while let slice = slices.next() { result.append(String(decoding: slice, as: UTF8.self)) }
                return result
            }
        }
    }

    private func value(_ stream: inout RandomStream, depth: Int) -> String {
        switch stream.below(depth < 3 ? 7 : 5) {
        case 0: return "\(Int(stream.below(100_000)) - 50_000)"
        case 1: return "\"\(["", "a,b", "]}", "\\\"", "\\u4e00[", "中文,{"][Int(stream.below(6))])\""
        case 2: return "null"
        case 3: return "2.5e-3"
        case 4: return "false"
        case 5:
            return "["
                + (0..<stream.below(4)).map { _ in value(&stream, depth: depth + 1) }.joined(separator: ", ")
                + "]"
        default:
            let members = (0..<stream.below(4)).map { "\"k\($0)\" : \(value(&stream, depth: depth + 1))" }
            return "{ " + members.joined(separator: " ,") + " }"
        }
    }
}
