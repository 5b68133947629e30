import Wire

/// What curl sends as a body, or as a query, from the options of one command in their order.
struct CurlData {
    private(set) var bytes: [UInt8] = []
    /// Whether `--json` is among them.
    private(set) var isJSON = false

    /// Adds the value of an option.
    ///
    /// - Parameters:
    ///   - option: Its long name, without dashes.
    ///   - line: Where it stands, from 1.
    /// - Throws: ``CaptureProblem`` for what is in a file.
    mutating func add(_ value: [UInt8], _ option: String, line: Int) throws(CaptureProblem) {
        let piece = try CurlData.piece(value, option, line)
        // A piece of JSON goes on where the one before ended.
        if !bytes.isEmpty, option != "json" { bytes.append(UInt8(ascii: "&")) }
        bytes += piece
        isJSON = isJSON || option == "json"
    }

    private static func piece(
        _ value: [UInt8], _ option: String, _ line: Int
    ) throws(CaptureProblem) -> [UInt8] {
        switch option {
        case "data-raw": return value
        case "url-query" where value.first == UInt8(ascii: "+"): return Array(value.dropFirst())
        case "data-urlencode", "url-query": return try encoded(value, line)
        default:
            guard value.first != UInt8(ascii: "@") else { throw inFile(value, line) }
            return value
        }
    }

    /// The content percent-encoded: what comes after the first `=`, or all where there is none. A name before it stays
    /// as it is, and without one there is no `=`.
    private static func encoded(_ value: [UInt8], _ line: Int) throws(CaptureProblem) -> [UInt8] {
        let equals = value.firstIndex(of: UInt8(ascii: "="))
        // `name@file` too.
        if equals == nil, value.contains(UInt8(ascii: "@")) { throw inFile(value, line) }
        var encoded = WireBuffer()
        if let equals, equals > 0 { encoded.append(contentsOf: value[...equals]) }
        let words = value[(equals.map { $0 + 1 } ?? 0)...]
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        for (number, word) in words.enumerated() {
            if number > 0 { encoded.append(UInt8(ascii: "+")) }
            word.withUnsafeBytes { PercentEncoding.unreserved.encode($0, into: &encoded) }
        }
        return encoded.bytes
    }

    private static func inFile(_ value: [UInt8], _ line: Int) -> CaptureProblem {
        CaptureProblem(
            "line \(line)", found: "a body in the file \(String(decoding: value.prefix(60), as: UTF8.self))",
            allowed: "a body in the command itself, or a HAR file")
    }
}
