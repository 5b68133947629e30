import Timebase
import Wire

/// Reads HTTP archives as browsers and proxies write them (HAR 1.2, `log.entries[].request`).
enum HARReader {
    static func read(_ bytes: [UInt8]) throws(CaptureProblem) -> [CapturedRequest] {
        let root: JSONNode
        do {
            root = try JSONReader.readStrictly(bytes)
        } catch {
            throw CaptureProblem("", found: "no HAR file: \(error)", allowed: "a HAR file, or curl commands")
        }
        guard let log = root["log"] else {
            throw CaptureProblem(
                "", found: root.members != nil ? "an object without \"log\"" : root.summary,
                allowed: "a HAR file: an object with \"log\"")
        }
        guard let entries = log["entries"]?.elements else {
            throw CaptureProblem(
                "/log/entries", found: log["entries"]?.summary ?? "nothing", allowed: "an array")
        }
        var requests: [CapturedRequest] = []
        for (index, entry) in entries.enumerated() {
            if let request = try request(entry, at: "/log/entries/\(index)") { requests.append(request) }
        }
        return requests
    }

    /// - Returns: `nil` for a request of another protocol, as browsers' archives have them.
    private static func request(_ entry: JSONNode, at place: String) throws(CaptureProblem)
        -> CapturedRequest?
    {
        guard let request = entry["request"], request.members != nil else {
            throw CaptureProblem(
                place + "/request", found: entry["request"]?.summary ?? "nothing", allowed: "an object")
        }
        let method = try text(request, "method", place + "/request")
        let url = try text(request, "url", place + "/request")
        let started = entry["startedDateTime"]?.string.flatMap { Instant(text: $0)?.milliseconds }
        return CapturedRequest(
            place: place, method: method, url: url,
            headers: try fields(request["headers"], place + "/request/headers"),
            body: try body(request["postData"], place + "/request/postData"), startedAt: started)
    }

    private static func text(
        _ node: JSONNode, _ key: String, _ place: String
    ) throws(CaptureProblem) -> String {
        guard let text = node[key]?.string else {
            throw CaptureProblem("\(place)/\(key)", found: node[key]?.summary ?? "nothing", allowed: "a text")
        }
        return text
    }

    /// - Parameter mayLackValue: Whether one without a value is empty, such as a file in a form (HAR 1.2, `params`).
    private static func fields(
        _ node: JSONNode?, _ place: String, mayLackValue: Bool = false
    ) throws(CaptureProblem) -> [CapturedRequest.Field] {
        guard let node else { return [] }
        guard let elements = node.elements else {
            throw CaptureProblem(place, found: node.summary, allowed: "an array of headers")
        }
        var fields: [CapturedRequest.Field] = []
        for (index, element) in elements.enumerated() {
            let own = "\(place)/\(index)"
            let isEmpty = mayLackValue && (element["value"] ?? .null).content == .null
            let name = try text(element, "name", own)
            let value = try isEmpty ? "" : text(element, "value", own)
            fields.append(CapturedRequest.Field(name, value))
        }
        return fields
    }

    /// A body's text; in base64 where the archive says so; made of its parameters where that is all there is, and of a form
    /// in parts, which the archive has taken apart.
    private static func body(_ node: JSONNode?, _ place: String) throws(CaptureProblem) -> [UInt8] {
        guard let node, node.content != .null else { return [] }
        let isInParts =
            node["mimeType"]?.string?.lowercased().hasPrefix("multipart/form-data") ?? false
            && node["params"]?.elements?.isEmpty == false
        if !isInParts, let text = node["text"]?.string, !text.isEmpty || node["params"] == nil {
            guard (node["encoding"] ?? node["_encoding"])?.string == "base64" else { return Array(text.utf8) }
            var bytes = WireBuffer()
            guard Array(text.utf8).withUnsafeBytes({ Base64.decodeLeniently($0, into: &bytes) }) else {
                throw CaptureProblem(
                    place + "/text", found: "a text that is no base64",
                    allowed: "base64, as \"encoding\" says")
            }
            return bytes.bytes
        }
        let parameters = try fields(node["params"], place + "/params", mayLackValue: true)
        var form = WireBuffer()
        for (index, parameter) in parameters.enumerated() {
            if index > 0 { form.append("&") }
            for (part, end) in [(parameter.name, "="), (parameter.value, "")] {
                WireBuffer(part).withUnsafeBytes { PercentEncoding.sensorsLegacy.encode($0, into: &form) }
                form.append(end)
            }
        }
        return form.bytes
    }
}
