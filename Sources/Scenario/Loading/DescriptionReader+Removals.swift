import SDKDescription
import Wire

// What `null` takes away of a description.

extension DescriptionReader {
    /// Tells each key that a change takes away and that no description has: a slip of the pen would change nothing, and
    /// nobody would notice.
    ///
    /// - Parameter base: What the change is merged into. What that lacks is judged with the whole.
    static func checkRemovals(_ change: Place, over base: JSONNode, _ reading: inout Reading) {
        guard let removals = change.node.removals(over: base) else { return }
        var silent = Reading()
        _ = DeclaredFormat.written.decode(Place(node: removals, path: change.path), &silent)
        // Whether there is something to take away is another matter, and so is what else a description needs.
        reading.problems += silent.problems.filter { $0.kind == .unknownKey }
    }

    /// The same of what lanes say of their requests, which is merged into the description's own.
    static func checkLaneRemovals(_ whole: Place, _ reading: inout Reading) {
        guard let lanes = whole.node["lanes"] else { return }
        let main = whole.node["request"] ?? .object([])
        let removals = (lanes.members ?? []).compactMap { lane -> (String, JSONNode)? in
            guard let request = lane.value["request"]?.removals(over: main) else { return nil }
            return (lane.key, .object([("request", request)]))
        }
        guard !removals.isEmpty else { return }
        let change = JSONNode.object([("lanes", .object(removals))])
        checkRemovals(Place(node: change, path: whole.path), over: change, &reading)
    }
}

extension JSONNode {
    /// The keys that ``merging(_:)`` takes away, within the objects that they are in; `nil` without any.
    fileprivate func removals(over base: JSONNode) -> JSONNode? {
        guard case .object(let changes) = content, base.isObject else { return nil }
        let removals = changes.compactMap { change -> Member? in
            guard change.value.content != .null else { return change }
            guard let inner = base[change.key].flatMap({ change.value.removals(over: $0) }) else {
                return nil
            }
            return Member(change.key, inner, keyPosition: change.keyPosition)
        }
        return removals.isEmpty ? nil : JSONNode(.object(removals), position: position)
    }

    /// The value without the keys of a format that are `null`, where nothing under it had them: they are taken away all the
    /// same. Those that the format does not have stay, and so does what is in templates and in lists.
    func withoutNulls(of shape: Shape) -> JSONNode {
        guard case .object(let members) = content else { return self }
        let kept = members.compactMap { member -> Member? in
            guard let inner = shape.child(member.key) else { return member }
            guard member.value.content != .null else { return nil }
            return Member(
                member.key, member.value.withoutNulls(of: inner), keyPosition: member.keyPosition)
        }
        return JSONNode(.object(kept), position: position)
    }
}
