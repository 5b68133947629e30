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
    /// take the others with it. What follows the list, and what a list without an end may have had behind a whole
    /// element, is one more that is broken: how many events it was, nobody can tell.
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
        // Of a text that was cut, the last element is broken by that, or there is none.
        var isLastBroken = false
        var isEmpty = true
        while let slice = slices.next() {
            isEmpty = false
            let value = try? parser.parse(slice)
            isLastBroken = value == nil
            body(value.map { .value($0, text: slice) } ?? .broken)
        }
        if isEmpty || (!slices.endsWell && !(isLastBroken && slices.isAtEnd)) { body(.broken) }
    }
}
