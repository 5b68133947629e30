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

    @Test("a quote without its end is told by its line")
    func unended() {
        #expect(
            throws: CaptureProblem("line 2", found: "a quote without its end", allowed: "quotes in pairs")
        ) {
            _ = try words("curl a\ncurl 'b\n\n")
        }
    }
}
