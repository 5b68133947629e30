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

    /// How much of the answer is there after a time: its body comes at its pace, and its head with it.
    func bytesReceived(after time: Interval) -> UInt64 {
        guard time < delay else { return bytesReceived }
        let begun = time - (delay - receiving)
        guard begun > .zero else { return 0 }
        return UInt64(Double(bytesReceived) * begun.fractionalSeconds / receiving.fractionalSeconds)
    }

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
    /// Where the server has a model of its work.
    private var queue: ServerQueue?
    /// What a server says to a body beyond its limit, whatever is planned for the collector behind it.
    private static let tooLong = CollectorReply(status: 413, disposition: .notStored)
    /// Uploads by reference with fewer events are taken to be within all limits, and those known to be shorter are.
    private static let (largeCount, largeBytes) = (2000, CollectedRequest.bodyLimit / 4)
    private var body = WireBuffer()
    /// The form in which ``body`` has the events at hand already, since they were written to see how large they are.
    private var written: PlainBody?
    private let sizes: BodySizes?
    private var events = CarriedEvents()
    private var routes = CarriedRoutes()
    /// Who hears of what is stored.
    let arrivals: (any ArrivalObserver)?

    init(
        plan: CollectorPlan, rules: ServerRules, sizes: BodySizes? = nil,
        arrivals: (any ArrivalObserver)? = nil
    ) {
        self.sizes = sizes
        self.arrivals = arrivals
        // Who hears of arrivals tells events apart by their sequences: keys matter only to a fault that goes by what the
        // collector reads.
        events.needsKeys = arrivals == nil || plan.faults.contains { $0.fault.drawsEvents || !$0.isForAll }
        collector = CollectorModel(plan: plan)
        director = FaultDirector(plan: plan)
        self.rules = rules
        queue = rules.work.map {
            ServerQueue(
                $0,
                stream: RandomStream(
                    seed: plan.seed, population: RandomStream.hash(of: "server"), index: 0, purpose: .faults))
        }
    }

    /// What leaves a device.
    private enum Content {
        /// The bytes are in ``body``.
        case written(RequestHead)
        /// The events are in ``events``.
        case carried(CarriedRoute)
    }

    /// Lets the collector take a request, and tells what comes back.
    ///
    /// Faults meet every request as they do at a real collector, fetches of the configuration too, and
    /// the request's own content tells which device it is from.
    mutating func exchange(
        _ request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> Exchange {
        if director.refusesConnections(at: now) { return .failed(.refused, after: .zero) }
        if !director.isIdle {
            director.begin(device: fleet.globalNumber(of: Int(request.slot)), request: request.ordinal)
        }
        let (content, bytes) = content(of: request, fleet: fleet, at: now)
        guard director.beforeReading(at: now) == nil else { return .reset(after: .zero, sent: bytes) }
        if case .written = content, body.count > CollectedRequest.bodyLimit {
            return answer(ModelledServer.tooLong, to: request, after: rules.serviceTime, sent: bytes)
        }
        var served = rules.serviceTime
        switch queue?.admit(at: now) {
        case .served(_, let until): served = until - now
        case .refused(let refusal):
            let reply = refuse(content, refusal, at: now)
            tell(of: reply, to: request, fleet: fleet, at: now)
            return answer(reply, to: request, after: served, sent: bytes)
        case nil: break
        }
        let (reply, fault) = receive(content, at: now)
        if let arrivals, reply.disposition == .stored {
            tell(arrivals, of: content, request, fleet: fleet, at: now)
        }
        tell(of: reply, to: request, fleet: fleet, at: now)
        // A connection that dies does not wait for the answer that it will not carry.
        if fault.resetsUnread || fault.diesAfterAccept {
            return .reset(after: served, sent: bytes)
        }
        var delay = served + fault.delay
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
        case .half: return .reset(after: .zero, sent: content(of: request, fleet: fleet, at: now).bytes / 2)
        }
    }

    /// A request's events where they may pass by reference, else its bytes; and how many bytes it has on the way.
    private mutating func content(
        of request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> (content: Content, bytes: UInt64) {
        let model = sizes?.model(of: fleet.populationIndex)
        events.removeAll()
        written = nil
        guard model != nil || arrivals != nil, request.number.kind == .upload else {
            return encode(request, fleet: fleet, at: now)
        }
        guard
            let head = fleet.carry(Int(request.slot), request: request.number, at: now, into: &events),
            let route = routes.route(of: head, population: fleet.populationIndex, at: collector),
            model.map({ $0.system == route.system }) ?? true
        else {
            events.removeAll()
            return encode(request, fleet: fleet, at: now)
        }
        let size = model?.sizes.bytes(of: events) ?? 0
        guard !isTooLarge(request, modelled: size, for: route.system, fleet: fleet, at: now) else {
            events.removeAll()
            written = nil
            return encode(request, fleet: fleet, at: now)
        }
        return (.carried(route), size)
    }

    /// Whether the events of an upload are too many for one request. Only what may be too large is written to see.
    private mutating func isTooLarge(
        _ request: OutgoingRequest, modelled size: UInt64, for system: CollectorSystem,
        fleet: any DeviceFleet, at now: Instant
    ) -> Bool {
        let largeBytes = ModelledServer.largeBytes
        let isMany = events.count > ModelledServer.largeCount
        // Without a model, or with one that knows nothing, the size is nothing, or 1. Who hears of arrivals is to have the
        // events written anyway.
        guard size > 1 ? size > largeBytes : isMany || arrivals != nil else { return false }
        body.removeAll(keepingCapacity: true)
        let (slot, number) = (Int(request.slot), request.number)
        written = fleet.encodePlain(slot, request: number, at: now, into: &body)
        guard written != nil || isMany else { return false }
        if let written {
            guard body.count > largeBytes else { return false }
            let isMessages = written == .messages
            let isRefused = body.withUnsafeBytes {
                collector.refuses(plain: $0, isMessages: isMessages, of: system)
            }
            guard !isRefused else { return true }
        }
        var packed = WireBuffer()
        _ = fleet.encode(slot, request: number, at: now, into: &packed)
        return packed.count > CollectedRequest.bodyLimit
    }

    /// Hands over what was stored, with what its device writes.
    private mutating func tell(
        _ arrivals: any ArrivalObserver, of content: Content, _ request: OutgoingRequest,
        fleet: any DeviceFleet, at now: Instant
    ) {
        guard request.number.kind == .upload else { return }
        let form = write(content, of: request, fleet: fleet, at: now)
        body.withUnsafeBytes { bytes in
            let stored: StoredContent =
                switch form {
                case .request(let head): .request(CollectedRequest(head, body: bytes))
                case .plain(let plain): .plain(plain, bytes)
                }
            arrivals.stored(
                StoredUpload(
                    population: fleet.populationIndex, device: fleet.globalNumber(of: Int(request.slot)),
                    request: request.number.number, at: now, content: stored, events: events))
        }
    }

    /// Tells of what is acknowledged and not kept.
    private func tell(
        of reply: CollectorReply, to request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) {
        guard let arrivals, request.number.kind == .upload else { return }
        let isDryRun = reply.disposition == .dryRun
        guard isDryRun || reply.swallowed else { return }
        arrivals.passed(
            PassedUpload(
                device: fleet.globalNumber(of: Int(request.slot)), request: request.number.number, at: now,
                reason: isDryRun ? .dryRun : .swallowed))
    }

    private enum StoredForm {
        case request(RequestHead)
        case plain(PlainBody)
    }

    /// Writes what was stored into ``body``, unless it is there already.
    private mutating func write(
        _ content: Content, of request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> StoredForm {
        if case .written(let head) = content { return .request(head) }
        if let written { return .plain(written) }
        body.removeAll(keepingCapacity: true)
        let (slot, number) = (Int(request.slot), request.number)
        if let form = fleet.encodePlain(slot, request: number, at: now, into: &body) { return .plain(form) }
        return .request(fleet.encode(slot, request: number, at: now, into: &body))
    }

    private mutating func encode(
        _ request: OutgoingRequest, fleet: any DeviceFleet, at now: Instant
    ) -> (content: Content, bytes: UInt64) {
        body.removeAll(keepingCapacity: true)
        let head = fleet.encode(Int(request.slot), request: request.number, at: now, into: &body)
        return (.written(head), UInt64(body.count + head.byteCount))
    }

    private mutating func receive(
        _ content: Content, at now: Instant
    ) -> (reply: CollectorReply, fault: LateFault) {
        switch content {
        case .carried(let route):
            return collector.receive(events.keys, by: route, at: now, director: &director)
        case .written(let head):
            // In virtual time the receipts are all that is kept of an event.
            var sink = NullSink()
            return body.withUnsafeBytes { bytes in
                collector.receive(
                    CollectedRequest(head, body: bytes), at: now, director: &director, sink: &sink)
            }
        }
    }

    /// Turns a request away for whom the server has no place.
    private mutating func refuse(
        _ content: Content, _ refusal: ServerWork.Refusal, at now: Instant
    ) -> CollectorReply {
        var fault = LateFault()
        fault.answer = SubstituteAnswer(status: refusal.status, retryAfter: refusal.retryAfter)
        switch content {
        case .carried(let route): return collector.receive(events.keys, by: route, fault: fault)
        case .written(let head):
            var sink = NullSink()
            return body.withUnsafeBytes { bytes in
                collector.receive(CollectedRequest(head, body: bytes), at: now, fault: fault, sink: &sink)
            }
        }
    }
}
