import CollectorModel
import DeviceSDK
import Timebase
import Wire
import World

/// How a request to the modelled server goes: what the device will see, and when.
struct Exchange {
    var outcome: RequestOutcome
    /// From the sending to the end of the answer; ``Interval`` beyond every timeout for "never".
    var delay: Interval
    /// The part of ``delay`` in which the answer's body comes.
    var receiving = Interval.zero
    var bytesSent: UInt64 = 0
    var bytesReceived: UInt64 = 0
    /// Header lines and body of an answer, for what is kept of unexpected ones.
    var headers = ""
    var body: [UInt8] = []

    static func failed(_ failure: RequestFailure, after delay: Interval) -> Exchange {
        Exchange(outcome: .failed(failure), delay: delay)
    }

    /// Nothing comes back, ever: the SDK's limit ends it.
    static let silence = failed(.timedOut, after: Interval(nanoseconds: .max))

    static func reset(after delay: Interval, sent bytes: UInt64) -> Exchange {
        var exchange = failed(.reset, after: delay)
        exchange.bytesSent = bytes
        return exchange
    }
}

/// The collector model behind an ideal network: requests arrive as they are sent.
struct ModelledServer {
    var collector: CollectorModel
    private var director: FaultDirector
    private let rules: ServerRules
    /// Status line and headers of the collector's answers: `HTTP/1.1 200 OK`, `content-length: 0`.
    private static let answerHeadBytes: UInt64 = 38
    private var body = WireBuffer()

    init(plan: CollectorPlan, rules: ServerRules) {
        collector = CollectorModel(plan: plan)
        director = FaultDirector(plan: plan)
        self.rules = rules
    }

    /// Encodes a request, lets the collector read it, and tells what comes back.
    ///
    /// Faults meet every request as they do at a real collector, fetches of the configuration too, and
    /// the request's own content tells which device it is from.
    mutating func exchange(
        _ request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> Exchange {
        if director.refusesConnections(at: now) { return .failed(.refused, after: .zero) }
        let (head, bytes) = encode(request, fleet: fleet, at: now)
        guard director.beforeReading(at: now) == nil else { return .reset(after: .zero, sent: bytes) }
        let (reply, fault) = receive(head, at: now)
        // A connection that dies does not wait for the answer that it will not carry.
        if fault.resetsUnread || fault.diesAfterAccept {
            return .reset(after: rules.serviceTime, sent: bytes)
        }
        var delay = rules.serviceTime + fault.delay
        if let release = fault.releaseAt { delay = max(delay, release - now) }
        return answer(reply, to: request, after: delay, sent: bytes)
    }

    /// What a device sees whose connection is reset before the request is whole.
    mutating func cutOff(
        _ request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant,
        after point: ClientFault.ResetPoint
    ) -> Exchange {
        if director.refusesConnections(at: now) { return .failed(.refused, after: .zero) }
        switch point {
        case .connect: return .reset(after: .zero, sent: 0)
        case .half: return .reset(after: .zero, sent: encode(request, fleet: fleet, at: now).bytes / 2)
        }
    }

    private mutating func encode(
        _ request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> (head: RequestHead, bytes: UInt64) {
        body.removeAll(keepingCapacity: true)
        let head = fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
        return (head, UInt64(body.count + head.path.utf8.count + head.headerLines.utf8.count))
    }

    /// An answer on its way, whole or cut, at its pace.
    private func answer(
        _ reply: CollectorReply, to request: OutgoingRequest, after delay: Interval, sent bytes: UInt64
    ) -> Exchange {
        var exchange = Exchange(
            outcome: .answered(
                status: reply.status, body: request.wantsBody ? reply.body : [],
                retryAfter: reply.retryAfterSeconds.map { .seconds($0) },
                contentType: request.wantsBody ? "\(reply.contentType)" : ""), delay: delay)
        if reply.endsAfter != nil { exchange.outcome = .failed(.truncated) }
        exchange.receiving = reply.bodyTime(bytes: reply.sentBytes)
        exchange.delay = delay + exchange.receiving
        exchange.bytesSent = bytes
        exchange.bytesReceived = UInt64(reply.sentBytes) + ModelledServer.answerHeadBytes
        // Of 200 without a word in its body nobody asks why.
        if reply.status != 200 || request.wantsBody {
            exchange.headers = "Content-Type: \(reply.contentType)"
            if let seconds = reply.retryAfterSeconds { exchange.headers += "\nRetry-After: \(seconds)" }
            exchange.body = Array(reply.body.prefix(2048))
        }
        return exchange
    }

    private mutating func receive(
        _ head: RequestHead, at now: Instant
    ) -> (reply: CollectorReply, fault: LateFault) {
        let parts = head.path.split(separator: "?", maxSplits: 1)
        // In virtual time the receipts are all that is kept of an event.
        var sink = NullSink()
        return body.withUnsafeBytes { bytes in
            let request = CollectedRequest(
                method: head.method == .get ? .get : .post, path: String(parts.first ?? "/"),
                query: parts.count > 1 ? String(parts[1]) : "",
                dryRun: head.headerLines.contains("Dry-Run: true"),
                headers: CollectedHeaders(lines: head.headerLines), body: bytes)
            return collector.receive(request, at: now, director: &director, sink: &sink)
        }
    }
}
