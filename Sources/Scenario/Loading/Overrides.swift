import DeviceSDK
import Wire

/// Puts values of the environment and the command line into a scenario's JSON.
struct Overrides {
    private(set) var root: JSONNode
    private(set) var applied: [ScenarioOverride] = []
    private(set) var problems: [Problem] = []
    /// The last `--devices` or `BEACONSWARM_DEVICES`, if any.
    private(set) var devices: (text: String, origin: String)?

    init(root: JSONNode) { self.root = root }

    /// Applies one source: first its assignments in order, then its named options.
    mutating func apply(_ options: ScenarioOptions, name: (String) -> String, setName: String) {
        // What options say of a population's devices wins over the environment's word for all.
        if (options.sets + options.varied).contains(where: Overrides.setsDevices) { dropDevices() }
        for assignment in options.sets { apply(assignment: assignment, origin: setName) }
        for assignment in options.varied { apply(assignment: assignment, origin: name("vary")) }
        if let start = options.start { set(["start"], start, name("start")) }
        if let seed = options.seed { set(["seed"], seed, name("seed")) }
        if let duration = options.duration { set(["duration"], duration, name("duration")) }
        let populations = root["populations"]?.elements ?? []
        if let target = options.target {
            setURL(["target"], target, name("target"))
            for (index, population) in populations.enumerated()
            where population["target"]?["url"] != nil || population["target"]?["urls"] != nil {
                setURL(["populations", String(index), "target"], target, name("target"))
            }
        }
        if options.insecure {
            set(["target", "tls", "insecure"], "true", name("insecure"))
            for (index, population) in populations.enumerated() where population["target"]?["tls"] != nil {
                set(["populations", String(index), "target", "tls", "insecure"], "true", name("insecure"))
            }
        }
        if let devices = options.devices {
            dropDevices()
            self.devices = (devices, name("devices"))
            applied.append(ScenarioOverride(path: "--devices", value: devices, origin: name("devices")))
        }
    }

    /// Forgets what an earlier source said of the number of all devices.
    private mutating func dropDevices() {
        devices = nil
        applied.removeAll { $0.path == "--devices" }
    }

    /// Whether an assignment says how many devices a population has.
    private static func setsDevices(_ assignment: String) -> Bool {
        let path = JSONPath(text: String(assignment.prefix { $0 != "=" }))?.tokens ?? []
        return path.first == "populations" && (path.count < 3 || path[2] == "devices")
    }

    /// Puts one URL in the place of whatever a target has. A population's own path stays.
    private mutating func setURL(_ path: [String], _ text: String, _ origin: String) {
        root.removeMember(path + ["urls"])
        if path == ["target"], let url = try? TargetURL.parse(text), url.pathAndQuery != "/" {
            root.removeMember(path + ["path"])
        }
        set(path + ["url"], text, origin)
    }

    private mutating func apply(assignment: String, origin: String) {
        guard let equals = assignment.firstIndex(of: "="),
            let path = JSONPath(text: String(assignment[..<equals]))
        else {
            problems.append(
                Problem(
                    .badOverride, at: JSONPath(), position: .override("\(origin) \(assignment)"),
                    found: "\"\(assignment)\"", allowed: "path=value, the path dotted or a JSON pointer"))
            return
        }
        guard path.tokens.first != "variants" else { return refuse(path, origin) }
        set(path.tokens, String(assignment[assignment.index(after: equals)...]), origin)
    }

    /// Variants are read from the file, before anything overrides it: what is put there would change nothing.
    private mutating func refuse(_ path: JSONPath, _ origin: String) {
        problems.append(
            Problem(
                .badOverride, at: path,
                position: .override("\(origin) \(path.tokens.joined(separator: "."))"),
                found: "\"variants\"",
                allowed: "a value of the scenario itself: variants are written in its file"))
    }

    /// Applies a variant: its values, in order.
    mutating func apply(_ variant: Named<VariantDraft>) {
        for assignment in variant.value {
            // What is no path, or none for a variant, is reported where it stands.
            guard let path = JSONPath(text: assignment.name), VariantFormat.mayChange(path) else { continue }
            let node = assignment.value.node
            set(path.tokens, .node(node), at: node.position, origin: "variant \(variant.name)")
        }
    }

    private mutating func set(_ tokens: [String], _ text: String, _ origin: String) {
        let label =
            ScenarioOverride.namesPath(origin)
            ? "\(origin) \(tokens.joined(separator: "."))" : origin
        set(tokens, .text(text), at: .override(label), origin: origin)
    }

    /// What is put in a place.
    private enum NewValue {
        /// JSON, or raw text where the field is a text.
        case text(String)
        case node(JSONNode)
    }

    private mutating func set(
        _ tokens: [String], _ new: NewValue, at position: SourcePosition, origin: String
    ) {
        var path: [String] = []
        do throws(WrongPath) {
            let shape = Shape.object(ScenarioDraft.format.fields.map { ($0.name, $0.shape) })
            try Overrides.set(new, in: &root, tokens[...], shape, position, &path)
            let value = JSONPath(path)
            applied.append(
                ScenarioOverride(
                    path: value.pointer, value: root.value(at: path)?.compactText ?? "", origin: origin))
        } catch {
            problems.append(
                Problem(
                    .badOverride, at: JSONPath(path), position: position, found: error.found,
                    allowed: error.allowed,
                    nearest: error.nearest))
        }
    }

