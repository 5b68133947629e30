import CSimdjson

/// Why bytes are not JSON that may be read.
package enum JSONError: Error, Equatable {
    /// No value: nothing, or only white space.
    case empty
    /// Not JSON (RFC 8259): a misplaced or missing character, a cut text.
    case malformed
    /// The text, or a string once its escapes are resolved, is not valid UTF-8.
    case invalidEncoding
    /// Deeper nested than the limit, in levels.
    case tooDeep(limit: Int)
    /// A number that is malformed or fits neither 64 bits nor a finite double.
    case invalidNumber
    /// A bad escape or a control character in a string, or a string without its end.
    case invalidString
    /// Longer than the limit, in bytes.
    case tooLarge(limit: Int)
    /// No memory for a document of this size.
    case outOfMemory
}

/// A reader of JSON from outside over simdjson, to be made once and used for every text.
///
/// A text is parsed into one tape, whose memory is reused for the next: no allocation once the
/// largest text was seen. Not thread-safe; one per thread.
///
/// ```swift
/// let price = try parser.withParsed(bytes) { $0["properties"]?["price"]?.double }
/// ```
package final class JSONParser {
    /// The most bytes that a text may have.
    package let byteLimit: Int
    /// The most levels of arrays and objects in each other.
    package let depthLimit: Int

    private let parser: OpaquePointer
    private var structurals = UnsafeBufferPointer<UInt32>(start: nil, count: 0)

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - byteLimit: The most bytes that a text may have, below 2^32.
    ///   - depthLimit: The most levels, 1 to 1000: walks recurse once per level. An empty array or
    ///     object at the bottom is not counted.
    package init(byteLimit: Int = 64 << 20, depthLimit: Int = 128) {
        precondition(byteLimit > 0 && byteLimit < 1 << 32)
        precondition((1...1000).contains(depthLimit))
        // simdjson counts the document itself as a level.
        guard let parser = csimdjson_create(byteLimit, depthLimit + 1) else {
            preconditionFailure("no memory for a parser")
        }
        self.byteLimit = byteLimit
        self.depthLimit = depthLimit
        self.parser = parser
    }

    deinit { csimdjson_destroy(parser) }

    /// Parses a text and calls `body` with its value, which must not outlive the call.
    ///
    /// - Throws: ``JSONError``, or what `body` throws.
    package func withParsed<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        try withExtendedLifetime(self) { try body(parse(bytes)) }
    }

    /// Parses a text.
    ///
    /// - Returns: A value that points into this parser: valid until its next parse and as long as it
    ///   lives. Hold the parser in a property, or use ``withParsed(_:_:)``: the last use of a local
    ///   variable ends its object's life.
    /// - Throws: ``JSONError``.
    package func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        var document = csimdjson_document()
        let status = csimdjson_parse(
            parser, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &document)
        guard status == CSIMDJSON_OK, let tape = document.tape, let strings = document.strings else {
            throw error(of: status)
        }
        structurals = UnsafeBufferPointer(start: document.structurals, count: document.structural_count)
        return JSONValue(tape: tape, strings: UnsafeRawPointer(strings), index: 1)
    }

    /// Where the elements of the list lie in the text that was parsed last: valid as long as its value.
    ///
    /// - Precondition: `bytes` is that text, and its value is a list.
    package func listSlices(of bytes: UnsafeRawBufferPointer) -> JSONListSlices {
        JSONListSlices(bytes, structurals: structurals)
    }

    /// Where the elements of a list within the text that was parsed last lie in it; `nil` where there is no list, or where
    /// a name on the way is written with escapes.
    ///
    /// - Parameters:
    ///   - bytes: That text.
    ///   - path: The UTF-8 of the members' names that lead to the list.
    /// - Complexity: O(structural characters before the list).
    package func listSlices(of bytes: UnsafeRawBufferPointer, at path: [[UInt8]]) -> JSONListSlices? {
        JSONListSlices(bytes, structurals: structurals, at: path)
    }

    private func error(of status: csimdjson_status) -> JSONError {
        switch status {
        case CSIMDJSON_EMPTY: .empty
        case CSIMDJSON_ENCODING: .invalidEncoding
        case CSIMDJSON_DEPTH: .tooDeep(limit: depthLimit)
        case CSIMDJSON_NUMBER: .invalidNumber
        case CSIMDJSON_STRING: .invalidString
        case CSIMDJSON_CAPACITY: .tooLarge(limit: byteLimit)
        case CSIMDJSON_MEMORY: .outOfMemory
        default: .malformed
        }
    }
}
