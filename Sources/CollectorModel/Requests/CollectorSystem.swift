import Wire

/// The systems whose uploads a collector can read. The raw value is the name in the store.
package enum CollectorSystem: String, CaseIterable, Sendable {
    case sensors
    case growing
    case trackingSDK = "trackingsdk"
    case kit
    case codeless
}

extension CollectorSystem {
    /// The collector's answer to an upload that it took.
    ///
    /// An empty 200, which every client takes for success but one: Kit's judges by the body (its callback asks
    /// the JSON object for `statusCode`).
    var acceptance: CollectorReply {
        switch self {
        case .sensors, .growing, .trackingSDK, .codeless: CollectorReply(status: 200, disposition: .stored)
        case .kit:
            CollectorReply(
                status: 200, disposition: .stored, body: Array(#"{"statusCode":200}"#.utf8),
                contentType: "application/json")
        }
    }

    /// Whether the system's client takes an answer for success, under some of its rules, and forgets what it
    /// sent. What a client that did not believe it sends again is held in the end, and counts as that.
    func takesForSuccess(_ reply: CollectorReply) -> Bool {
        switch self {
        // TrackingSDK: 200 alone as printed, every 2xx with `upload.success`.
        case .sensors, .growing, .trackingSDK, .codeless: reply.isPositive
        case .kit:
            reply.isPositive && reply.mayHaveBody && reply.body == acceptance.body
                && reply.contentType.description == acceptance.contentType.description
        }
    }
}

extension CollectorReply {
    /// Whether the status is one of success (RFC 9110, section 15.3).
    var isPositive: Bool { (200..<300).contains(status) }
}

/// A path of one system's uploads that only a target knows.
package struct UploadPath: Hashable, Sendable {
    /// Whole, without a query: `/ingest/events`.
    package var path: String
    /// Whose uploads go there: a body does not say it.
    package var system: CollectorSystem

    package init(path: String, system: CollectorSystem) {
        self.path = path
        self.system = system
    }

    /// Whether a collector knows the path for the system's without being told.
    package var isKnown: Bool { CollectorRoute.uploadSystem(of: path) == system }
}
