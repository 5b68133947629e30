package import SDKDescription
package import Wire

/// How the requests of one client are read: what a collector has to know of it, and no more.
///
/// A value is written by hand for a public product (``UploadDescription/products``), or made of the description of an
/// SDK. Paths in bodies and events are ``EventPath``s; of several the first that is there counts.
package struct UploadDescription: Hashable, Sendable {
    /// The name in the store: a product, or the description's own.
    package var name: String { didSet { product = DescribedSDK.product(of: name) } }
    /// What natural keys begin with, so that events of different products are never taken for each other.
    package private(set) var product: String
    /// Where uploads go.
    package var uploads: [RequestPattern]
    /// Where the client fetches configurations, and what it gets.
    package var configs: [DescribedConfig] = []
    /// Where a body's list of events is, or its one event. The empty path stands for a body that is a list itself, lines,
    /// or one event.
    package var lists: [EventPath]
    /// The fields of a form that hold the body, as JSON or in base64.
    package var formFields: [String] = ["data"]
    /// Whether the fields of a form or of a query are an event themselves.
    package var takesFields = false
    package var event: EventDescription
    package var answer = DescribedAnswer()

    /// Texts that hold JSON, in one event or around the events of a body, that are looked into.
    package static let textLimit = 4

    /// - Parameter lists: At least one.
    package init(name: String, uploads: [RequestPattern], lists: [EventPath], event: EventDescription) {
        precondition(!lists.isEmpty)
        self.name = name
        product = DescribedSDK.product(of: name)
        self.uploads = uploads
        self.lists = lists
        self.event = event
    }
}

/// Where the parts of an event are that a collector acts on.
package struct EventDescription: Hashable, Sendable {
    /// What an event is called.
    package enum NameRule: Hashable, Sendable {
        /// The text at a path.
        case value(EventPath)
        /// The name of a member, where an event has it: profile updates are called by what they do.
        case member(String)
    }

    /// How a number says a time.
    package enum TimeUnit: Hashable, Sendable {
        /// By its size: below 10^11 seconds, below 10^14 milliseconds, below 10^17 microseconds, else nanoseconds since
        /// 1970. Each holds for the years 1973 to 5138.
        case bySize
        case seconds, milliseconds, microseconds, nanoseconds
    }

    package var names: [NameRule]
    /// The kind of an event, where a product has kinds; else every event is an `event`.
    package var types: [EventPath] = []
    /// An ISO 8601 text or a number; an event without it was captured when it was received.
    package var times: [EventPath] = []
    package var timeUnit = TimeUnit.bySize
    package var distinctIDs: [EventPath] = []
    /// Where the harness's id may be.
    package var tags: [EventPath] = []
    /// The natural key's parts, each at the first path that is there. An event that has none of them is known by all
    /// of its JSON.
    package var key: [[EventPath]] = []
    /// Members that differ from one attempt to the next, which name no event.
    package var attemptMembers: [String] = []

    package init(names: [NameRule]) { self.names = names }
}

/// A method and a path of requests.
package struct RequestPattern: Hashable, Sendable {
    package var method: CollectedRequest.Method
    /// The path's components; `nil` for one that may be anything.
    private var components: [String?]

    /// - Parameter path: `/v1/projects/{key}/settings`: a component with a brace may be anything.
    package init(_ method: CollectedRequest.Method, _ path: String) {
        self.method = method
        components = path.split(separator: "/").map { $0.contains("{") ? nil : String($0) }
    }

    /// Whether there are paths that fit both, whatever their methods are.
    package func overlaps(_ other: RequestPattern) -> Bool {
        zip(components.reversed(), other.components.reversed()).allSatisfy { own, others in
            own == nil || others == nil || own == others
        }
    }

    /// Whether it fits a path, or what the path is below.
    package func fits(_ path: String) -> Bool { fit(path.split(separator: "/")) != nil }

    /// How a path fits.
    enum Fit: Int, Comparable {
        /// Below another path, as behind a gateway.
        case below
        case whole

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    /// How well a path fits, whatever its slashes at the ends; `nil` for not at all.
    func fit(_ path: [Substring]) -> Fit? {
        // Nothing is below the root alone, or everything would be.
        guard path.count >= components.count, !components.isEmpty || path.isEmpty else { return nil }
        for (component, found) in zip(components, path.suffix(components.count)) {
            if let component, component != found { return nil }
        }
        return path.count == components.count ? .whole : .below
    }
}

/// A configuration that changes nothing.
package struct DescribedConfig: Hashable, Sendable {
    package var pattern: RequestPattern
    /// JSON.
    package var neutral: [UInt8]

    package init(_ method: CollectedRequest.Method, _ path: String, neutral: String = "{}") {
        pattern = RequestPattern(method, path)
        self.neutral = Array(neutral.utf8)
    }
}

/// What a client takes for a yes.
package struct DescribedAnswer: Hashable, Sendable {
    /// The status of the answer to an upload that was taken.
    package var status: UInt16 = 200
    /// The body of the answer to an upload that was taken; JSON, or empty.
    package var body: [UInt8]
    /// The body for a client that asks for words (`verbose=1`), where it is another.
    package var words: [UInt8]?
    /// The statuses by which the client forgets what it sent.
    package var delivered: [ClosedRange<UInt16>]
    /// By status, where the client looks for the events that an answer refuses.
    package var listings: [UInt16: JSONPath] = [:]
    /// What the client makes of answers, where that depends on their bodies too.
    package var table: AnswerTable?

    package init(_ body: String = "", words: String? = nil, delivered: [ClosedRange<UInt16>] = [200...299]) {
        self.body = Array(body.utf8)
        self.words = words.map { Array($0.utf8) }
        self.delivered = delivered
    }
}
