import Timebase

@testable import Wire

/// Calls `body` with the text's UTF-8 in place.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBytes(body)
}

/// What `write` appends to an empty buffer, as text.
func written(_ write: (inout WireBuffer) throws -> Void) rethrows -> String {
    var buffer = WireBuffer()
    try write(&buffer)
    return buffer.text
}

/// What `write` appends to an empty buffer.
func writtenBytes(_ write: (inout WireBuffer) throws -> Void) rethrows -> [UInt8] {
    var buffer = WireBuffer()
    try write(&buffer)
    return buffer.bytes
}

/// Calls `body` with a parsed text.
func parsed<Result>(_ text: String, _ body: (JSONValue) throws -> Result) throws -> Result {
    try withBytes(text) { try JSONParser().withParsed($0, body) }
}

/// The error of a text that does not parse, or `nil`.
func parseError(_ bytes: [UInt8], parser: JSONParser = JSONParser()) -> JSONError? {
    var text = WireBuffer()
    text.append(contentsOf: bytes)
    do throws(JSONError) {
        try text.withUnsafeBytes { bytes throws(JSONError) in _ = try parser.parse(bytes) }
        return nil
    } catch {
        return error
    }
}

/// The value's text in normal form.
func normalized(_ text: String, omitting omitted: StaticString? = nil) throws -> String {
    try parsed(text) { value in written { value.appendJSON(to: &$0, omittingMember: omitted) } }
}

extension RandomStream {
    /// A stream for tests with a seed to print.
    init(testSeed: UInt64) {
        self.init(seed: testSeed, population: 0, index: 0, purpose: .test)
    }

    /// Random bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// A random text over ASCII, control characters, Chinese and emoji.
    mutating func text(upTo limit: UInt64) -> String {
        var text = ""
        for _ in 0..<below(limit + 1) {
            let value: UInt64
            switch below(6) {
            case 0: value = below(0x20)
            case 1: value = 0x4E00 + below(0x5000)
            case 2: value = 0x1F300 + below(0x300)
            default: value = 0x20 + below(0x5F)
            }
            if let scalar = Unicode.Scalar(UInt32(value)) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
