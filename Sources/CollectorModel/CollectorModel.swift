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

    private let plan: CollectorPlan
    private let systems: [CollectorSystem]
    private let aliases: [String]
    private let neutralConfig: ServedConfig
    private let sensors = SensorsDecoder()
    private var counters = CollectorStatistics()
    /// The latest request's query and project: nearly all requests of a target share them.
    private var project = RequestProject(query: "", name: Array("default".utf8))

    private struct RequestProject {
        var query: String
        var name: [UInt8]
    }

    /// Makes a collector with an empty store.
    ///
    /// - Parameters:
    ///   - plan: The faults' share that concerns the model (checksums), and the configurations to serve.
    ///   - systems: Whose uploads to take; others find no route.
    ///   - uploadPaths: Paths that take uploads beside those that end with `/sa` or `/debug`.
    package init(
        plan: CollectorPlan = CollectorPlan(), systems: [CollectorSystem] = CollectorSystem.allCases,
        uploadPaths: [String] = []
    ) {
        self.plan = plan
        self.systems = systems
        aliases = uploadPaths
        // Served until the plan's first one begins: switches nothing off, so that clients neither
        // retry the fetch nor change their ways.
        let body = """
            {"v":"0","configs":{"disableSDK":false,"disableDebugMode":false,"autoTrackMode":-1,\
            "event_blacklist":[],"effect_mode":0}}
            """
        neutralConfig = ServedConfig(from: .distantFuture, version: "0", body: Array(body.utf8))
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
    /// swallowed. The other faults concern the answer's way back and are the caller's to carry out.
    package mutating func receive(
        _ request: CollectedRequest, at now: Instant, fault: LateFault,
        sink: inout some CollectedEventSink
    ) -> CollectorReply {
        receive(request, at: now, sink: &sink) { _ in fault }.reply
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
        return receive(request, at: now, sink: &sink) { firstDevice in
            director.afterReading(at: now, device: needsDevice ? firstDevice() : nil)
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

    /// Takes a request and asks for its fault in between; `decide` gets the way to the device of the
    /// first event with an id of the harness, which costs a walk over the batch.
    package mutating func receive(
        _ request: CollectedRequest, at now: Instant, sink: inout some CollectedEventSink,
        decide: (_ firstDevice: () -> UInt32?) -> LateFault
    ) -> (reply: CollectorReply, fault: LateFault) {
        switch CollectorRoute(request, systems: systems, aliases: aliases) {
        case .upload(.sensors):
            counters.requests += 1
            return receiveSensors(request, sink: &sink, decide: decide)
        case .config:
            counters.configFetches += 1
            let fault = decide { nil }
            return (faultyReply(fault) ?? configReply(request.query, at: now), fault)
        case .notFound:
            counters.notFound += 1
            let fault = decide { nil }
            let reply = CollectorReply(status: 404, disposition: .notFound, body: Array("not found\n".utf8))
            return (faultyReply(fault) ?? reply, fault)
        }
    }

    // MARK: SensorsAnalytics

    private mutating func receiveSensors(
        _ request: CollectedRequest, sink: inout some CollectedEventSink,
        decide: (_ firstDevice: () -> UInt32?) -> LateFault
    ) -> (reply: CollectorReply, fault: LateFault) {
        let decoder = sensors
        let envelope = decoder.open(request.body)
        if envelope.hasWrongChecksum { counters.wrongChecksum += 1 }
        guard case .json(let buffer) = envelope.content else {
            let fault = decide { nil }
            return (faultyReply(fault) ?? refuse(envelope.content), fault)
        }
        return buffer.withUnsafeBytes { text in
            let fault = decide { decoder.firstDevice(in: text) }
            var forced = faultyReply(fault)
            if forced == nil, envelope.hasWrongChecksum, let status = plan.wrongChecksumStatus {
                forced = refusal(status: status)
            }
            if var reply = forced {
                if reply.isPositive, !fault.resetsUnread {
                    swallow(text)
                    reply.swallowed = true
                }
                return (reply, fault)
            }
            return (take(text, of: request, sink: &sink), fault)
        }
    }

    /// Stores a batch's events, or only checks them if the client asked for a dry run.
    private mutating func take(
        _ text: UnsafeRawBufferPointer, of request: CollectedRequest, sink: inout some CollectedEventSink
    ) -> CollectorReply {
        if project.query != request.query {
            let name = queryValue("project", in: request.query) ?? "default"
            project = RequestProject(query: request.query, name: Array(name.utf8))
        }
        var taken = 0
        var refused: UndecodableReason?
        project.name.withUnsafeBytes { requestProject in
            sensors.forEachElement(of: text) { element in
                switch element {
                case .undecodable(let reason):
                    countUndecodable(reason, events: 1)
                    refused = refused ?? reason
                case .event(_, let key, _) where request.dryRun:
                    noteDryRun(key)
                    taken += 1
                case .event(let event, let key, let payload):
                    let copy = record(key)
                    sink.store(
                        CollectedEvent(
                            key: key, copy: copy, system: .sensors, distinctID: event.distinctID,
                            type: event.type, name: event.name, capturedAt: event.time,
                            project: event.project ?? requestProject, payload: payload))
                    taken += 1
                }
            }
        }
        if taken == 0, let refused { return undecodableReply(refused) }
        return CollectorReply(status: 200, disposition: request.dryRun ? .dryRun : .stored)
    }

    private mutating func record(_ key: EventKey) -> Int {
        switch key {
        case .harness(let id): receipts.record(id)
        case .natural(let key): receipts.recordNatural(high: key.high, low: key.low)
        }
    }

    private mutating func noteDryRun(_ key: EventKey) {
        counters.dryRun += 1
        switch key {
        case .harness(let id): receipts.noteDryRun(id)
        case .natural(let key): receipts.noteDryRun(key)
        }
    }

    private mutating func swallow(_ text: UnsafeRawBufferPointer) {
        sensors.forEachElement(of: text) { element in
            guard case .event(_, let key, _) = element else { return }
            counters.swallowed += 1
            switch key {
            case .harness(let id): receipts.noteSwallowed(id)
            case .natural(let key): receipts.noteSwallowed(key)
            }
        }
    }

    // MARK: Answers

    /// The answer that a fault puts in the place of the collector's own; `nil` if it has none.
    private func faultyReply(_ fault: LateFault) -> CollectorReply? {
        if fault.resetsUnread { return refusal(status: 503) }
        return fault.status.map { refusal(status: $0) }
    }

    private func refusal(status: UInt16) -> CollectorReply {
        CollectorReply(status: status, disposition: .notStored)
    }

    private mutating func countUndecodable(_ reason: UndecodableReason, events: UInt64) {
        counters.countUndecodable(reason, events: events)
        receipts.undecodable += events
    }

    /// Counts a request of which nothing can be read.
    private mutating func refuse(_ content: SensorsEnvelope.Content) -> CollectorReply {
        switch content {
        case .encrypted(let events):
            countUndecodable(.encrypted, events: events)
            return undecodableReply(.encrypted)
        case .undecodable(let reason):
            countUndecodable(reason, events: 1)
            return undecodableReply(reason)
        case .json:
            return undecodableReply(.json)
        }
    }

    private func undecodableReply(_ reason: UndecodableReason) -> CollectorReply {
        CollectorReply(
            status: 400, disposition: .undecodable, body: Array("undecodable: \(reason.rawValue)\n".utf8))
    }

    private func configReply(_ query: String, at now: Instant) -> CollectorReply {
        let config = plan.configs.last { $0.from <= now } ?? neutralConfig
        if queryValue("v", in: query) == config.version {
            return CollectorReply(status: 304, disposition: .config)
        }
        return CollectorReply(
            status: 200, disposition: .config, body: config.body, contentType: "application/json")
    }
}

extension CollectorReply {
    /// Whether a client takes the answer for success.
    var isPositive: Bool { (200..<300).contains(status) }
}
