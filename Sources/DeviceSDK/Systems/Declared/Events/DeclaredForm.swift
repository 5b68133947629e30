import SDKDescription
import Wire

/// The form that a body lies in: fields in order, one of which has the body.
struct DeclaredForm {
    private enum Value {
        case steps(DeclaredRun)
        /// The body through filters, one after the other.
        case body([Placeholder.Filter])
    }

    private var fields: [(name: [UInt8], value: Value)] = []
    private let escaping: PercentEncoding

    /// - Parameter fields: Names, values, and the steps that write those which are not the body.
    init(
        _ fields: [(name: String, value: Template, steps: DeclaredRun)],
        escaping: DescribedSDK.Request.Escaping
    ) {
        // What URLs may have in their queries unescaped is what SensorsAnalytics 4 leaves.
        self.escaping = escaping == .query ? .sensorsModern : .unreserved
        for field in fields {
            var name = WireBuffer()
            self.escaping.encode(WireBuffer(field.name), into: &name)
            name.append(UInt8(ascii: "="))
            var value = Value.steps(field.steps)
            if case .value(let placeholder) = field.value, placeholder.source == .body {
                value = .body(placeholder.filters)
            }
            self.fields.append((name.bytes, value))
        }
    }

    /// Whether a field is packed.
    var needsGzip: Bool {
        fields.contains { field in
            guard case .body(let filters) = field.value else { return false }
            return filters.contains(.gzip)
        }
    }

    /// Appends the form.
    ///
    /// - Parameter json: The body.
    func write(
        _ json: WireBuffer, by writer: inout DeclaredWriter, _ gzip: GzipEncoder?, into out: inout WireBuffer
    ) {
        // What filters have made of the body, so that two fields pack it once.
        var made: [(filters: [Placeholder.Filter], text: WireBuffer)] = [([], json)]
        for (index, field) in fields.enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            out.append(contentsOf: field.name)
            switch field.value {
            case .body(let filters):
                escaping.encode(Self.text(filters[...], of: &made, gzip), into: &out)
            case .steps(let steps):
                var value = WireBuffer()
                writer.write(steps, into: &value)
                let text = value.withUnsafeBytes { Self.text(of: $0) }
                text.withUnsafeBytes { escaping.encode($0, into: &out) }
            }
        }
    }

    private static func text(
        _ filters: ArraySlice<Placeholder.Filter>,
        of made: inout [(filters: [Placeholder.Filter], text: WireBuffer)], _ gzip: GzipEncoder?
    ) -> WireBuffer {
        if let known = made.first(where: { $0.filters.elementsEqual(filters) }) { return known.text }
        let inner = text(filters.dropLast(), of: &made, gzip)
        var text = WireBuffer()
        switch filters.last {
        case .gzip: gzip?.compress(inner, into: &text)
        case .base64: Base64.encode(inner, into: &text)
        case .javaHash: text.appendDecimal(Int64(JavaHash.hash(inner)))
        default: text = inner
        }
        made.append((Array(filters), text))
        return text
    }

    /// What a value in JSON is as a text: a string without its quotes, nothing for `null`, all else as it is.
    static func text(of json: UnsafeRawBufferPointer) -> [UInt8] {
        guard json.first == UInt8(ascii: "\"") else {
            return json.elementsEqual("null".utf8) ? [] : Array(json)
        }
        guard json.contains(UInt8(ascii: "\\")) else { return Array(json.dropFirst().dropLast()) }
        let node = try? JSONReader.readStrictly(Array(json))
        return Array((node?.string ?? "").utf8)
    }
}
