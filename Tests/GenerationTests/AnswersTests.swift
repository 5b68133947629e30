import Testing

@testable import Generation

@Suite("Queries of answers")
struct AnswersTests {
    @Test(
        "texts are literals that no dialect ends early or reads otherwise",
        arguments: [
            ("plain", "'plain'"), ("", "''"), ("it's", "'it''s'"), ("'\u{301}", "'''\u{301}'"),
            (#"a\b"#, #"'a' || substr('\\', 1, 1) || 'b'"#),
            (#"\'"#, #"'' || substr('\\', 1, 1) || ''''"#),
        ])
    func literals(text: String, literal: String) {
        #expect(Array(text.sqlLiteral.utf8) == Array(literal.utf8))
        #expect([text].sqlCondition(on: "name") == "name = \(literal)")
        #expect([text, "b"].sqlCondition(on: "name") == "name IN (\(literal), 'b')")
    }
}
