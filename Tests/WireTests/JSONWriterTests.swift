import Testing
import Timebase

@testable import Wire

@Suite("JSON writing")
struct JSONWriterTests {
    @Test(
        "escapes what RFC 8259 demands and nothing else",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), (#"a"b\c"#, #""a\"b\\c""#),
            ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("首页 😀", #""首页 😀""#), ("a/b", #""a/b""#),
        ])
    func escapes(text: String, expected: String) {
        #expect(written { $0.appendJSONString(text) } == expected)
    }

    @Test("writes slashes as Foundation does on request")
    func slashes() {
        #expect(written { $0.appendJSONString("a/b//\"", slashes: .escaped) } == #""a\/b\/\/\"""#)
        #expect(JSONFragment(string: "a/b", slashes: .escaped).bytes == Array(#""a\/b""#.utf8))
    }

    @Test("joins fragments with commas where they belong")
    func fragments() throws {
        let name = JSONFragment(name: "$title")
        let text = written { buffer in
            buffer.append("{")
            buffer.appendJSONComma()
            buffer.append(name)
            buffer.append(JSONFragment(string: "首页"))
            buffer.appendJSONComma()
            buffer.append(JSONFragment(verbatim: #""list":["#))
            for value in [true, false] {
                buffer.appendJSONComma()
                buffer.appendJSON(value)
            }
            buffer.append("]}")
        }
        #expect(text == #"{"$title":"首页","list":[true,false]}"#)
        #expect(try parsed(text) { $0["$title"]?.string } == "首页")
    }

    @Test("a parser reads back every string that it writes")
    func roundTrip() throws {
        let seed: UInt64 = 8259
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<1000 {
            let text = stream.text(upTo: 60)
            for slashes in [JSONSlashes.plain, .escaped] {
                let json = written { $0.appendJSONString(text, slashes: slashes) }
                let back = try parsed(json) { $0.string }
                #expect(back.map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
            }
        }
    }
}
