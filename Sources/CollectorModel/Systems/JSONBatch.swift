import Wire

/// Walks the elements of a list of JSON values that came from outside.
///
/// Not thread-safe: the parser's memory is used for one text after the other.
final class JSONBatch {
    /// The most bytes of JSON that one request may hold.
    static let textLimit = 64 << 20

    private let parser = JSONParser(byteLimit: JSONBatch.textLimit)

    /// One element: its value, which is valid during the call only, and its text.
    enum Element {
        case value(JSONValue, text: UnsafeRawBufferPointer)
        /// No JSON.
        case broken
    }

    /// Calls `body` with each element in order; a single value is a list of one.
    ///
    /// If the text as a whole is no JSON, each element is tried alone, so that one broken event does not
    /// take the others with it.
    func forEachElement(of text: UnsafeRawBufferPointer, _ body: (Element) -> Void) {
        guard let root = try? parser.parse(text) else { return salvage(text, body) }
        guard root.kind == .array else {
            var whole = JSONElementScanner(text)
            return body(.value(root, text: whole.next() ?? text))
        }
        var slices = parser.listSlices(of: text)
        for value in root.elements {
            guard let slice = slices.next() else { return }
            body(.value(value, text: slice))
        }
    }

    private func salvage(_ text: UnsafeRawBufferPointer, _ body: (Element) -> Void) {
        var slices = JSONElementScanner(text)
        var isEmpty = true
        while let slice = slices.next() {
            isEmpty = false
            if let value = try? parser.parse(slice) {
                body(.value(value, text: slice))
            } else {
                body(.broken)
            }
        }
        if isEmpty { body(.broken) }
    }
}
