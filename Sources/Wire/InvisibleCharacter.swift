/// Characters that nobody sees, though they make a text another one: no-break spaces, zero-width ones, marks of direction.
package enum InvisibleCharacter {
    /// The code of such a character, four digits at least; `nil` of others.
    package static func code(of scalar: Unicode.Scalar) -> String? {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: break
        case .spaceSeparator where scalar != " ": break
        default: return nil
        }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension String {
    /// For messages: what nobody sees by its code, as `\u{200B}`.
    package var showingInvisible: String {
        guard unicodeScalars.contains(where: { InvisibleCharacter.code(of: $0) != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let code = InvisibleCharacter.code(of: scalar) {
                text += "\\u{\(code)}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
