import Wire

/// Captured texts as a draft has them: they stand for themselves, where descriptions have no escapes for what they
/// replace, `{{…}}` in templates and `${…}` in every text.
///
/// A scenario's texts are read as bytes: whatever a combining mark makes of a brace, it is one.
enum CapturedText {
    /// A text in a template.
    static func literal(_ text: String) -> String { parted(text, behind: ["{", "$"]) }

    /// A text that is no template, such as a note.
    static func words(_ text: String) -> String { parted(text, behind: ["$"]) }

    /// A path, which has no placeholders and no blanks.
    static func path(_ text: String) -> String {
        let plain = text.unicodeScalars.replacing("{{".unicodeScalars, with: "%7B%7B".unicodeScalars)
        return String(plain.replacing("${".unicodeScalars, with: "%24%7B".unicodeScalars))
    }

    /// Whether a text looks as if it had a variable in it.
    static func hasVariable(_ text: String) -> Bool { words(text) != text }

    /// Whether a report would not show all of a text, such as a URL with `token=…` or a password in it; or whether it is
    /// what a header says an authorization with.
    static func showsSecret(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        if words.count == 2, ["bearer", "basic"].contains(words[0].lowercased()), words[1].utf8.count >= 8 {
            return true
        }
        return SecretScanner.masking(Array(text.utf8)) != text
    }

    /// The text with a blank before each brace that stands behind one of some characters.
    private static func parted(_ text: String, behind marks: Set<Unicode.Scalar>) -> String {
        var parted = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "{", let last = parted.last, marks.contains(last) { parted.append(" ") }
            parted.append(scalar)
        }
        return String(parted)
    }
}
