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
        isAuthorization(text) || SecretScanner.masking(Array(text.utf8)) != text
    }

    /// Whether a text is a header's `Bearer …` (RFC 6750) or `Basic …` (RFC 7617: a name and a password, in base64), and
    /// no two words such as "basic training".
    private static func isAuthorization(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        guard words.count == 2, words[1].utf8.count >= 8 else { return false }
        let credentials = Array(words[1].utf8)
        switch words[0].lowercased() {
        case "basic": return CapturedBody.base64(credentials)?.contains(UInt8(ascii: ":")) ?? false
        case "bearer":
            return credentials.contains { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        default: return false
        }
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
