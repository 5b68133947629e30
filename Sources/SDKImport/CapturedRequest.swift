/// A request of an SDK as somebody captured it.
package struct CapturedRequest: Hashable, Sendable {
    /// A header or a part of a query.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Where it stands in the capture: a JSON pointer, or a line.
    package var place: String
    package var method: String
    /// `https://collect.example.com:8080`.
    package var origin: String
    /// Without the query; begins with a slash.
    package var path: String
    /// Percent-decoded.
    package var query: [Field]
    package var headers: [Field]
    package var body: [UInt8]
    /// When it began, in milliseconds since 1970; `nil` if the capture does not say it.
    package var startedAt: Int64?
    /// What of its URL is not kept, each in words.
    package private(set) var leftOut: [String] = []

    /// - Parameter url: Absolute.
    /// - Returns: `nil` for a URL without a scheme of HTTP and a host.
    init?(
        place: String, method: String, url: String, headers: [Field], body: [UInt8], startedAt: Int64? = nil
    ) {
        guard let scheme = url.firstRange(of: "://"),
            ["http", "https"].contains(url[..<scheme.lowerBound].lowercased())
        else { return nil }
        let rest = url[scheme.upperBound...].prefix { $0 != "#" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard !host.isEmpty else { return nil }
        let target = rest[host.endIndex...]
        let path = target.prefix { $0 != "?" }
        self.place = place
        self.method = method.uppercased()
        // Names and passwords are no part of an origin.
        origin = String(url[..<scheme.upperBound]) + String(host.split(separator: "@").last ?? host)
        self.path = path.isEmpty ? "/" : String(path)
        let query = FormFields.read(Array(target.dropFirst(path.count + 1).utf8))
        self.query = query ?? []
        self.headers = headers
        self.body = body
        self.startedAt = startedAt
        if host.contains("@") {
            leftOut.append("a name and a password in the URL are left out: a header says them, Authorization")
        }
        if query == nil {
            leftOut.append("a query with a malformed escape or with too many parts is left out")
        }
    }

    /// The first header of a name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// Whether its body is a form in parts (RFC 7578).
    var isMultipart: Bool {
        header("content-type")?.lowercased().hasPrefix("multipart/form-data") ?? false
    }
}

/// Why a capture cannot be read, or no description can be drafted from it.
package struct CaptureProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A JSON pointer, a line, or empty for the whole.
    package var place: String
    package var found: String
    package var allowed: String

    init(_ place: String, found: String, allowed: String) {
        self.place = place
        self.found = found
        self.allowed = allowed
    }

    package var description: String {
        (place.isEmpty ? "" : place + ": ") + "found \(found); allowed: \(allowed)"
    }
}