    private struct WrongPath: Error {
        var found: String
        var allowed: String
        var nearest: String?
    }

    private static func set(
        _ new: NewValue, in node: inout JSONNode, _ tokens: ArraySlice<String>, _ shape: Shape?,
        _ position: SourcePosition, _ path: inout [String]
    ) throws(WrongPath) {
        guard let token = tokens.first else {
            switch new {
            case .text(let text): node = try value(of: text, shape, position)
            case .node(let value): node = value
            }
            return
        }
        switch node.content {
        case .object(var members):
            path.append(token)
            if !members.contains(where: { $0.key == token }) {
                members.append(
                    JSONNode.Member(token, JSONNode(.null, position: position), keyPosition: position))
            }
            for index in members.indices where members[index].key == token {
                try set(
                    new, in: &members[index].value, tokens.dropFirst(), shape?.child(token), position, &path)
            }
            node.content = .object(members)
        case .array(var elements):
            let index = try elementIndex(token, elements)
            path.append(String(index))
            if index == elements.count { elements.append(JSONNode(.null, position: position)) }
            try set(new, in: &elements[index], tokens.dropFirst(), shape?.child(token), position, &path)
            node.content = .array(elements)
        case .null, .bool, .number, .string:
            node = try container(for: token, inPlaceOf: node, shape, position)
            try set(new, in: &node, tokens, shape, position, &path)
        }
    }

    /// What takes the place of a value that is to hold others: `null` becomes what the format has there, and a name an
    /// object that extends what bears it, where the format has such. Any other value would be lost without a word.
    private static func container(
        for token: String, inPlaceOf node: JSONNode, _ shape: Shape?, _ position: SourcePosition
    ) throws(WrongPath) -> JSONNode {
        switch node.content {
        case .null:
            let isElement = token == "-" || Int(token) != nil
            let isList = shape.map(\.isList) ?? false
            return JSONNode(isList && isElement ? .array([]) : .object([]), position: position)
        case .string where shape?.child("extends") != nil:
            return JSONNode(
                .object([JSONNode.Member("extends", node, keyPosition: position)]), position: node.position)
        default:
            throw WrongPath(
                found: "\(node.summary) where \"\(token)\" is to be",
                allowed: "a path to a value, or to one that holds others; this one is set as a whole")
        }
    }

    /// The element that a token means: an index, `-` or the count for a new one, or the `name` of an object.
    private static func elementIndex(_ token: String, _ elements: [JSONNode]) throws(WrongPath) -> Int {
        if token == "-" { return elements.count }
        if let index = Int(token) {
            guard (0...elements.count).contains(index) else {
                throw WrongPath(found: "element \(index)", allowed: indices(elements.count))
            }
            return index
        }
        let names = elements.map { $0["name"]?.string ?? "" }
        let matches = names.indices.filter { names[$0] == token }
        guard let match = matches.first, matches.count == 1 else {
            let known = names.filter { !$0.isEmpty }
            throw WrongPath(
                found: matches.isEmpty ? "\"\(token)\"" : "\"\(token)\" \(matches.count) times",
                allowed: "an index"
                    + (known.isEmpty ? "" : " or a name that is there once: \(quotedList(known))"),
                nearest: NameDistance.nearest(to: token, among: known))
        }
        return match
    }

    /// The indices of a list's elements, and that of one that it does not have yet.
    private static func indices(_ count: Int) -> String {
        switch count {
        case 0: "0 or -, for a new element"
        case 1: "0, or 1 or - for a new element"
        default: "an index from 0 to \(count - 1), or \(count) or - for a new element"
        }
    }

    /// Reads an argument as JSON, or as raw text where the field is a text.
    private static func value(of text: String, _ shape: Shape?, _ position: SourcePosition) throws(WrongPath)
        -> JSONNode
    {
        let raw = JSONNode(.string(text), position: position)
        guard let (parsed, _) = try? JSONReader.read(Array(text.utf8)) else {
            // For a key that the format does not know, the key is the problem, not the value.
            if shape.map(\.takesText) ?? true { return raw }
            throw WrongPath(
                found: "\"\(text)\"", allowed: "JSON: a number, true, false, an array or an object")
        }
        if let shape, shape.takesOnlyText, parsed.string == nil { return raw }
        return parsed.moved(to: position)
    }
}

extension JSONNode {
    /// Takes out the member at the end of a path, if it is there.
    fileprivate mutating func removeMember(_ path: [String]) {
        guard let key = path.first else { return }
        switch content {
        case .object(var members):
            if path.count == 1 {
                members.removeAll { $0.key == key }
            } else {
                for index in members.indices where members[index].key == key {
                    members[index].value.removeMember(Array(path.dropFirst()))
                }
            }
            content = .object(members)
        case .array(var elements):
            guard let index = Int(key), elements.indices.contains(index) else { return }
            elements[index].removeMember(Array(path.dropFirst()))
            content = .array(elements)
        default: break
        }
    }

    /// The same value as if it all stood at one position.
    func moved(to position: SourcePosition) -> JSONNode {
        let content: Content =
            switch content {
            case .array(let elements): .array(elements.map { $0.moved(to: position) })
            case .object(let members):
                .object(members.map { Member($0.key, $0.value.moved(to: position), keyPosition: position) })
            default: content
            }
        return JSONNode(content, position: position)
    }
}
