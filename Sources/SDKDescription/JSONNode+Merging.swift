package import Wire

extension JSONNode {
    /// This value with changes: objects are merged key by key, `null` takes a key away, everything else is replaced.
    ///
    /// - Complexity: O(members of both) lookups of a key.
    package func merging(_ changes: JSONNode) -> JSONNode {
        guard case .object(var own) = content, case .object(let others) = changes.content else {
            return changes
        }
        for change in others {
            let index = own.firstIndex { $0.key == change.key }
            if change.value == .null || change.value.content == .null {
                if let index { own.remove(at: index) }
            } else if let index {
                own[index] = Member(
                    change.key, own[index].value.merging(change.value), keyPosition: change.keyPosition)
            } else {
                own.append(change)
            }
        }
        return JSONNode(.object(own), position: changes.position)
    }
}
