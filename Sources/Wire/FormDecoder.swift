/// Why bytes are not an acceptable form.
package enum FormError: Error, Equatable {
    /// More fields than the limit.
    case tooManyFields(limit: Int)
    /// A `%` without two hexadecimal digits, at this offset in the name or value.
    case malformedEscape(offset: Int)
}

/// One field of a form, still encoded; valid as long as the body's memory is.
package struct FormField {
    /// The name as it came.
    package let rawName: UnsafeRawBufferPointer
    /// The value as it came; empty where the field has no `=`.
    package let rawValue: UnsafeRawBufferPointer

    /// Whether the name, as it came, is this. The names that matter here need no escapes.
    @inlinable
    package func isNamed(_ name: StaticString) -> Bool { rawName.equals(name) }

    /// Appends the decoded value.
    ///
    /// - Throws: ``FormError/malformedEscape(offset:)``; then `output` is as before.
    package func appendValue(to output: inout WireBuffer) throws(FormError) {
        if let offset = PercentEncoding.decodeForm(rawValue, into: &output) {
            throw .malformedEscape(offset: offset)
        }
    }

    /// Appends the decoded name.
    ///
    /// - Throws: ``FormError/malformedEscape(offset:)``; then `output` is as before.
    package func appendName(to output: inout WireBuffer) throws(FormError) {
        if let offset = PercentEncoding.decodeForm(rawName, into: &output) {
            throw .malformedEscape(offset: offset)
        }
    }

    /// The decoded value as an integer: an optional `-` and digits, nothing else.
    ///
    /// An escape is not expected in a number and makes it `nil`.
    package var integer: Int64? { rawValue.decimalInteger }
}

/// Walks the fields of an application/x-www-form-urlencoded body without copying any.
///
/// ```swift
/// var form = FormDecoder(body)
/// while let field = try form.next() {
///     if field.isNamed("data_list") { try field.appendValue(to: &list) }
/// }
/// ```
///
/// Empty parts (`a=1&&b=2`) are skipped, as in the WHATWG's URL standard. O(body) over all fields.
package struct FormDecoder {
    /// The most fields that a body may have.
    package let fieldLimit: Int

    private var rest: UnsafeRawBufferPointer
    private var fieldCount = 0

    /// Makes a walk over a body, whose memory must outlive the walk and its fields.
    package init(_ body: UnsafeRawBufferPointer, fieldLimit: Int = 64) {
        rest = body
        self.fieldLimit = fieldLimit
    }

    /// The next field, or `nil` at the end.
    ///
    /// - Throws: ``FormError/tooManyFields(limit:)``.
    package mutating func next() throws(FormError) -> FormField? {
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.count
            let part = UnsafeRawBufferPointer(rebasing: rest[..<end])
            rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
            guard !part.isEmpty else { continue }
            fieldCount += 1
            guard fieldCount <= fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.count
            return FormField(
                rawName: UnsafeRawBufferPointer(rebasing: part[..<equals]),
                rawValue: UnsafeRawBufferPointer(rebasing: part[min(equals + 1, part.count)...]))
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those of a literal.
    @inlinable
    package func equals(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        let other = literal.utf8Start
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// The integer that the bytes spell in ASCII: an optional `-` and digits, within 64 bits.
    package var decimalInteger: Int64? {
        let isNegative = first == UInt8(ascii: "-")
        guard count > (isNegative ? 1 : 0) else { return nil }
        var value: Int64 = 0
        for byte in isNegative ? dropFirst() : self[...] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            // Downwards for negative numbers, so that the least one fits too.
            let (sum, carried) = tenfold.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        return value
    }
}
