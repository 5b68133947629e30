import CollectorModel
import Datasets

/// A member of events' JSON that has a column of its own in the table `events`.
package struct EventField: Hashable, Sendable {
    /// Where it is: a member, or a member of one such as `properties.$os`.
    var path: String
    var column: String
    var type: ColumnType
    var doc: String

    init(_ path: String, _ column: String, _ type: ColumnType, _ doc: String) {
        self.path = path
        self.column = column
        self.type = type
        self.doc = doc
    }

    /// A member that a system's own code writes.
    init(_ member: EventMember) {
        self.init(member.path, member.column, ColumnType(member.kind), member.doc)
    }
}

extension ColumnType {
    /// The type of a column that holds the values of a member.
    fileprivate init(_ kind: EventMember.Kind) {
        self =
            switch kind {
            case .text: .string
            case .whole: .int64
            case .number: .double
            case .flag: .bool
            case .milliseconds: .timestampMillis
            }
    }
}
