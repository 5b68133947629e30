import Wire

/// A text, a number or a switch of a draft that is the same in all that was captured, and stands there as it was.
struct KeptValue {
    var path: JSONPath
    var node: JSONNode

    /// As many as a line names: a note has an end.
    private static let named = 24

    /// The line that names them; `nil` without any.
    static func guess(_ values: [KeptValue]) -> Guess? {
        guard !values.isEmpty else { return nil }
        // What may be a person's own is not to be among those that have no room.
        let ranked = values.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }
        let names = ranked.prefix(named).map { String($0.element.path.pointer.prefix(60)) }
        let others = values.count > named ? ", and \(values.count - named) more" : ""
        return Guess(
            "",
            "kept as captured, the same throughout; look for what is a person's own: "
                + names.joined(separator: ", ") + others, .unsure)
    }

    /// Addresses of mail first, then other texts.
    private var rank: Int { node.string.map { $0.contains("@") ? 0 : 1 } ?? 2 }
}
