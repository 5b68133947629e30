/// What the JSON of a system's events looks like, for whoever puts events into tables.
///
/// Each system says it in its own folder; a system that says nothing does not compile.
package struct EventShape: Sendable {
    /// The members that the system's own code writes; members of several systems that mean the same share a column.
    package var members: [EventMember]
    /// The paths of members that events of a version never have, by the version.
    package var missing: [String: Set<String>]
    /// The member that holds the properties of an app's own events; `nil` where there is none.
    package var propertyGroup: String?
    package var carried: CarriedProperties

    /// What of an app's properties calls of its code reach the SDK with.
    package enum CarriedProperties: Sendable {
        case all
        /// Those of events that are not a web page's, without what is registered for all of them.
        case ofEvents
        /// All but those of items, and of profiles those that are set.
        case settable
    }

    init(
        members: [EventMember], missing: [String: Set<String>] = [:], propertyGroup: String? = nil,
        carried: CarriedProperties = .all
    ) {
        self.members = members
        self.missing = missing
        self.propertyGroup = propertyGroup
        self.carried = carried
    }

    /// The members that events of a version may have.
    package func members(of version: String) -> [EventMember] {
        let missing = missing[version] ?? []
        return members.filter { !missing.contains($0.path) }
    }
}

/// A member of events' JSON that is worth a column of its own.
package struct EventMember: Hashable, Sendable {
    /// Where it is: a member, or a member of one such as `properties.$os`.
    package var path: String
    package var column: String
    package var kind: Kind
    package var doc: String

    /// What its values are.
    package enum Kind: Sendable {
        case text
        case whole
        case number
        case flag
        /// A point in time: milliseconds since 1970.
        case milliseconds
    }

    init(_ path: String, _ column: String, _ kind: Kind = .text, _ doc: String) {
        self.path = path
        self.column = column
        self.kind = kind
        self.doc = doc
    }

    /// A text.
    init(_ path: String, _ column: String, _ doc: String) {
        self.init(path, column, .text, doc)
    }
}
