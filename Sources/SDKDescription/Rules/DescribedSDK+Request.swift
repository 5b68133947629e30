extension DescribedSDK {
    /// What a request looks like.
    package struct Request: Hashable, Sendable {
        /// How events lie in a body.
        package enum Framing: String, CaseIterable, Sendable {
            /// In a JSON list.
            case list
            /// Each on a line of its own, which ends with a line feed.
            case lines
            /// One, and a request for each.
            case one
        }

        /// What of a form's values is not written as `%XX`, beside letters and digits.
        package enum Escaping: String, CaseIterable, Sendable {
            /// `-_.~` (RFC 3986, section 2.3).
            case unreserved
            /// These, `/` and `?`, as the query of an URL may have them.
            case query
        }

        package enum Method: String, CaseIterable, Sendable {
            case post = "POST"
            case put = "PUT"
            /// The fields of the form are in the query, after those of ``query``.
            case get = "GET"
        }

        package enum Compression: String, CaseIterable, Sendable { case none, gzip }

        /// A line of the head, or a part of the query; values may hold `{{…}}` that is the same for all devices.
        package struct Line: Hashable, Sendable {
            package var name: String
            package var value: Template

            package init(_ name: String, _ value: Template) {
                self.name = name
                self.value = value
            }
        }

        package var method = Method.post
        /// Begins with `/`, and has no query.
        package var path = "/"
        package var query: [Line] = []
        package var headers: [Line] = [Line("Content-Type", .text([.constant("application/json")]))]
        package var compress = Compression.none
        package var framing = Framing.list
        /// Holds `{{events}}` once.
        package var body = Template.value(Placeholder(.events))
        /// The fields of a form that the body lies in; empty for a body that is JSON itself.
        package var form: [Line] = []
        package var escaping = Escaping.unreserved
        /// Members that each event gets when it is sent.
        package var perEvent: [Template.Member] = []

        package init() {}

        /// The names of the fields that hold the body, in any packing.
        package var bodyFields: [String] {
            form.filter { field in
                guard case .value(let placeholder) = field.value else { return false }
                return placeholder.source == .body && !placeholder.filters.contains(.javaHash)
            }.map(\.name)
        }
    }
}
