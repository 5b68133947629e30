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

        /// Begins with `/`, and has no query.
        package var path = "/"
        package var query: [Line] = []
        package var headers: [Line] = [Line("Content-Type", .text([.constant("application/json")]))]
        package var compress = Compression.none
        package var framing = Framing.list
        /// Holds `{{events}}` once.
        package var body = Template.value(Placeholder(.events))
        /// Members that each event gets when it is sent.
        package var perEvent: [Template.Member] = []

        package init() {}
    }
}
