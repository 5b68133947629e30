/// A request as the collector's front hands it over. The body is only borrowed.
package struct CollectedRequest {
    package enum Method: Sendable {
        case get, post, other
    }

    package var method: Method
    /// The path alone, without the query: `/sa`.
    package var path: String
    /// The query without its question mark; empty if there is none.
    package var query: String
    /// Whether the request carries `Dry-Run: true`.
    package var dryRun: Bool
    /// The body, valid during the call that takes the request.
    package var body: UnsafeRawBufferPointer

    package init(
        method: Method, path: String, query: String = "", dryRun: Bool = false,
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.dryRun = dryRun
        self.body = body
    }
}

/// What the collector answers, and what became of the request's events.
package struct CollectorReply: Sendable, Equatable {
    package enum Disposition: Sendable {
        /// The readable events are in the store.
        case stored
        /// Checked and counted, not stored, as the client asked.
        case dryRun
        /// A planned fault, or a wrong checksum that is configured to refuse, kept the events out.
        case notStored
        case notFound
        /// An answer about the configuration.
        case config
        /// Nothing in the request could be read.
        case undecodable
    }

    package var status: UInt16
    package var contentType: StaticString
    package var body: [UInt8]
    package var disposition: Disposition
    /// Answered 2xx by a planned status fault, without storing.
    package var swallowed = false

    package init(
        status: UInt16, disposition: Disposition, body: [UInt8] = [],
        contentType: StaticString = "text/plain"
    ) {
        self.status = status
        self.disposition = disposition
        self.body = body
        self.contentType = contentType
    }

    package static func == (left: CollectorReply, right: CollectorReply) -> Bool {
        left.status == right.status && left.body == right.body && left.disposition == right.disposition
            && left.swallowed == right.swallowed
            && left.contentType.description == right.contentType.description
    }
}
