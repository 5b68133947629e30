import Wire

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
    let value: JSONNode

    init(key: String, value: JSONNode) {
        self.key = key
        self.value = value
    }

    /// The whole of a file, which has to name its schema.
    ///
    /// - Throws: ``ReportReadError`` if the file is no JSON, or of another schema.
    init(_ bytes: [UInt8], schema: String) throws(ReportReadError) {
        let value: JSONNode
        do { value = try JSONReader.readStrictly(bytes) } catch {
            throw ReportReadError(key: "", message: "no JSON: \(error)")
        }
        self.init(key: "", value: value)
        let found = try required("schema").string()
        guard found == schema else {
            throw ReportReadError(key: "schema", message: "expected \(schema), found \(found)")
        }
    }

    private func mismatch(_ expected: String) -> ReportReadError {
        ReportReadError(key: key, message: "expected \(expected), found \(kind)")
    }

    /// What kind of value this is, for messages.
    private var kind: String {
        switch value.content {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
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
        guard case .object = value.content else { throw mismatch("an object") }
        guard let found = value[name], found.content != .null else { return nil }
        return ReportNode(key: path(name), value: found)
    }

    private func path(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    func string() throws(ReportReadError) -> String {
        guard let text = value.string else { throw mismatch("a string") }
        return text
    }

    func boolean() throws(ReportReadError) -> Bool {
        guard case .bool(let truth) = value.content else { throw mismatch("true or false") }
        return truth
    }

    func unsigned() throws(ReportReadError) -> UInt64 {
        if let digits = value.digits {
            if let whole = UInt64(digits) ?? Double(digits).flatMap(UInt64.init(exactly:)) { return whole }
        }
        throw mismatch("a whole number from 0 to 2^64 − 1")
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
        guard let whole = value.digits.flatMap({ Int($0) }) else { throw mismatch("a whole number") }
        return whole
    }

    func double() throws(ReportReadError) -> Double {
        guard let number = value.digits.flatMap(Double.init) else { throw mismatch("a number") }
        return number
    }

    /// The greatest number that a run measures, either way.
    static let greatest = 1e18

    /// A number that a run measures: small enough for sums and squares of differences.
    func real() throws(ReportReadError) -> Double {
        let number = try double()
        guard number.magnitude <= ReportNode.greatest else {
            throw ReportReadError(key: key, message: "expected a number from -10^18 to 10^18")
        }
        return number
    }

    func elements() throws(ReportReadError) -> [ReportNode] {
        guard let values = value.elements else { throw mismatch("an array") }
        return values.enumerated().map { ReportNode(key: "\(key)[\($0.offset)]", value: $0.element) }
    }

    func members() throws(ReportReadError) -> [(name: String, node: ReportNode)] {
        guard let members = value.members else { throw mismatch("an object") }
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
