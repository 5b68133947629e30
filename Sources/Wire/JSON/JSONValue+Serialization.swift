extension JSONValue {
    /// Appends the value as JSON text without white space.
    ///
    /// The text is a normal form of what was parsed: members keep their order, strings are escaped
    /// only where they must be, integers keep their digits, and doubles take their shortest form (1.0
    /// becomes 1). So
    /// two texts of one value that differ in spacing and escapes alone become equal.
    ///
    /// - Parameters:
    ///   - output: Where to append.
    ///   - omitted: The name of members of this object, at its first level, to leave out.
    /// - Complexity: O(size of the value's text).
    package func appendJSON(to output: inout WireBuffer, omittingMember omitted: StaticString? = nil) {
        switch kind {
        case .object: appendObject(to: &output, omitting: omitted)
        case .array: appendArray(to: &output)
        case .string: output.appendJSONString(utf8: bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .integer: output.appendDecimal(int64 ?? 0)
        case .unsigned: output.appendDecimal(uint64 ?? 0)
        case .double: appendDouble(to: &output)
        case .bool: output.appendJSON(bool ?? false)
        case .null: output.append("null")
        }
    }

    private func appendObject(to output: inout WireBuffer, omitting omitted: StaticString?) {
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members {
            if let omitted, name.equals(omitted) { continue }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            output.appendJSONString(utf8: name)
            output.append(UInt8(ascii: ":"))
            value.appendJSON(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private func appendArray(to output: inout WireBuffer) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for value in elements {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            value.appendJSON(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private func appendDouble(to output: inout WireBuffer) {
        output.appendDecimal(double ?? 0)
    }
}
