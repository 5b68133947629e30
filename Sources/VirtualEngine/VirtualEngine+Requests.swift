import DeviceSDK
import Measurement
import Timebase
import World

// MARK: - From a device's wish to the answer on its way

extension VirtualEngine {
    /// Begins a request that a device asked for.
    mutating func start(_ request: OutgoingRequest, device: Int, population: Int) {
        if phase == .closing { return giveBack(request.number, request.network, device: device) }
        if request.number.kind == .upload, request.network != .none {
            recorder.noteStart(plannedAt: request.plannedAt, population: population)
        }
        let verdict = clientFaults.verdict(
            on: request, of: configuration.plans[population], index: devices.location(of: device).slot,
            at: now)
        let attempt = Attempt(request: request, verdict: verdict, begunAt: now)
        // What never leaves is not late.
        guard verdict.fate != .drop, verdict.delay > .zero, verdict.delay < request.timeout else {
            return send(attempt, device: device, population: population)
        }
        var held = OpenRequest(
            number: request.number, network: request.network, outcome: .failed(.processDied))
        held.sample = sample(of: attempt, until: now + verdict.delay)
        held.attempt = attempt
        insert(.departure(open.add(held, device: device)), device: device, at: now + verdict.delay)
    }

    /// A request that was held up leaves, unless its process died meanwhile.
    mutating func depart(_ index: UInt32, device: Int) {
        guard let held = open.take(index), let attempt = held.attempt else { return }
        if phase == .closing { return giveBack(held.number, held.network, device: device) }
        send(attempt, device: device, population: devices.location(of: device).fleet)
    }

    /// Lets a request go over the network, or do what the client's side makes of it, and puts its end in
    /// the queue.
    private mutating func send(_ attempt: Attempt, device: Int, population: Int) {
        let request = attempt.request
        let exchange = exchange(attempt, fleet: fleets[population])
        let limit = attempt.begunAt + request.timeout
        let timedOut = exchange.delay > limit - now
        let endsAt = timedOut ? limit : now + exchange.delay
        var sample = sample(of: attempt, until: endsAt)
        sample.bytesSent = exchange.bytesSent
        sample.receiving = min(exchange.receiving, endsAt - now)
        sample.waiting = endsAt - now - sample.receiving
        var outcome = exchange.outcome
        if timedOut { outcome = .failed(.timedOut) }
        var answer: UnexpectedAnswer?
        switch outcome {
        case .answered(let status, _, _, _):
            sample.status = status
            sample.bytesReceived = exchange.bytesReceived
            if request.number.kind == .upload, unexpectedAnswers.count < UnexpectedAnswer.limit {
                answer = UnexpectedAnswer(
                    status: status, failure: nil, headers: exchange.headers, body: exchange.body,
                    population: population, at: endsAt)
            }
        case .failed(let failure): sample.failure = failure
        }
        let index = open.add(
            OpenRequest(
                number: request.number, network: request.network, outcome: outcome, sample: sample,
                answer: answer), device: device)
        insert(.answer(index), device: device, at: endsAt)
    }

    private mutating func exchange(_ attempt: Attempt, fleet: any DeviceFleet) -> Exchange {
        let request = attempt.request
        if request.network == .none { return .failed(.offline, after: .zero) }
        // What is held up for as long as the SDK waits never leaves either.
        if attempt.verdict.delay >= request.timeout { return .silence }
        switch attempt.verdict.fate {
        case .goes: return server.exchange(request, fleet: fleet, at: now)
        case .drop: return .silence
        case .reset(let point): return server.cutOff(request, fleet: fleet, at: now, after: point)
        case .lostReply(let reply):
            let exchange = server.exchange(request, fleet: fleet, at: now)
            guard case .answered = exchange.outcome else { return exchange }
            var lost = reply == .timeout ? .silence : Exchange.reset(after: exchange.delay, sent: 0)
            lost.bytesSent = exchange.bytesSent
            return lost
        }
    }

    private func sample(of attempt: Attempt, until end: Instant) -> RequestSample {
        var sample = RequestSample(plannedAt: attempt.request.plannedAt, finishedAt: end)
        sample.isConfig = attempt.request.number.kind == .config
        sample.eventCount = attempt.request.eventCount
        sample.isRetry = attempt.request.isRetry
        sample.blocked = now - attempt.begunAt
        return sample
    }

    /// After the drain nothing starts: the device gets its rows back, and nothing is counted.
    private mutating func giveBack(_ number: RequestNumber, _ network: NetworkKind, device: Int) {
        let request = OpenRequest(number: number, network: network, outcome: .failed(.offline))
        insert(.answer(open.add(request, device: device)), device: device, at: now)
    }

    /// The process of a device died: its requests are cut, and count as such if they had begun.
    mutating func cutRequests(of device: Int, population: Int) {
        for request in open.takeAll(of: device) {
            note(request, endedBy: .processDied, population: population)
        }
    }

    /// The run is over: what has no answer yet counts as that, and what was held up and never left goes
    /// back.
    mutating func endOpenRequests(_ observer: inout some VirtualObserver) {
        while !open.isEmpty {
            for (device, request) in open.takeAll() {
                let (fleet, slot) = devices.location(of: device)
                guard request.attempt != nil || request.sample == nil else {
                    note(request, endedBy: .unanswered, population: fleet)
                    continue
                }
                fleets[fleet].giveBack(
                    slot, request: request.number, network: request.network, at: now, effects: &effects)
                absorbEffects(device, next: devices.nextWake(of: device), &observer)
            }
        }
    }

    /// Counts a request that ends without an answer. One without a network never began.
    private mutating func note(_ request: OpenRequest, endedBy failure: RequestFailure, population: Int) {
        guard var sample = request.sample, request.network != .none else { return }
        sample.finishedAt = now
        sample.status = 0
        sample.failure = failure
        recorder.note(sample, population: population)
    }
}

/// A request from its beginning on the device.
struct Attempt {
    var request: OutgoingRequest
    var verdict: ClientFaultVerdict
    /// The SDK's limit counts from here.
    var begunAt: Instant
}
