/// How JSON is laid out as text.
package enum JSONLayout: Sendable {
    /// No space at all.
    case compact
    /// On one line, with a space after each comma and colon.
    case line
    /// Two spaces a level. Arrays of plain values stay on one line as long as that has no more characters than
    /// `width`, the indentation counted.
    case indented(width: Int = .max)
}

extension JSONNode {
    /// The value as JSON text (RFC 8259), keys in their order; the same value gives the same text.
    ///
    /// - Complexity: O(n).
    package func text(_ layout: JSONLayout) -> String { buffer(layout).text }

    /// The same as bytes.
    package func bytes(_ layout: JSONLayout) -> [UInt8] { buffer(layout).bytes }

    private func buffer(_ layout: JSONLayout) -> WireBuffer {
        var buffer = WireBuffer()
        append(to: &buffer, layout, depth: 0)
        return buffer
    }

    /// The value in the project's own hand, as scenarios and schemas are written.
    package func prettyText() -> String { text(.indented(width: 100)) }

    /// The value on one line.
    package var compactText: String { text(.line) }

    /// A JSON string with its quotes; only what JSON demands is escaped.
    package static func quoted(_ text: String) -> String { JSONNode.text(text).compactText }

    private func append(to buffer: inout WireBuffer, _ layout: JSONLayout, depth: Int) {
        switch content {
        case .null: buffer.append("null")
        case .bool(let value): buffer.appendJSON(value)
        case .number(let digits): buffer.append(digits)
        case .string(let text): buffer.appendJSONString(text)
        case .array(let elements): append(elements, to: &buffer, layout, depth: depth)
        case .object(let members):
            buffer.append("{")
            for (index, member) in members.enumerated() {
                buffer.separate(index, layout, depth: depth + 1)
                buffer.appendJSONString(member.key)
                if case .compact = layout { buffer.append(":") } else { buffer.append(": ") }
                member.value.append(to: &buffer, layout, depth: depth + 1)
            }
            if !members.isEmpty { buffer.breakLine(layout, depth: depth) }
            buffer.append("}")
        }
    }

    private func append(
        _ elements: [JSONNode], to buffer: inout WireBuffer, _ layout: JSONLayout, depth: Int
    ) {
        if case .indented(let width) = layout, elements.allSatisfy(\.isPlain) {
            let start = buffer.count
            append(elements, to: &buffer, .line, depth: depth)
            guard width < .max, !elements.isEmpty, buffer.characters(from: start) + depth * 2 > width else {
                return
            }
            buffer.truncate(to: start)
        }
        buffer.append("[")
        for (index, element) in elements.enumerated() {
            buffer.separate(index, layout, depth: depth + 1)
            element.append(to: &buffer, layout, depth: depth + 1)
        }
        buffer.breakLine(layout, depth: depth)
        buffer.append("]")
    }
}

extension WireBuffer {
    /// Appends what stands before an element: a comma but for the first, and space or a line of its own.
    fileprivate mutating func separate(_ index: Int, _ layout: JSONLayout, depth: Int) {
        if index > 0 {
            if case .line = layout { append(", ") } else { append(",") }
        }
        breakLine(layout, depth: depth)
    }

    fileprivate mutating func breakLine(_ layout: JSONLayout, depth: Int) {
        guard case .indented = layout else { return }
        append("\n")
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    fileprivate func characters(from start: Int) -> Int {
        withUnsafeBytes { String(decoding: $0[start...], as: UTF8.self).count }
    }
}
