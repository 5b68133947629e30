import Testing

@testable import Wire

@Suite("Texts by their bytes")
struct ExactTextTests {
    @Test("what is equal to String and of other bytes is not the same")
    func equality() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed, "as String sees it")
        #expect(!composed.isExactly(decomposed) && composed.isExactly("\u{E9}"))
        #expect(ExactText(composed) != ExactText(decomposed))
        #expect(Set([composed, decomposed, "e", composed].map(ExactText.init)).count == 3)
        #expect(["a", composed].containsExactly(composed) && !["a", composed].containsExactly(decomposed))
    }

    @Test("the order is that of the bytes")
    func order() {
        let texts = ["", "Z", "a", "e\u{301}", "z", "\u{E9}", "\u{FF5E}", "\u{1F600}"]
        #expect(
            texts.shuffled().map(ExactText.init).sorted().map(\.text).joined(separator: "|")
                == texts.joined(separator: "|"))
        #expect(ExactText("a") < ExactText("ab"))
    }
}
