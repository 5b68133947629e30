/// A text that is the same for all rows of a list but for the row's number, if that is in it at all:
/// rendered once, completed per event.
package struct RowText: Hashable, Sendable {
    package var head: String
    /// After the row's number.
    package var tail = ""
    package var hasRow = false

    package init(_ head: String) { self.head = head }

    /// The text for a row.
    package func text(row: UInt16) -> String { hasRow ? head + String(row) + tail : head }

    /// Appends a text that is the same for all rows.
    package mutating func append(_ text: String) {
        if hasRow { tail += text } else { head += text }
    }

    /// Appends the row's number. Of lists in lists, only one row is known: the inner ones' is 0.
    package mutating func appendRow() {
        if hasRow { tail += "0" } else { hasRow = true }
    }
}
