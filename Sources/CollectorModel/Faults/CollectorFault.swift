package import Timebase

/// What a collector can be made to do wrong. A closed set: what each does to a request is told here, in terms of
/// ``LateFault``, on which servers and engines act.
package enum CollectorFault: Hashable, Sendable {
    /// Connections are refused, and open ones are reset at the next request.
    case outage
    /// The request is read, and nothing is answered until the window ends (`nil`) or the time is over.
    case stall(Interval?)
    /// Every answer waits; milliseconds.
    case latency(Distribution)
    /// This status instead of the collector's own; nothing is stored. A 2xx here is a lie: the
    /// events count as swallowed, and where they cannot be told the answer is the collector's own.
    /// `retryAfter` is sent as the header of that name, in whole seconds.
    /// With `stored` the events of an upload are stored first, and only the answer is another.
    case status(UInt16, retryAfter: Interval? = nil, stored: Bool = false)
    /// The events are stored, then the connection dies without an answer.
    case acceptThenDie
    /// The connection is reset before the request is read.
    case resetBeforeReading
    /// The events are stored, and the answer's body leaves drop by drop.
    case slowBody(SlowBodyFault)
    /// The events are stored, and the connection closes in the middle of an answer whose body was to be
    /// at least so many bytes long (1 or more). An answer that can have no body (304) comes whole.
    case truncate(bytes: Int)
    /// Somebody else answers, as a captive portal does: a page of HTML, and nothing is stored. With a
    /// 2xx the events count as swallowed where a client takes any 2xx for success.
    case wrongContent(status: UInt16, page: [UInt8])
    /// Some events are invalid, and uploads that have any are refused; see ``EventRefusal``.
    case invalidEvents(EventRefusal)
    /// The collector serves only so many requests in a time; see ``CapacityQueue``.
    case capacity(CapacityFault)
    /// A rolling deployment; see ``DeployFault``.
    case deploy(DeployFault)

    /// The page of a captive portal that a scenario does not write itself.
    package static let portalPage = Array(
        """
        <!doctype html><html><head><title>Welcome</title></head>\
        <body><h1>Please sign in to use this network</h1></body></html>

        """.utf8)
}

/// What is asked of a fault beyond what it does to a request. Each switch names every case, so that a further one
/// answers too.
extension CollectorFault {
    /// Whether devices meet in it: how long one waits depends on the others.
    package var isQueue: Bool {
        switch self {
        case .capacity: true
        case .outage, .stall, .latency, .status, .acceptThenDie, .resetBeforeReading, .slowBody, .truncate,
            .wrongContent, .invalidEvents, .deploy:
            false
        }
    }

    /// What it does to uploads for as long as it goes on; `nil` where they are acknowledged all the same. An answer that
    /// comes later than `patience` is none.
    ///
    /// - Returns: how much longer devices are told to wait, and whether requests may be without an answer for long.
    package func hindrance(patience: Interval) -> (wait: Interval, holds: Bool)? {
        switch self {
        case .status(let status, let retryAfter, _):
            (200..<300).contains(status) ? nil : (retryAfter ?? .zero, false)
        case .wrongContent(let status, _): (200..<300).contains(status) ? nil : (.zero, false)
        case .latency(let latency): latency.mean < patience.fractionalSeconds * 1000 ? nil : (.zero, true)
        case .capacity(let rules): (rules.retryAfter ?? .zero, true)
        case .stall, .slowBody: (.zero, true)
        case .outage, .acceptThenDie, .resetBeforeReading, .truncate, .invalidEvents, .deploy: (.zero, false)
        }
    }

    /// Whether it draws by what names single events.
    package var drawsEvents: Bool {
        switch self {
        case .invalidEvents: true
        case .outage, .stall, .latency, .status, .acceptThenDie, .resetBeforeReading, .slowBody, .truncate,
            .wrongContent, .capacity, .deploy:
            false
        }
    }

    /// Whether what it does to a request is drawn or counted request by request, even where it concerns all of them.
    package var countsRequests: Bool {
        switch self {
        case .latency, .capacity, .deploy: true
        case .outage, .stall, .status, .acceptThenDie, .resetBeforeReading, .slowBody, .truncate,
            .wrongContent, .invalidEvents:
            false
        }
    }

