extension DescribedSDK {
    /// What a request looks like.
    package struct Request: Hashable, Sendable {
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
        /// Holds `{{events}}` once.
        package var body = Template.value(Placeholder(.events))
        /// Members that each event gets when it is sent.
        package var perEvent: [Template.Member] = []

        package init() {}
    }
}
