import SDKDescription
import Wire

/// Makes programs of templates: constant segments are joined and escaped once, and what changes with a device's state
/// alone is put together in chunks.
struct DeclaredCompiler {
    /// Each once, whatever templates use it.
    private(set) var chunks: [[DeclaredOperation]] = []
    private var numbers: [[DeclaredOperation]: Int] = [:]
    /// Which names of the app's own properties do not count, since the template has them: one list for each use.
    private(set) var excludedNames: [Set<String>] = []
    /// The text that holds a body's events, if the value that was compiled last has one.
    private var textOfEvents: (encoding: Template.Encoding, inner: Template)?

    /// Compiles a value.
    mutating func compile(_ template: Template) -> [DeclaredOperation] { joined(groups(of: template)) }

    /// Compiles what stands before and after the list of events in a body. Where they lie in a text that holds JSON, that
    /// text is a part by itself: the outermost part is the first.
    mutating func compile(body: Template) -> [DeclaredBodyPart] {
        var parts: [DeclaredBodyPart] = []
        var next: (encoding: Template.Encoding?, template: Template)? = (nil, body)
        while let (encoding, template) = next {
            textOfEvents = nil
            let groups = groups(of: template)
            next = nil
            if let text = textOfEvents { next = (text.encoding, text.inner) }
            let index = groups.firstIndex { $0.holdsEvents } ?? groups.count
            parts.append(
                DeclaredBodyPart(
                    encoding: encoding, before: joined(groups[..<index]),
                    after: joined(groups[min(index + 1, groups.count)...])))
        }
        return parts
    }

    // MARK: Steps in a row

    /// Steps one after the other; stable neighbours become chunks.
    private mutating func joined(_ groups: some Sequence<DeclaredSteps>) -> [DeclaredOperation] {
        var joined = DeclaredSequence()
        var stable = DeclaredSequence()
        for group in groups {
            if group.isStable {
                stable.append(group.operations)
            } else {
                joined.append(chunked(stable))
                joined.append(group.operations)
                stable = DeclaredSequence()
            }
        }
        joined.append(chunked(stable))
        return joined.operations
    }

    /// Stable steps as a chunk, without the constants around it: so the templates of many events share it.
    private mutating func chunked(_ steps: DeclaredSequence) -> [DeclaredOperation] {
        let operations = steps.operations
        guard let first = operations.firstIndex(where: { !$0.isConstant }),
            let last = operations.lastIndex(where: { !$0.isConstant })
        else { return operations }
        let end = max(last + 1, steps.fixed)
        let chunk = Array(operations[first..<end])
        let number = numbers[chunk] ?? chunks.count
        if number == chunks.count {
            chunks.append(chunk)
            numbers[chunk] = number
        }
        return operations[..<first] + [.chunk(number)] + operations[end...]
    }

    private func literal(_ write: (inout WireBuffer) -> Void) -> DeclaredSteps {
        var buffer = WireBuffer()
        write(&buffer)
        return DeclaredSteps(operations: [.bytes(buffer.bytes)])
    }

    private func literal(_ text: String) -> DeclaredSteps {
        DeclaredSteps(operations: [.bytes(Array(text.utf8))])
    }

    // MARK: Values

    private mutating func groups(of template: Template) -> [DeclaredSteps] {
        switch template {
        case .null: return [literal("null")]
        case .bool(let value): return [literal(value ? "true" : "false")]
        case .number(let digits): return [literal(digits)]
        case .text(let segments): return text(segments)
        case .value(let placeholder): return value(placeholder)
        case .list(let elements):
            var groups = [literal("[")]
            for (index, element) in elements.enumerated() {
                if index > 0 { groups.append(literal(",")) }
                groups += self.groups(of: element)
            }
            return groups + [literal("]")]
        case .object(let members): return object(members)
        case .encoded(let encoding, let inner):
            guard inner.placeholders.contains(where: { $0.source == .events }) else {
                return encoded(encoding, groups(of: inner))
            }
            textOfEvents = (encoding, inner)
            return [literal("\""), DeclaredSteps(isStable: false, holdsEvents: true), literal("\"")]
        }
    }

    /// JSON as a text. What is stable in it is a chunk of its own, unless all of it is.
    private mutating func encoded(
        _ encoding: Template.Encoding, _ inner: [DeclaredSteps]
    ) -> [DeclaredSteps] {
        let isStable = inner.allSatisfy(\.isStable)
        let steps = isStable ? inner.flatMap(\.operations) : joined(inner)
        return [
            literal("\""),
            DeclaredSteps(operations: [.beginText] + steps + [.endText(encoding)], isStable: isStable),
            literal("\""),
        ]
    }

