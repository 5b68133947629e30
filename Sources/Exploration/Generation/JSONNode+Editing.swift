import Wire

/// Values with something changed in them, by paths of keys and positions.
extension JSONNode {
    /// The value without what a path leads to; `nil` if the path is empty. A path that leads nowhere changes nothing.
    func removing(_ path: ArraySlice<String>) -> JSONNode? {
        guard let token = path.first else { return nil }
        let rest = path.dropFirst()
        switch content {
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.key == token }) else { return self }
            if let value = members[index].value.removing(rest) {
                members[index].value = value
            } else {
                members.remove(at: index)
            }
            return JSONNode(.object(members))
        case .array(var elements):
            guard let index = Int(token), elements.indices.contains(index) else { return self }
            if let value = elements[index].removing(rest) {
                elements[index] = value
            } else {
                elements.remove(at: index)
            }
            return JSONNode(.array(elements))
        default: return self
        }
    }

    /// The value with another in the place that a path leads to.
    func replacing(_ path: ArraySlice<String>, with replacement: JSONNode) -> JSONNode {
        guard let token = path.first else { return replacement }
        let rest = path.dropFirst()
        switch content {
        case .object(var members):
            if let index = members.firstIndex(where: { $0.key == token }) {
                members[index].value = members[index].value.replacing(rest, with: replacement)
            }
            return JSONNode(.object(members))
        case .array(var elements):
            if let index = Int(token), elements.indices.contains(index) {
                elements[index] = elements[index].replacing(rest, with: replacement)
            }
            return JSONNode(.array(elements))
        default: return self
        }
    }

    /// Puts a value where a path of keys leads, with the objects on the way that are missing. What is on the way and no
    /// object gives way to one.
    mutating func set(_ path: String..., to value: JSONNode) {
        self = setting(path[...], to: value)
    }

    /// Takes a key away, if it is there.
    mutating func take(_ path: String...) {
        self = removing(path[...]) ?? self
    }

    private func setting(_ path: ArraySlice<String>, to value: JSONNode) -> JSONNode {
        guard let key = path.first else { return value }
        var members = self.members ?? []
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = members[index].value.setting(path.dropFirst(), to: value)
        } else {
            members.append(.init(key, JSONNode(.object([])).setting(path.dropFirst(), to: value)))
        }
        return JSONNode(.object(members))
    }
}
