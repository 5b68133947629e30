import Wire

/// Where the scenario has what the model speaks of.
extension AppBinder {
    /// What the format calls otherwise than the model.
    private static let formatKeys = ["trigger": "on", "isWeb": "web", "itemID": "id"]

    /// Follows a path in the model's terms as far as the scenario has the same parts.
    static func modelPath(_ path: String, in place: Place) -> Place {
        var result = place
        for token in JSONPath(text: path)?.tokens ?? [] {
            guard let part = part(formatKeys[token] ?? token, of: result.node) else { break }
            result = Place(node: part.node, path: result.path.appending(part.key))
        }
        return result
    }

    /// The part of a value that the model calls so: where an index of the model's meets members, it is the member that
    /// stands there.
    private static func part(_ token: String, of node: JSONNode) -> (key: String, node: JSONNode)? {
        if case .object(let members) = node.content, let index = Int(token) {
            return members.indices.contains(index) ? (members[index].key, members[index].value) : nil
        }
        return node.value(at: [token]).map { (token, $0) }
    }
}
