/// Why a file is no report, and where in it.
package struct ReportReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, such as `events.captured`; empty for the whole file.
    package var key: String
    package var message: String
    package var description: String { key.isEmpty ? message : "\(key): \(message)" }
}

/// A value of a report with the key that leads to it, so that every complaint can name it.
struct ReportNode {
    let key: String
    let value: JSONValue

    init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }

    /// The whole of a file, which has to name its schema.
    ///
    /// - Throws: ``ReportReadError`` if the file is no JSON, or of another schema.
    init(_ bytes: [UInt8], schema: String) throws(ReportReadError) {
        let value: JSONValue
        do { value = try JSONText.read(bytes) } catch {
            throw ReportReadError(key: "", message: "no JSON: \(error)")
        }
        self.init(key: "", value: value)
        let found = try required("schema").string()
        guard found == schema else {
            throw ReportReadError(key: "schema", message: "expected \(schema), found \(found)")
        }
    }

    private func mismatch(_ expected: String) -> ReportReadError {
        ReportReadError(key: key, message: "expected \(expected), found \(value.kind)")
    }

    /// The value of a key that must be there.
    func required(_ name: String) throws(ReportReadError) -> ReportNode {
        guard let node = try optional(name) else {
            throw ReportReadError(key: path(name), message: "the key is missing")
        }
        return node
    }

    /// The value of a key, `nil` where it is missing or null.
    func optional(_ name: String) throws(ReportReadError) -> ReportNode? {
        guard case .object = value else { throw mismatch("an object") }
        guard let found = value[name], found != .null else { return nil }
        return ReportNode(key: path(name), value: found)
    }

    private func path(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    func string() throws(ReportReadError) -> String {
        guard case .string(let text) = value else { throw mismatch("a string") }
        return text
    }

    func boolean() throws(ReportReadError) -> Bool {
        guard case .boolean(let truth) = value else { throw mismatch("true or false") }
        return truth
    }

    func unsigned() throws(ReportReadError) -> UInt64 {
        switch value {
        case .unsigned(let number): return number
        case .double(let number):
            guard let whole = UInt64(exactly: number) else {
                throw mismatch("a whole number from 0 to 2^64 − 1")
            }
            return whole
        default: throw mismatch("a whole number from 0 to 2^64 − 1")
        }
    }

    /// A number of things: small enough that sums of them cannot overflow.
    func count() throws(ReportReadError) -> UInt64 {
        let number = try unsigned()
        guard number < 1 << 53 else {
            throw ReportReadError(key: key, message: "expected a count below 2^53")
        }
        return number
    }

    func integer() throws(ReportReadError) -> Int {
        if case .integer(let number) = value { return Int(number) }
        if case .unsigned(let number) = value, let whole = Int(exactly: number) { return whole }
        throw mismatch("a whole number")
    }

    func double() throws(ReportReadError) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .unsigned(let number): return Double(number)
        case .double(let number): return number
        default: throw mismatch("a number")
        }
    }

    func elements() throws(ReportReadError) -> [ReportNode] {
        guard case .array(let values) = value else { throw mismatch("an array") }
        return values.enumerated().map { ReportNode(key: "\(key)[\($0.offset)]", value: $0.element) }
    }

    func members() throws(ReportReadError) -> [(name: String, node: ReportNode)] {
        guard case .object(let members) = value else { throw mismatch("an object") }
        return members.map { ($0.key, ReportNode(key: path($0.key), value: $0.value)) }
    }

    func strings() throws(ReportReadError) -> [String] {
        var texts: [String] = []
        for element in try elements() { texts.append(try element.string()) }
        return texts
    }

    func counts() throws(ReportReadError) -> [Report.NamedCount] {
        var counts: [Report.NamedCount] = []
        for (name, node) in try members() { counts.append(Report.NamedCount(name, try node.count())) }
        return counts
    }
}