    private mutating func text(_ segments: [Template.Segment]) -> [DeclaredSteps] {
        var groups = [literal("\"")]
        for segment in segments {
            switch segment {
            case .constant(let text):
                groups.append(
                    literal { buffer in
                        var text = text
                        text.withUTF8 { buffer.appendJSONEscaped(utf8: UnsafeRawBufferPointer($0)) }
                    })
            case .slot(let placeholder): groups.append(slot(placeholder))
            }
        }
        return groups + [literal("\"")]
    }

    private func slot(_ placeholder: Placeholder) -> DeclaredSteps {
        if placeholder.source == .harnessID {
            return DeclaredSteps(operations: [.harnessID], isStable: false)
        }
        return DeclaredSteps(
            operations: [.slot(placeholder.source, DeclaredSlotForm(placeholder.filters))],
            isStable: placeholder.source.isStable)
    }

    private mutating func value(_ placeholder: Placeholder) -> [DeclaredSteps] {
        switch placeholder.source {
        case .events: return [DeclaredSteps(isStable: false, holdsEvents: true)]
        case .properties: return object([.merge(.value(placeholder))])
        default: break
        }
        let isText = placeholder.kind == .text
        let present =
            isText ? [literal("\""), slot(placeholder), literal("\"")] : [slot(placeholder)]
        guard placeholder.source.mayBeAbsent else { return present }
        let null = literal("null").operations
        let steps = flat(present)
        let operations =
            [.skipIfAbsent(placeholder.source, count: steps.operations.count + 1)] + steps.operations
            + [.skip(count: null.count)] + null
        return [DeclaredSteps(operations: operations, isStable: placeholder.source.isStable)]
    }

    /// Steps as one group.
    private func flat(_ groups: [DeclaredSteps]) -> DeclaredSteps {
        DeclaredSteps(
            operations: groups.flatMap(\.operations), isStable: groups.allSatisfy(\.isStable))
    }

    // MARK: Objects

    private mutating func object(_ members: [Template.Member]) -> [DeclaredSteps] {
        var groups = [literal("{")]
        let names = Set(members.compactMap(\.name))
        // Whether the object has a member by now, whatever is absent.
        var hasMember = false
        for member in members {
            switch member {
            case .merge(let merged):
                if case .value(let placeholder) = merged, placeholder.source == .properties {
                    groups.append(
                        DeclaredSteps(operations: [.properties(excludedNames.count)], isStable: false))
                    excludedNames.append(names)
                }
            case .key(let name, .value(let placeholder)) where placeholder.isOptional:
                groups.append(optional(name, placeholder, hasMember: hasMember))
            case .key(let name, let value):
                groups += key(name, hasMember: hasMember)
                groups += self.groups(of: value)
                hasMember = true
            }
        }
        return groups + [literal("}")]
    }

    private mutating func key(_ name: String, hasMember: Bool) -> [DeclaredSteps] {
        let key = literal { buffer in
            if hasMember { buffer.append(UInt8(ascii: ",")) }
            buffer.appendJSONString(name)
            buffer.append(UInt8(ascii: ":"))
        }
        return hasMember ? [key] : [DeclaredSteps(operations: [.comma], isStable: false), key]
    }

    private mutating func optional(
        _ name: String, _ placeholder: Placeholder, hasMember: Bool
    ) -> DeclaredSteps {
        var plain = placeholder
        plain.isOptional = false
        let isText = placeholder.kind == .text
        let value = isText ? [literal("\""), slot(plain), literal("\"")] : [slot(plain)]
        let present = flat(key(name, hasMember: hasMember) + value)
        return DeclaredSteps(
            operations: [.skipIfAbsent(placeholder.source, count: present.operations.count)]
                + present.operations,
            isStable: present.isStable && placeholder.source.isStable)
    }
}

/// Steps in a row, in which neighbouring constants are one. Steps that skip others stay as they are.
private struct DeclaredSequence {
    private(set) var operations: [DeclaredOperation] = []
    /// Steps before this one are counted by others.
    private(set) var fixed = 0

    mutating func append(_ steps: [DeclaredOperation]) {
        guard !steps.contains(where: \.skips) else {
            operations += steps
            fixed = operations.count
            return
        }
        for step in steps {
            if case .bytes(let bytes) = step, operations.count > fixed,
                case .bytes(let before)? = operations.last
            {
                operations[operations.count - 1] = .bytes(before + bytes)
            } else {
                operations.append(step)
            }
        }
    }
}

extension DeclaredOperation {
    /// Whether it writes the same bytes each time.
    fileprivate var isConstant: Bool { if case .bytes = self { true } else { false } }

    /// Whether it counts the steps after it.
    fileprivate var skips: Bool {
        switch self {
        case .skip, .skipIfAbsent: true
        default: false
        }
    }
}
