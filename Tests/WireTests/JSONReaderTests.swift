import Testing

@testable import Wire

@Suite("Reading JSON")
struct JSONReaderTests {
    private func failure(_ text: String) -> JSONReader.Failure? {
        do throws(JSONReader.Failure) {
            _ = try JSONReader.read(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("tells line and column of every value, columns in characters")
    func positions() throws {
        let (node, _) = try JSONReader.read(Array("{\n  \"ä\": [1, true],\n  \"b\": {}\n}".utf8))
        #expect(node.position == .file(line: 1, column: 1))
        #expect(node["ä"]?.elements?[1].position == .file(line: 2, column: 12))
        #expect(node["b"]?.position == .file(line: 3, column: 8))
        #expect(node.members?[1].keyPosition == .file(line: 3, column: 3))
    }

    @Test("takes comments, trailing commas and a byte order mark")
    func leniency() throws {
        let text = "\u{FEFF}// first\n{\"a\": [1, 2,], // note\n \"b\": {\"c\": null,},}\n// last"
        let (node, duplicates) = try JSONReader.read(Array(text.utf8))
        #expect(node.compactText == #"{"a": [1, 2], "b": {"c": null}}"#)
        #expect(duplicates.isEmpty)
    }

    @Test("keeps the digits of numbers")
    func numbers() throws {
        let (node, _) = try JSONReader.read(Array("[18446744073709551615, -0.50, 1E+3]".utf8))
        #expect(node.compactText == "[18446744073709551615, -0.50, 1E+3]")
    }

    @Test("decodes every escape and pairs of surrogates")
    func escapes() throws {
        let (node, _) = try JSONReader.read(Array(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#.utf8))
        #expect(node.string == "\"\\/\u{8}\u{C}\n\r\té😀")
    }

    @Test(
        "stops at the first place that is not JSON",
        arguments: [
            ("", 1, 1), ("{", 1, 2), ("[1 2]", 1, 4), ("{\"a\" 1}", 1, 6), ("{a: 1}", 1, 2), ("[01]", 1, 3),
            ("[1.]", 1, 4), ("[-]", 1, 3), ("[1e]", 1, 4), ("tru", 1, 1), ("[1]\n x", 2, 2), ("\"abc", 1, 5),
            ("\"\\x\"", 1, 3), ("\"\\ud800\"", 1, 8), ("\"a\nb\"", 1, 3), ("/* */ 1", 1, 1), ("[,]", 1, 2),
            ("\"\\u12g4\"", 1, 4), ("{\"a\":}", 1, 6), ("+1", 1, 1), ("NaN", 1, 1),
        ])
    func syntax(text: String, line: Int, column: Int) throws {
        let failure = try #require(self.failure(text))
        #expect(failure.position == .file(line: line, column: column), "\(text): \(failure)")
    }

    @Test(
        "tells the code of a character that cannot be seen",
        arguments: [
            ("{\u{A0}\"a\": 1}", "U+00A0"), ("[\u{200B}1]", "U+200B"), ("[1\u{2028}]", "U+2028"),
            ("[1]\u{FEFF}", "U+FEFF"), ("\u{7F}1", "U+007F"), ("[\u{E0001}]", "U+E0001"),
        ])
    func invisible(text: String, code: String) throws {
        let failure = try #require(self.failure(text))
        #expect(failure.found == "\(code), a character that cannot be seen")
        #expect(self.failure("[é]")?.found == "\"é\"")
    }

    @Test("refuses what is too deep or too large, and bytes that are not UTF-8")
    func limits() throws {
        #expect(failure(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) == nil)
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(try #require(failure(deep)).found.contains("64 levels"))
        #expect(throws: JSONReader.Failure.self) {
            try JSONReader.read([UInt8](repeating: 0x20, count: JSONReader.sizeLimit + 1))
        }
        do throws(JSONReader.Failure) {
            _ = try JSONReader.read(Array("{\"a\":\n \"x".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
            Issue.record("invalid UTF-8 was read")
        } catch {
            #expect(error.position == .file(line: 2, column: 4))
        }
    }

    @Test("notes duplicate keys with both places; the first counts")
    func duplicates() throws {
        let (node, duplicates) = try JSONReader.read(Array("{\"a\": {\"b\": 1,\n\"b\": 2}}".utf8))
        #expect(node.compactText == #"{"a": {"b": 1}}"#)
        #expect(duplicates.map(\.path.pointer) == ["/a/b"])
        #expect(duplicates.first?.position == .file(line: 2, column: 1))
        #expect(duplicates.first?.first == .file(line: 1, column: 8))
    }

    @Test("prints what it read so that it reads the same again")
    func roundTrip() throws {
        let text =
            #"{"a/b~c": [1, [2, {"x": "\u0001 \" \\ é"}], "🙂"], "empty": [], "none": {}, "n": -1.5e-7}"#
        let (node, _) = try JSONReader.read(Array(text.utf8))
        for printed in [node.compactText, node.prettyText()] {
            let (again, _) = try JSONReader.read(Array(printed.utf8))
            #expect(again.text(.compact) == node.text(.compact))
        }
    }

    @Test("escapes pointers and reads them back")
    func pointers() {
        let path = JSONPath(["a/b", "~", "0"])
        #expect(path.pointer == "/a~1b/~0/0")
        #expect(JSONPath(text: path.pointer) == path)
        #expect(JSONPath(text: "a.0.b")?.tokens == ["a", "0", "b"])
        #expect(JSONPath(text: "") == nil)
        #expect(JSONPath(text: "a..b") == nil)
    }
}