    /// The fault where every instant of its window is moved by a clock: times that are parts of the window move with
    /// it, and those of single requests stay as they are.
    ///
    /// - Parameter from: When the window begins, before it is moved.
    package func moved(from: Instant, by clock: (Instant) -> Instant) -> CollectorFault {
        switch self {
        case .deploy(var rules):
            rules.down = clock(from + rules.down) - clock(from)
            rules.warmUp = clock(from + rules.warmUp) - clock(from)
            return .deploy(rules)
        case .outage, .stall, .latency, .status, .acceptThenDie, .resetBeforeReading, .slowBody, .truncate,
            .wrongContent, .invalidEvents, .capacity:
            return self
        }
    }
}

/// An answer whose body takes its time: the head leaves at once, the body at a set pace.
package struct SlowBodyFault: Hashable, Sendable {
    /// 1 or more.
    package var bytesPerSecond: Int
    /// The body is filled up with spaces to this length, since the answers of collectors are a few bytes
    /// long, if they have a body at all; a longer body stays as it is.
    package var bytes: Int

    package init(bytesPerSecond: Int, bytes: Int) {
        self.bytesPerSecond = bytesPerSecond
        self.bytes = bytes
    }
}

extension FaultWindow {
    /// Whether the fault resets a request before it is read; takes draws for its share, if it has one.
    func resetsUnread(at now: Instant, _ draw: inout RandomStream) -> Bool {
        switch fault {
        case .outage: true
        case .resetBeforeReading: concerns(&draw)
        case .deploy(let rules): concerns(&draw) && state(of: rules, at: now, &draw) == .down
        default: false
        }
    }

    /// What the fault does to a request that was read.
    ///
    /// - Parameters:
    ///   - result: What other windows, earlier in the plan, have done to it.
    ///   - queue: The window's own, for a fault that limits the capacity.
    ///   - refuses: Whether one of the request's events is invalid.
    func act(
        on result: inout LateFault, at now: Instant, _ draw: inout RandomStream,
        queue: inout CapacityQueue?, refuses: (EventRefusal) -> Bool
    ) {
        switch fault {
        case .outage, .resetBeforeReading: resetUnread(&result)
        case .stall(let time): result.release(at: time.map { now + $0 } ?? until)
        case .latency(let distribution): result.wait(distribution, &draw)
        case .status(let status, let retryAfter, let stored):
            result.decide {
                $0.answer = SubstituteAnswer(status: status, retryAfter: retryAfter, isAfterStoring: stored)
            }
        case .acceptThenDie: result.decide { $0.diesAfterAccept = true }
        case .slowBody(let rules): result.slowBody = result.slowBody ?? rules
        case .truncate(let bytes): result.decide { $0.truncatedBytes = bytes }
        case .wrongContent(let status, let page):
            result.decide { $0.answer = SubstituteAnswer(status: status, page: page) }
        case .invalidEvents(let refusal):
            if refuses(refusal) { result.decide { $0.refusal = refusal } }
        case .capacity(let rules): admit(&result, rules, at: now, &queue)
        case .deploy(let rules):
            switch state(of: rules, at: now, &draw) {
            case .up: break
            case .down: resetUnread(&result)
            case .warmingUp: result.wait(rules.latency, &draw)
            }
        }
    }

    /// For everybody it was decided before reading.
    private func resetUnread(_ result: inout LateFault) {
        if !isForAll { result.decide { $0.resetsUnread = true } }
    }

    private func admit(
        _ result: inout LateFault, _ rules: CapacityFault, at now: Instant, _ queue: inout CapacityQueue?
    ) {
        // A request that was reset or refused before takes no place.
        guard !result.resetsUnread, result.answer == nil, result.refusal == nil else { return }
        if queue == nil { queue = CapacityQueue(rules) }
        if let end = queue?.admit(at: now) ?? nil {
            result.release(at: end)
        } else {
            result.decide {
                $0.answer = SubstituteAnswer(status: rules.status, retryAfter: rules.retryAfter)
            }
        }
    }

    /// The state of the instance on which a request falls; takes one draw.
    private func state(
        of rules: DeployFault, at now: Instant, _ draw: inout RandomStream
    ) -> DeployFault.State {
        let instance = Int(draw.below(UInt64(rules.instances)))
        let restarting = rules.restarting(at: now, from: from, length: until - from)
        return instance == restarting.instance ? restarting.state : .up
    }
}
