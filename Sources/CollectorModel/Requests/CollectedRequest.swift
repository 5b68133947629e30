package import Timebase

/// A request as the collector's server hands it over. The body is only borrowed.
package struct CollectedRequest {
    /// As far as collectors tell methods apart.
    package enum Method: Sendable {
        case get, post, put, other
    }

    /// A server answers a request with a longer body with 413, and hands it to no collector.
    package static let bodyLimit = 8 << 20

    package var method: Method
    /// The path alone, without the query: `/sa`.
    package var path: String
    /// The query without its question mark; empty if there is none.
    package var query: String
    /// Whether the request carries `Dry-Run: true`.
    package var dryRun: Bool
    package var headers: CollectedHeaders
    /// The body, valid during the call that takes the request.
    package var body: UnsafeRawBufferPointer

    package init(
        method: Method, path: String, query: String = "", dryRun: Bool = false,
        headers: CollectedHeaders = CollectedHeaders(),
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.dryRun = dryRun
        self.headers = headers
        self.body = body
    }
}

/// What the collector answers, and what became of the request's events.
package struct CollectorReply: Sendable, Equatable {
    /// What became of the request, whatever the status says.
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
    /// Answered 2xx by a planned fault, without storing.
    package var swallowed = false
    /// For a `Retry-After` header.
    package var retryAfter: Interval?
    /// The pace at which the body leaves, after a head that leaves at once; `nil` for no limit.
    package var bytesPerSecond: Int?
    /// The connection closes after so many bytes of the body, fewer than its `Content-Length` says.
    package var endsAfter: Int?

    package init(
        status: UInt16, disposition: Disposition, body: [UInt8] = [],
        contentType: StaticString = "text/plain"
    ) {
        self.status = status
        self.disposition = disposition
        self.body = body
        self.contentType = contentType
    }

    /// Whether the status is one of success (RFC 9110, section 15.3).
    var isPositive: Bool { (200..<300).contains(status) }

    /// Whether an answer of this status has a body at all (RFC 9110, section 6.4.1).
    package var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// The bytes of the body that leave.
    package var sentBytes: Int { min(endsAfter ?? body.count, body.count) }

    /// When so many bytes of the body have left, counted from the head.
    package func bodyTime(bytes: Int) -> Interval {
        guard let bytesPerSecond else { return .zero }
        return Interval(nanoseconds: Int64(bytes) * 1_000_000_000 / Int64(max(1, bytesPerSecond)))
    }

    /// The value of the `Retry-After` header: whole seconds, rounded up (RFC 9110, section 10.2.3).
    package var retryAfterSeconds: Int64? {
        retryAfter.map { (max($0.nanoseconds, 0) + 999_999_999) / 1_000_000_000 }
    }

    package static func == (left: CollectorReply, right: CollectorReply) -> Bool {
        left.status == right.status && left.body == right.body && left.disposition == right.disposition
            && left.swallowed == right.swallowed
            && left.contentType.description == right.contentType.description
            && left.retryAfter == right.retryAfter && left.bytesPerSecond == right.bytesPerSecond
            && left.endsAfter == right.endsAfter
    }
}
