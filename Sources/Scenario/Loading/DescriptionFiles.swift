import SDKDescription
import Wire

/// Puts the files in the place of their names that descriptions of SDKs are in: `"sdk": {"file": "posthog.json"}`.
struct DescriptionFiles {
    /// All environment variables: the name of a file may have some, and what is in it.
    let environment: [String: String]
    /// Reads a file; `nil` for one that cannot be read.
    let read: (String) -> [UInt8]?
    /// Where values stand in these files, such as `posthog.json:3:10`, by the places that the scenario gives them.
    private var origins: [String: String] = [:]
    /// The descriptions of which the file could not be read, by their places in the scenario.
    private(set) var unread: [String] = []

    init(environment: [String: String], read: @escaping (String) -> [UInt8]?) {
        self.environment = environment
        self.read = read
    }

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
        let file = file(named.value, at: path.appending("file"), &reading)
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

    /// The name of a file, with its variables replaced. They are neither secrets nor a part of the scenario, in which what is
    /// in the file stands: elsewhere the folder may be another.
    private func file(_ name: JSONNode, at path: JSONPath, _ reading: inout Reading) -> Place {
        var substitution = Substitution(environment: environment)
        let file = Place(node: substitution.apply(to: name, at: path), path: path)
        reading.problems += substitution.problems
        return file
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
            let (node, duplicates) = try JSONReader.read(bytes)
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
            for duplicate in duplicates { report(duplicate, in: name, file, at: path, &reading) }
            note(node, of: name, at: path)
            // Where its values stand is no place in the scenario.
            return node.moved(to: .none)
        } catch {
            reading.report(
                .syntax, file, found: "\(Self.place(error.position, in: name)): \(error.found)",
                allowed: error.allowed)
            return nil
        }
    }

    private func report(
        _ duplicate: JSONReader.Duplicate, in name: String, _ file: Place, at path: JSONPath,
        _ reading: inout Reading
    ) {
        let key = JSONPath(path.tokens + duplicate.path.tokens)
        reading.problems.append(
            Problem(
                .duplicateKey, at: key, position: file.node.position,
                found:
                    "a second \"\(key.tokens.last ?? "")\" in \(Self.place(duplicate.position, in: name)), the first in "
                    + Self.place(duplicate.first, in: name), allowed: "each key once"))
    }

    /// A place in a file, such as `posthog.json:3:10`.
    private static func place(_ position: SourcePosition, in name: String) -> String {
        guard case .file(let line, let column) = position else { return name }
        return "\(name):\(line):\(column)"
    }

    /// Remembers where values stand.
    private mutating func note(_ node: JSONNode, of name: String, at path: JSONPath) {
        origins[path.pointer] = Self.place(node.position, in: name)
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
