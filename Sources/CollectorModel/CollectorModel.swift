package import Accounting
package import Timebase
import Wire

/// A collector as a state machine: takes requests, reads them, tells first copies from later ones, and
/// says what to answer. It has no clock, no socket and no store of its own; events go to a sink.
///
/// Confined to one thread at a time: the decoders reuse their memory, and copies of a model share them.
package struct CollectorModel {
    /// What the collector holds.
    package var receipts = Receipts()

    let plan: CollectorPlan
    private let systems: [CollectorSystem]
    var collected: CollectedSystems
    var counters = CollectorStatistics()
    private let wholeShare: UInt64 = 16
    /// Draws which events are invalid.
    let refusals: RandomStream

    /// Makes a collector with an empty store.
    ///
    /// - Parameters:
    ///   - plan: The faults' share that concerns the model (checksums), the configurations to serve, and the
    ///     targets' own paths.
    ///   - systems: Whose uploads to take; others find no route.
    package init(
        plan: CollectorPlan = CollectorPlan(), systems: [CollectorSystem] = CollectorSystem.allCases
    ) {
        self.plan = plan
        collected = CollectedSystems(plan)
        self.systems = systems
        refusals = RandomStream(
            seed: plan.seed, population: RandomStream.hash(of: "collector"), index: 1, purpose: .faults)
    }

    /// What was counted so far.
    package var statistics: CollectorStatistics {
        var statistics = counters
        statistics.received = receipts.received
        statistics.unique = receipts.unique
        statistics.duplicates = receipts.duplicates
        return statistics
    }

    /// Takes a request with the fault that was decided for it.
    ///
    /// Under a status fault nothing is stored; if the status is 2xx, the receipts note each event as
    /// swallowed. A success for events that nobody can name, for the path is not known or the body cannot be
    /// read, would look like a broken promise and not like a planned one: it is not given. The other faults
    /// concern the answer's way back and are the caller's to carry out.
    package mutating func receive(
        _ request: CollectedRequest, at now: Instant, fault: LateFault,
        sink: inout some CollectedEventSink
    ) -> CollectorReply {
        receive(request, at: now, sink: &sink) { _, _ in fault }.reply
    }

    /// Takes a request and asks the director for its fault in between, when the device is known.
    package mutating func receive(
        _ request: CollectedRequest, at now: Instant, director: inout FaultDirector,
        sink: inout some CollectedEventSink
    ) -> (reply: CollectorReply, fault: LateFault) {
        guard !director.isIdle else {
            return (receive(request, at: now, fault: .none, sink: &sink), .none)
        }
        let needsDevice = director.needsDevice
        return receive(request, at: now, sink: &sink) { firstDevice, refuses in
            director.afterReading(at: now, device: needsDevice ? firstDevice() : nil, refuses: refuses)
        }
    }

    /// Takes back the latest copy of each event: they were handed to the sink, but the store failed to
    /// keep them.
    package mutating func withdraw(_ keys: some Sequence<EventKey>) {
        for key in keys {
            switch key {
            case .harness(let id): receipts.withdraw(id)
            case .natural(let key): receipts.withdraw(key)
            }
        }
    }

    /// Decides the fault of a request that was read.
    ///
    /// It gets the ways to the device of the first event with an id of the harness, and to whether one of the events is
    /// invalid. Either costs a walk over the batch.
    package typealias Decision = (_ firstDevice: () -> UInt32?, _ refuses: (EventRefusal) -> Bool) ->
        LateFault

    /// Takes a request and asks for its fault in between.
    package mutating func receive(
        _ request: CollectedRequest, at now: Instant, sink: inout some CollectedEventSink, decide: Decision
    ) -> (reply: CollectorReply, fault: LateFault) {
        var (reply, fault) = route(request, at: now, sink: &sink, decide: decide)
        fault.shape(&reply)
        return (reply, fault)
    }

    private mutating func route(
        _ request: CollectedRequest, at now: Instant, sink: inout some CollectedEventSink, decide: Decision
    ) -> (reply: CollectorReply, fault: LateFault) {
        switch chooseRoute(request) {
        case .upload(let system):
            counters.requests += 1
            return receive(request, of: system, now, &sink, decide)
        case .config(let system):
            counters.configFetches += 1
            let fault = decide({ nil }, { _ in false })
            if let reply = faultyReply(fault) { return (reply, fault) }
            let member = collected[system]
            let served = plan.config(of: system, path: request.path, at: now)
            let config =
                served ?? .neutral(member.neutralConfig(for: request), of: system)
            return (member.reply(with: config, to: request), fault)
        case .notFound:
            counters.notFound += 1
            let fault = decide({ nil }, { _ in false })
            if let reply = faultyReply(fault), !reply.isPositive { return (reply, fault) }
            let body = Array("not found\n".utf8)
            return (CollectorReply(status: 404, disposition: .notFound, body: body), fault)
        }
    }

    func chooseRoute(_ request: borrowing CollectedRequest) -> CollectorRoute {
        CollectorRoute(request, collected: collected, systems: systems, uploadPaths: plan.uploadPaths)
    }

    // MARK: Uploads

    /// Takes an upload of a system with its decoder.
    ///
    /// Where nobody looks at more of the events than their keys, one upload in ``wholeShare`` is read whole all the same.
    mutating func receive<System: CollectedSystem, Sink: CollectedEventSink>(
        _ request: CollectedRequest, _ system: System, _ now: Instant,
        _ sink: inout Sink, _ decide: Decision
    ) -> (reply: CollectorReply, fault: LateFault) {
        let (decoder, refusals) = (system.decoder, refusals)
        if !Sink.needsContent, counters.requests % wholeShare != 0,
            let keys = decoder.keysAlone(of: request)
        {
            let fault = decide(
                { keys.lazy.compactMap(\.device).first }, { $0.concerns(any: keys.lazy.map { $0 }, refusals) }
            )
            let route = CarriedRoute(
                system: System.system, client: system.client(of: request), dryRun: request.dryRun)
            return (answer(keys, by: route, fault), fault)
        }
        let envelope = decoder.open(request)
        let client = envelope.client
        if envelope.hasWrongChecksum { counters.wrongChecksum += 1 }
        if let refusal = envelope.refusal {
            let fault = decide({ nil }, { _ in false })
            return (refuse(refusal, by: fault, system, client), fault)
        }
        let fault = decide({ decoder.firstDevice }, { $0.concerns(any: decoder.keys, refusals) })
        var forced = faultyReply(fault, acceptance: system.acceptance(for: client))
        if forced == nil, fault.refusal != nil {
            forced = reply(to: fault.refusal, of: decoder.keys) { system.listing(status: $0, for: client) }
        }
        if forced == nil, envelope.hasWrongChecksum, let status = plan.wrongChecksumStatus {
            forced = refusal(status: status)
        }
        if var reply = forced {
            if system.takesForSuccess(reply, client), !fault.resetsUnread {
                swallow(decoder, &sink)
                reply.swallowed = true
            }
            return (reply, fault)
        }
        return (take(system, client, dryRun: request.dryRun, at: now, sink: &sink), fault)
    }

    /// Answers an upload of which nothing can be read. A fault may do so, but gives it no success.
    private mutating func refuse(
        _ refusal: (reason: UndecodableReason, events: UInt64), by fault: LateFault,
        _ system: some CollectedSystem, _ client: UploadClient
    ) -> CollectorReply {
        if let reply = faultyReply(fault, acceptance: system.acceptance(for: client)),
            !system.takesForSuccess(reply, client)
        {
            return reply
        }
        countUndecodable(refusal.reason, events: refusal.events)
        return undecodableReply(refusal.reason)
    }

    /// Stores the events of a request, or only checks them if the client asked for a dry run.
    private mutating func take<System: CollectedSystem>(
        _ system: System, _ client: UploadClient, dryRun: Bool, at now: Instant,
        sink: inout some CollectedEventSink
    ) -> CollectorReply {
        let name = system.name(of: client)
        var taken = 0
        var refused: UndecodableReason?
        system.decoder.forEachElement { element in
            switch element {
            case .undecodable(let reason):
                countUndecodable(reason, events: 1)
                refused = refused ?? reason
            case .event(let event) where dryRun:
                noteDryRun(event.key)
                sink.pass(event.key, .dryRun)
                taken += 1
            case .event(let event):
                let copy = record(event.key)
                sink.store(
                    CollectedEvent(
                        key: event.key, copy: copy, system: System.system, systemName: name,
                        distinctID: event.distinctID,
                        type: event.type, name: event.name, capturedAt: event.capturedAt ?? now.milliseconds,
                        payload: event.payload, value: event.value, packed: event.packed))
                taken += 1
            }
        }
        if taken == 0, let refused { return undecodableReply(refused) }
        var reply = system.acceptance(for: client)
        if dryRun { reply.disposition = .dryRun }
        return reply
    }

    @inline(__always)
    mutating func record(_ key: EventKey) -> Int {
        switch key {
        case .harness(let id): receipts.record(id)
        case .natural(let key): receipts.recordNatural(high: key.high, low: key.low)
        }
    }

    mutating func noteDryRun(_ key: EventKey) {
        counters.dryRun += 1
        switch key {
        case .harness(let id): receipts.noteDryRun(id)
        case .natural(let key): receipts.noteDryRun(key)
        }
    }

    private mutating func swallow(_ decoder: some UploadDecoder, _ sink: inout some CollectedEventSink) {
        decoder.forEachElement { element in
            guard case .event(let event) = element else { return }
            swallow(event.key)
            sink.pass(event.key, .swallowed)
        }
    }

    mutating func swallow(_ key: EventKey) {
        counters.swallowed += 1
        switch key {
        case .harness(let id): receipts.noteSwallowed(id)
        case .natural(let key): receipts.noteSwallowed(key)
        }
    }

    // MARK: Answers

    /// The answer that a fault puts in the place of the collector's own before anything is stored; `nil` if it has none.
    ///
    /// A status of success without a page of somebody else's is a lie that is to be believed: it has the body
    /// that the client looks for.
    func faultyReply(
        _ fault: LateFault, acceptance: @autoclosure () -> CollectorReply? = nil
    ) -> CollectorReply? {
        if fault.resetsUnread { return refusal(status: 503) }
        guard let answer = fault.answer, !answer.isAfterStoring else { return nil }
        var reply = refusal(status: answer.status)
        reply.retryAfter = answer.retryAfter
        guard reply.mayHaveBody else { return reply }
        if !answer.page.isEmpty {
            reply.body = answer.page
            reply.contentType = "text/html; charset=utf-8"
        } else if reply.isPositive, let acceptance = acceptance() {
            reply.body = acceptance.body
            reply.contentType = acceptance.contentType
        }
        return reply
    }

    private func refusal(status: UInt16) -> CollectorReply {
        CollectorReply(status: status, disposition: .notStored)
    }

    private mutating func countUndecodable(_ reason: UndecodableReason, events: UInt64) {
        counters.countUndecodable(reason, events: events)
        receipts.undecodable += events
    }

    private func undecodableReply(_ reason: UndecodableReason) -> CollectorReply {
        CollectorReply(
            status: 400, disposition: .undecodable, body: Array("undecodable: \(reason.rawValue)\n".utf8))
    }
}
