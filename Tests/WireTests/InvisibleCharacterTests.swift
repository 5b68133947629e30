import Testing

@testable import Wire

@Suite("Characters that cannot be seen")
struct InvisibleCharacterTests {
    @Test("are told by their codes, and all others stand as they are")
    func shown() {
        #expect("pop\u{200B}ulations".showingInvisible == #"pop\u{200B}ulations"#)
        #expect("\u{202E}abc\u{A0}".showingInvisible == #"\u{202E}abc\u{00A0}"#)
        #expect("sen\u{AD}sors \n".showingInvisible == #"sen\u{00AD}sors \u{000A}"#)
        for text in ["", "a b", "埋点 é", "e\u{301}", "👍🏽", "„ü“"] { #expect(text.showingInvisible == text) }
    }
}
