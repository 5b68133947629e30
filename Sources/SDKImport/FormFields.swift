import Wire

/// The fields of a form or of a query, decoded.
enum FormFields {
    /// - Returns: `nil` for what is no form: a malformed escape, or too many fields.
    static func read(_ bytes: [UInt8]) -> [CapturedRequest.Field]? {
        bytes.withUnsafeBytes { bytes in
            var form = FormDecoder(bytes)
            var fields: [CapturedRequest.Field] = []
            do {
                while let field = try form.next() {
                    var (name, value) = (WireBuffer(), WireBuffer())
                    try field.appendName(to: &name)
                    try field.appendValue(to: &value)
                    fields.append(CapturedRequest.Field(name.text, value.text))
                }
                return fields
            } catch { return nil }
        }
    }
}
