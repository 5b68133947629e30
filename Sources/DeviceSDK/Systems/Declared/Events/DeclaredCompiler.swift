import SDKDescription
import Wire

/// Makes programs of templates: constant pieces are joined and escaped once, and what changes with a device's state
/// alone is put together in chunks.
struct DeclaredCompiler {
    private(set) var constants = WireBuffer()
    private(set) var operations: ContiguousArray<DeclaredOperation> = []
    private(set) var chunks: ContiguousArray<Range<Int>> = []
    /// Which names of the app's own properties do not count, since the template has them: one list for each use.
    private(set) var excludedNames: [Set<String>] = []

    /// Compiles a value.
    ///
    /// - Returns: where its steps are in ``operations``.
    mutating func compile(_ template: Template) -> Range<Int> {
        append(groups(of: template))
    }

    /// Compiles what stands before and after the list of events in a body.
    mutating func compile(body: Template) -> (before: Range<Int>, after: Range<Int>) {
        let groups = groups(of: body)
        let place = groups.firstIndex { $0.holdsEvents } ?? groups.count
        return (append(groups[..<place]), append(groups[min(place + 1, groups.count)...]))
    }

    // MARK: Steps in a row

    /// Appends steps; stable neighbours become chunks.
    private mutating func append(_ groups: some Sequence<DeclaredSteps>) -> Range<Int> {
        var joined: [DeclaredOperation] = []
        var stable: [DeclaredOperation] = []
        func isChunk() -> Bool {
            stable.contains { if case .bytes = $0 { false } else { true } }
        }
        func flush(_ compiler: inout DeclaredCompiler) {
            if isChunk() {
                joined.append(.chunk(Int32(compiler.chunks.count)))
                compiler.chunks.append(compiler.store(stable))
            } else {
                joined += stable
            }
            stable = []
        }
        for group in groups {
            if group.isStable {
                stable += group.operations
            } else {
                flush(&self)
                joined += group.operations
            }
        }
        flush(&self)
        return store(joined)
    }

    /// Stores steps, with neighbouring constants in one. Steps that skip others have none of them joined.
    private mutating func store(_ steps: [DeclaredOperation]) -> Range<Int> {
        let start = operations.count
        let skips = steps.contains {
            switch $0 {
            case .skip, .skipIfAbsent: true
            default: false
            }
        }
        for step in steps {
            if !skips, case .bytes(let from, let count) = step, operations.count > start,
                case .bytes(let before, let length)? = operations.last
            {
                operations[operations.count - 1] =
                    before + length == from
                    ? .bytes(start: before, count: length + count) : copied(before, length, from, count)
            } else {
                operations.append(step)
            }
        }
        return start..<operations.count
    }

    private mutating func copied(
        _ first: Int32, _ firstCount: Int32, _ second: Int32, _ secondCount: Int32
    ) -> DeclaredOperation {
        let bytes = constants.bytes
        let start = constants.count
        constants.append(contentsOf: bytes[Int(first)..<Int(first + firstCount)])
        constants.append(contentsOf: bytes[Int(second)..<Int(second + secondCount)])
        return .bytes(start: Int32(start), count: firstCount + secondCount)
    }

    private mutating func literal(_ write: (inout WireBuffer) -> Void) -> DeclaredSteps {
        let start = constants.count
        write(&constants)
        return DeclaredSteps(
            operations: [.bytes(start: Int32(start), count: Int32(constants.count - start))])
    }

    private mutating func literal(_ text: String) -> DeclaredSteps { literal { $0.append(text) } }

    // MARK: Values

    private mutating func groups(of template: Template) -> [DeclaredSteps] {
        switch template {
        case .null: return [literal("null")]
        case .bool(let value): return [literal(value ? "true" : "false")]
        case .number(let digits): return [literal(digits)]
        case .text(let pieces): return text(pieces)
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
            let steps = flat([literal("\"")] + self.groups(of: inner) + [literal("\"")])
            var operations = steps.operations
            operations.insert(.beginText, at: 1)
            operations.insert(.endText(encoding), at: operations.count - 1)
            return [DeclaredSteps(operations: operations, isStable: steps.isStable)]
        }
    }

    private mutating func text(_ pieces: [Template.Piece]) -> [DeclaredSteps] {
        var groups = [literal("\"")]
        for piece in pieces {
            switch piece {
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
        case .events: return [.events]
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
            [.skipIfAbsent(placeholder.source, count: Int32(steps.operations.count + 1))] + steps.operations
            + [.skip(count: Int32(null.count))] + null
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
                        DeclaredSteps(operations: [.properties(Int32(excludedNames.count))], isStable: false))
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
            operations: [
                .skipIfAbsent(placeholder.source, count: Int32(present.operations.count))
            ] + present.operations,
            isStable: present.isStable && placeholder.source.isStable)
    }
}

extension DeclaredSteps {
    /// The place of a body's events.
    fileprivate static let events = DeclaredSteps(operations: [], isStable: false)

    fileprivate var holdsEvents: Bool { operations.isEmpty && !isStable }
}
