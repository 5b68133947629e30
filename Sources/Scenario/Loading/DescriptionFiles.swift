import SDKDescription
import Wire

/// Puts the files in the place of their names that descriptions of SDKs are in: `"sdk": {"file": "posthog.json"}`.
struct DescriptionFiles {
    /// Reads a file; `nil` for one that cannot be read.
    let read: (String) -> [UInt8]?
    /// Where values stand in these files, such as `posthog.json:3:10`, by the places that the scenario gives them.
    private var origins: [String: String] = [:]
    /// The descriptions of which the file could not be read, by their places in the scenario.
    private(set) var unread: [String] = []

    init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    /// A scenario with the content of each file that a population's `sdk` names, changed by what else stands there.
    mutating func expand(_ scenario: JSONNode, _ reading: inout Reading) -> JSONNode {
        guard case .object(var members) = scenario.content,
            let member = members.firstIndex(where: { $0.key == "populations" }),
            let populations = members[member].value.elements,
            populations.contains(where: { $0["sdk"]?["file"] != nil })
        else { return scenario }
        var expanded = populations
        for index in populations.indices {
            let path = JSONPath(["populations", String(index), "sdk"])
            expanded[index] = expand(population: populations[index], at: path, &reading)
        }
        members[member].value.content = .array(expanded)
        return JSONNode(.object(members), position: scenario.position)
    }

    private mutating func expand(
        population: JSONNode, at path: JSONPath, _ reading: inout Reading
    ) -> JSONNode {
        guard case .object(var members) = population.content,
            let index = members.firstIndex(where: { $0.key == "sdk" }),
            case .object(let knobs) = members[index].value.content,
            let named = knobs.first(where: { $0.key == "file" })
        else { return population }
        let file = Place(node: named.value, path: path.appending("file"))
        var changes = members[index].value
        changes.content = .object(knobs.filter { $0.key != "file" })
        let found = content(of: file, at: path, &reading)
        if found == nil { unread.append(path.pointer) }
        if let found {
            DescriptionReader.checkRemovals(Place(node: changes, path: path), over: found, &reading)
        }
        members[index].value = found?.merging(changes) ?? changes
        return JSONNode(.object(members), position: population.position)
    }

    /// What is in a file; an empty description, beside a problem, for one that has none.
    private mutating func content(
        of file: Place, at path: JSONPath, _ reading: inout Reading
    ) -> JSONNode? {
        guard let name = Form<String>.text().decode(file, &reading) else { return nil }
        guard let bytes = read(name) else {
            reading.report(
                .unknownName, file,
                allowed: "a file that can be read; relative names begin at the scenario's folder")
            return nil
        }
        do {
            let node = try JSONReader.readStrictly(bytes)
            guard node.isObject, node["file"] == nil else {
                reading.report(
                    .wrongType, file,
                    found: "\(name) with \(node.isObject ? "a \"file\" in it" : node.summary)",
                    allowed: "a file with a description: an object without \"file\"")
                return nil
            }
            if let other = FileKind.description.mistaken(node)?.problems.first {
                reading.report(
                    .wrongType, file, found: "\(name) with \(other.found)",
                    allowed: "a file with a description")
                return nil
            }
            // A description is to be JSON as programs write it; where its values stand, the other reader knows.
            if let (placed, _) = try? JSONReader.read(bytes) { note(placed, of: name, at: path) }
            return node
        } catch {
            var place = name
            if case .file(let line, let column) = error.position { place += ":\(line):\(column)" }
            reading.report(.syntax, file, found: "\(place): \(error.found)", allowed: error.allowed)
            return nil
        }
    }

    /// Remembers where values stand.
    private mutating func note(_ node: JSONNode, of name: String, at path: JSONPath) {
        if case .file(let line, let column) = node.position {
            origins[path.pointer] = "\(name):\(line):\(column)"
        }
        for member in node.members ?? [] { note(member.value, of: name, at: path.appending(member.key)) }
        for (index, element) in (node.elements ?? []).enumerated() {
            note(element, of: name, at: path.appending(index))
        }
    }

    /// Problems with where they are in these files; without those of descriptions that could not be read, which are
    /// nothing beside that.
    func told(_ problems: [Problem]) -> [Problem] {
        problems.compactMap { problem in
            let pointer = problem.pointer
            // What else the scenario writes there can be judged.
            let isMissed = problem.position == .none || problem.kind == .missingKey
            if isMissed, unread.contains(where: { pointer.hasPrefix($0 + "/") }) { return nil }
            guard problem.position == .none, let origin = origin(of: pointer) else { return problem }
            var located = problem
            located.found += " in \(origin)"
            return located
        }
    }

    /// Where a value stands, or, if it is none of a file, what it would be in.
    private func origin(of pointer: String) -> String? {
        var rest = pointer[...]
        while !rest.isEmpty {
            if let origin = origins[String(rest)] { return origin }
            rest = rest[..<(rest.lastIndex(of: "/") ?? rest.startIndex)]
        }
        return nil
    }
}
