/// Something that a draft says without knowing it.
package struct Guess: Hashable, Sendable {
    package enum Sureness: String, Sendable {
        /// The capture shows it.
        case sure
        /// Its name and its values say so.
        case likely
        /// It has to be looked at.
        case unsure
    }

    /// The pointer in the draft; empty for the whole.
    package var pointer: String
    package var text: String
    package var sureness: Sureness

    init(_ pointer: String, _ text: String, _ sureness: Sureness) {
        self.pointer = pointer
        self.text = text
        self.sureness = sureness
    }

    /// `/events/key: … (likely)`: a text without variables, as a draft keeps it.
    package var line: String {
        CapturedText.words((pointer.isEmpty ? "" : pointer + ": ") + "\(text) (\(sureness.rawValue))")
    }
}
