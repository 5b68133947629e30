import Wire

/// What some objects have under each of their keys. O(members), where a look at each key in each object would be
/// quadratic: a capture may have many.
struct MemberValues {
    /// In the order in which they come first.
    private(set) var keys: [String] = []
    private var values: [String: [JSONNode]] = [:]

    init(_ objects: [JSONNode]) {
        for object in objects {
            for member in object.members ?? [] {
                if values[member.key] == nil { keys.append(member.key) }
                values[member.key, default: []].append(member.value)
            }
        }
    }

    /// The values of the objects that have a key, in order.
    subscript(key: String) -> [JSONNode] { values[key] ?? [] }
}
