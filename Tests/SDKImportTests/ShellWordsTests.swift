import Testing

@testable import SDKImport

@Suite("Words of copied curl commands")
struct ShellWordsTests {
    private func words(_ text: String) throws -> [[String]] {
        try ShellWords.commands(Array(text.utf8)).map { $0.map { String(decoding: $0.text, as: UTF8.self) } }
    }

    @Test("quotes, backslashes and lines that go on are read as a shell does")
    func quotes() throws {
        #expect(try words(#"curl 'a b' "c \"d\" \$ \x" e\ f"#) == [["curl", "a b", #"c "d" $ \x"#, "e f"]])
        #expect(
            try words("curl \\\n  -X POST \\\r\n u\n\n# a comment\ncurl v") == [
                ["curl", "-X", "POST", "u"], ["curl", "v"],
            ])
        #expect(try words(#"curl $'it\'s\n\u00e9\x41' 'x'"y"z"#) == [["curl", "it's\né\u{41}", "xyz"]])
        #expect(try words("curl a; curl b && curl c") == [["curl", "a"], ["curl", "b"], ["curl", "c"]])
        #expect(try words("") == [] && words(" \n \n") == [])
    }

    @Test(
        "escapes between $' and ' are bash's",
        arguments: [
            (#"a\ud83d\ude00b"#, "a\u{1F600}b"), (#"\U0001f600\U41z"#, "\u{1F600}Az"),
            (#"\ud83dx"#, "\u{FFFD}x"), (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ude00"#, "\u{FFFD}"),
            (#"\e\E[0m"#, "\u{1B}\u{1B}[0m"), (#"\0\061\1011\8"#, "\u{0}1A1\\8"),
            (#"\x4a\x4Ag\xg"#, #"JJg\xg"#), (#"\cA\c?\c\\z"#, "\u{1}\u{7F}\u{1C}z"),
            (#"\a\b\f\v\t\r\n\?\"\'\\"#, "\u{7}\u{8}\u{C}\u{B}\t\r\n?\"'\\"), (#"\z\u\c"#, #"\z\u\c"#),
        ])
    func escapes(written: String, read: String) throws {
        #expect(try words("curl $'\(written)'") == [["curl", read]])
    }

    @Test("an escape of a byte is that byte, whatever the text is then")
    func bytes() throws {
        let words = try ShellWords.commands(Array(#"$'\xc3\251\377'"#.utf8))
        #expect(words.map { $0.map(\.text) } == [[[0xC3, 0xA9, 0xFF]]])
    }

    @Test("a quote without its end is told by its line")
    func unended() {
        #expect(
            throws: CaptureProblem("line 2", found: "a quote without its end", allowed: "quotes in pairs")
        ) {
            _ = try words("curl a\ncurl 'b\n\n")
        }
        #expect(
            throws: CaptureProblem("line 3", found: "a quote without its end", allowed: "quotes in pairs")
        ) {
            _ = try words("curl $'a\\\nb'\n\"b\\")
        }
    }
}
