/// Which calls a system hooks, what it reads from them and what it makes of them: one value that a
/// test and the documentation can print.
package struct HookTable: Sendable {
    /// A call that is hooked.
    package struct Row: Hashable, Sendable {
        package var call: UIKitCall.Kind
        /// The class whose method the system replaces, such as `UIControl` or "the table's delegate".
        package var receiver: String
        /// The method, where the system hooks another on the way to the same call, such as
        /// `sendAction:to:forEvent:`; by default the call's own selector.
        package var selector: String
        /// What is read, such as "class of the view controller".
        package var reads: String
        /// The event made of it, such as `PageView`; empty if the call only changes state.
        package var event: String
        /// When the call counts, such as "for touches"; empty for always.
        package var condition: String

        package init(
            _ call: UIKitCall.Kind, of receiver: String, selector: String? = nil, reads: String = "",
            event: String = "", when condition: String = ""
        ) {
            self.call = call
            self.receiver = receiver
            self.selector = selector ?? call.selector
            self.reads = reads
            self.event = event
            self.condition = condition
        }
    }

    /// The system, as scenarios name it.
    package let system: String
    package let rows: [Row]
    private let hooked: UInt64

    package init(system: String, _ rows: [Row]) {
        self.system = system
        self.rows = rows
        hooked = rows.reduce(0) { $0 | 1 << UInt64($1.call.rawValue) }
    }

    /// Whether the system hooks a kind of call.
    ///
    /// - Complexity: O(1).
    package func contains(_ kind: UIKitCall.Kind) -> Bool { hooked & 1 << UInt64(kind.rawValue) != 0 }

    /// A table in GitHub's Markdown, a row for each hook.
    package var markdown: String {
        var text = "| hook | of | reads | event |\n|---|---|---|---|\n"
        var last = ""
        for row in rows {
            let event = row.event.isEmpty ? "–" : "`\(row.event)`"
            let condition = row.condition.isEmpty ? "" : ", \(row.condition)"
            let reads = row.reads.isEmpty ? "–" : row.reads
            let line = "| `\(row.selector)` | \(row.receiver) | \(reads) | \(event)\(condition) |\n"
            // Calls of which one hook hears are one line.
            if line != last { text += line }
            last = line
        }
        return text
    }
}
