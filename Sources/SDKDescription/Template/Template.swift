/// JSON with places that are filled in.
package indirect enum Template: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits as written.
    case number(String)
    /// Segments in a row: always a text, whatever is filled in.
    case text([Segment])
    /// A placeholder by itself, whose value keeps its kind.
    case value(Placeholder)
    case list([Template])
    case object([Member])
    /// A value in JSON, as a text.
    case encoded(Encoding, Template)

    /// A part of a text.
    package enum Segment: Hashable, Sendable {
        case constant(String)
        case slot(Placeholder)
    }

    /// How JSON becomes a text.
    package enum Encoding: String, CaseIterable, Hashable, Sendable {
        /// As it is.
        case jsonText
        /// In base64 with `-` and `_`, without padding (RFC 4648, section 5).
        case base64url
    }

    package enum Member: Hashable, Sendable {
        case key(String, Template)
        /// All members of an object, where no key of the object around it has their names.
        case merge(Template)
    }

    /// A text without a place to fill in.
    package static func constant(_ text: String) -> Template { .text([.constant(text)]) }

    /// A text that is the same everywhere; `nil` for everything else.
    package var constantText: String? {
        guard case .text(let segments) = self else { return nil }
        var text = ""
        for segment in segments {
            guard case .constant(let part) = segment else { return nil }
            text += part
        }
        return text
    }

    /// Every placeholder, in order.
    package var placeholders: [Placeholder] {
        switch self {
        case .null, .bool, .number: []
        case .text(let segments):
            segments.compactMap { if case .slot(let placeholder) = $0 { placeholder } else { nil } }
        case .value(let placeholder): [placeholder]
        case .list(let elements): elements.flatMap(\.placeholders)
        case .object(let members): members.flatMap(\.value.placeholders)
        case .encoded(_, let value): value.placeholders
        }
    }
}

extension Template.Member {
    package var value: Template {
        switch self {
        case .key(_, let value), .merge(let value): value
        }
    }

    package var name: String? {
        if case .key(let name, _) = self { name } else { nil }
    }
}
