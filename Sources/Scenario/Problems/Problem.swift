package import Wire

/// Something in a scenario, or in what overrides it, that keeps it from running.
package struct Problem: Hashable, Sendable {
    /// What sort of thing is wrong, as messages call it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Not JSON, not UTF-8, too large or too deep.
        case syntax
        case duplicateKey = "duplicate key"
        case unknownKey = "unknown key"
        case missingKey = "missing key"
        case wrongType = "wrong type"
        case outOfRange = "out of range"
        case unknownName = "unknown name"
        /// Part of the format, but nothing in this build acts on it.
        case notSupported = "not supported by this build"
        /// Two parts of the scenario do not fit together.
        case conflict
        /// `${NAME}` without such an environment variable.
        case unsetVariable = "unset variable"
        case threshold = "wrong threshold"
        /// An option or variable that names no place in the scenario.
        case badOverride = "wrong override"
    }

    package var kind: Kind
    /// JSON pointer to the value concerned; empty for the whole document.
    package var pointer: String
    package var position: SourcePosition
    package var found: String
    package var allowed: String
    /// The known name that comes nearest to the one found, if one is near.
    package var nearest: String?

    package init(
        _ kind: Kind, at path: JSONPath, position: SourcePosition, found: String, allowed: String,
        nearest: String? = nil
    ) {
        self.kind = kind
        self.pointer = path.pointer
        self.position = position
        self.found = found
        self.allowed = allowed
        self.nearest = nearest
    }

    /// A name or a value may be as long as the file; its beginning tells enough.
    private static func clipped(_ text: String) -> String {
        guard text.utf8.count > 400 else { return text.showingInvisible }
        return "\(String(text.unicodeScalars.prefix(200)).showingInvisible)… (\(text.utf8.count) bytes)"
    }

    /// One line for people: place, pointer, what was found, what is allowed, the nearest match.
    package func text(file: String) -> String {
        var place = file
        switch position {
        case .file(let line, let column): place += ":\(line):\(column)"
        case .override(let text): place = text
        case .preset(let name): place += " with preset \(name)"
        case .none: break
        }
        let subject = pointer.isEmpty ? "" : "\(Problem.clipped(pointer)): "
        var text =
            "\(place): \(subject)\(kind.rawValue): found \(Problem.clipped(found)); allowed: \(allowed)"
        if let nearest { text += "; did you mean \"\(nearest)\"?" }
        return text
    }
}

/// Every problem of a scenario, in the order of the file; those of options come last.
package struct ScenarioProblems: Error, Hashable, Sendable {
    package var problems: [Problem]
}

/// Something that will run, but perhaps not as its author thinks.
package struct ScenarioWarning: Hashable, Sendable {
    /// JSON pointer to the value concerned.
    package var pointer: String
    package var text: String

    /// The warning behind its place.
    package var placedText: String { "\(pointer): \(text)" }

    /// The warning as a line about a file.
    package func line(file: String) -> String { "warning: \(file): \(placedText)" }

    package init(pointer: String, text: String) {
        self.pointer = pointer
        self.text = text
    }
}
