import Wire

/// Takes off what lies around the JSON of an upload: gzip, a form, base64.
///
/// Not thread-safe: the memory is used for one body after the other.
final class DeclaredBody {
    private let gzip = GzipDecoder(limit: JSONBatch.textLimit)
    private var unpacked = WireBuffer()
    private var field = WireBuffer()
    /// The JSON, or lines of it, of the body that was opened last.
    private(set) var text = WireBuffer()
    /// Whether the body, or the query, asks for an answer in words.
    private(set) var wantsWords = false
    /// Whether ``text`` is one object made of the fields of a form.
    private(set) var isFields = false

    var textCapacity: Int { unpacked.capacity + field.capacity + text.capacity }

    /// Opens a request's body, or its query where there is no body.
    ///
    /// - Parameters:
    ///   - fields: The fields that may hold the body.
    ///   - takesFields: Whether the fields of a form or a query may be an event themselves.
    /// - Returns: What is wrong, or `nil`.
    func open(
        _ request: CollectedRequest, fields: [String], takesFields: Bool
    ) -> UndecodableReason? {
        isFields = false
        wantsWords = queryValue("verbose", in: request.query) == "1"
        if request.body.isEmpty, takesFields || request.method == .get {
            return WireBuffer(request.query).withUnsafeBytes { openForm($0, fields, takesFields) }
        }
        return open(request.body, fields, takesFields)
    }

    /// Takes a text as it is.
    func open(plain: UnsafeRawBufferPointer) {
        wantsWords = false
        isFields = false
        text.removeAll()
        text.append(contentsOf: plain)
    }

    private func open(
        _ body: UnsafeRawBufferPointer, _ fields: [String], _ takesFields: Bool
    ) -> UndecodableReason? {
        guard body.count <= JSONBatch.textLimit else { return .tooLarge }
        guard !GzipDecoder.isGzip(body) else {
            unpacked.removeAll()
            if let reason = unpack(body) { return reason }
            let unpacked = unpacked
            return unpacked.withUnsafeBytes { open(inner: $0, fields, takesFields) }
        }
        return open(inner: body, fields, takesFields)
    }

    private func open(
        inner body: UnsafeRawBufferPointer, _ fields: [String], _ takesFields: Bool
    ) -> UndecodableReason? {
        guard !DeclaredBody.isJSON(body) else {
            open(text: body)
            return nil
        }
        return openForm(body, fields, takesFields)
    }

    private func open(text bytes: UnsafeRawBufferPointer) {
        text.removeAll()
        text.append(contentsOf: bytes)
    }

    private func unpack(_ body: UnsafeRawBufferPointer) -> UndecodableReason? {
        do {
            try gzip.decompress(body, into: &unpacked)
            return nil
        } catch .tooLarge {
            return .tooLarge
        } catch {
            return .gzip
        }
    }

    // MARK: Forms

    private func openForm(
        _ body: UnsafeRawBufferPointer, _ fields: [String], _ takesFields: Bool
    ) -> UndecodableReason? {
        var form = FormDecoder(body)
        var holder: FormField?
        var object = WireBuffer("{")
        do {
            while let found = try form.next() {
                if found.isNamed("verbose"), found.integer == 1 { wantsWords = true }
                if holder == nil, DeclaredBody.isOne(found, of: fields) { holder = found }
                if takesFields { try append(found, to: &object) }
            }
        } catch { return .form }
        guard let holder else {
            guard takesFields, object.count > 1 else { return .form }
            object.append(UInt8(ascii: "}"))
            text = object
            isFields = true
            return nil
        }
        field.removeAll()
        guard (try? holder.appendValue(to: &field)) != nil else { return .form }
        let value = field
        return value.withUnsafeBytes { openField($0) }
    }

    /// Whether a field has one of some names: clients escape what a name has in it.
    private static func isOne(_ found: FormField, of names: [String]) -> Bool {
        var name = WireBuffer()
        guard (try? found.appendName(to: &name)) != nil else { return false }
        return name.withUnsafeBytes { bytes in names.contains { bytes.elementsEqual($0.utf8) } }
    }

    /// A form's field as a member with a text.
    private func append(_ found: FormField, to object: inout WireBuffer) throws(FormError) {
        var (name, value) = (WireBuffer(), WireBuffer())
        try found.appendName(to: &name)
        try found.appendValue(to: &value)
        object.appendJSONComma()
        name.withUnsafeBytes { object.appendJSONString(utf8: $0) }
        object.append(UInt8(ascii: ":"))
        value.withUnsafeBytes { object.appendJSONString(utf8: $0) }
    }

    /// A field's value: JSON as it is, or in base64, packed or not.
    private func openField(_ value: UnsafeRawBufferPointer) -> UndecodableReason? {
        guard !DeclaredBody.isJSON(value) else {
            open(text: value)
            return nil
        }
        text.removeAll()
        guard Base64.decodeLeniently(value, into: &text) else { return .base64 }
        let packed = text
        return packed.withUnsafeBytes { bytes in
            guard GzipDecoder.isGzip(bytes) else { return nil }
            unpacked.removeAll()
            if let reason = unpack(bytes) { return reason }
            text = unpacked
            return nil
        }
    }

    /// Whether bytes begin as an object or a list of JSON.
    private static func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
