import DeviceSDK
import Measurement
import Timebase
import World

// MARK: - From a device's wish to the answer on its way

extension VirtualEngine {
    /// Begins a request that a device asked for.
    mutating func start(_ request: OutgoingRequest, device: Int, population: Int) {
        if phases.phase < .closing, request.number.kind == .upload, request.network != .none {
            recorder.noteStart(plannedAt: request.plannedAt, population: population)
        }
        let verdict = clientFaults.verdict(
            on: request, from: fleets[population], over: links[population],
            index: index(of: devices.location(of: device).slot, in: population), at: now)
        let course = RequestCourse(
            verdict, limit: request.timeout, hasNetwork: request.network != .none, at: now)
        var attempt = Attempt(request: request, course: course)
        proceed(&attempt, device: device, population: population)
    }

    /// A request that was held up leaves, unless its process died meanwhile.
    mutating func depart(_ index: UInt32, device: Int) {
        guard var attempt = open.take(index)?.held?.attempt else { return }
        proceed(&attempt, device: device, population: devices.location(of: device).fleet)
    }

    /// Does what a request's course has come to.
    private mutating func proceed(_ attempt: inout Attempt, device: Int, population: Int) {
        let action = attempt.course.proceed(at: now, isClosing: phases.phase >= .closing)
        switch action {
        case .send:
            scheduleEnd(after: exchange(attempt, fleet: fleets[population]), of: attempt, device: device)
        case .keepSilent: scheduleEnd(after: .silence, of: attempt, device: device)
        case .fail(let failure):
            scheduleEnd(after: .failed(failure, after: .zero), of: attempt, device: device)
        case .hold(let moment): hold(attempt, until: moment, device: device)
        // After the drain nothing starts: the device gets its rows back, and nothing is counted.
        case .giveBack: giveBack(attempt.request.number, attempt.request.network, device: device)
        case .deliver, nil: preconditionFailure("a request leaves once")
        }
    }

    private mutating func hold(_ attempt: Attempt, until moment: Instant, device: Int) {
        let held = OpenRequest(
            number: attempt.request.number, network: attempt.request.network, outcome: .failed(.processDied),
            sample: sample(of: attempt, until: moment), held: HeldAttempt(attempt))
        insert(.departure(open.add(held, device: device)), device: device, at: moment)
    }

    /// Puts the end of a request in the queue: what comes of its exchange, or its limit.
    private mutating func scheduleEnd(after exchange: Exchange, of attempt: Attempt, device: Int) {
        let request = attempt.request
        let exchange = exchange.returning(attempt.course, at: now)
        let limit = attempt.course.endsAt
        // An answer at the very moment of the limit comes too late: whoever waits set that deadline before.
        let timedOut = exchange.delay >= limit - now
        let endsAt = timedOut ? limit : now + exchange.delay
        var sample = sample(of: attempt, until: endsAt)
        sample.bytesSent = exchange.bytesSent
        sample.bytesReceived = exchange.bytesReceived(after: endsAt - now)
        sample.receiving = max(.zero, (endsAt - now) - (exchange.delay - exchange.receiving))
        sample.waiting = endsAt - now - sample.receiving
        var outcome = exchange.outcome
        if timedOut { outcome = .failed(.timedOut) }
        var answer: AnswerText?
        switch outcome {
        case .answered(let status, _, _, _):
            sample.status = status
            if request.number.kind == .upload, unexpectedAnswers.count < UnexpectedAnswer.limit {
                answer = AnswerText(headers: exchange.headers, body: exchange.body)
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
        switch attempt.course.verdict.fate {
        // The course lets nothing else come to this.
        case .goes, .drop, .refused: return server.exchange(request, fleet: fleet, at: now)
        case .reset(let point): return server.cutOff(request, fleet: fleet, at: now, after: point)
        case .lostReply(let reply):
            let exchange = server.exchange(request, fleet: fleet, at: now)
            guard case .answered = exchange.outcome else { return exchange }
            var lost = reply == .timeout ? .silence : Exchange.reset(after: exchange.delay, sent: 0)
            lost.bytesSent = exchange.bytesSent
            return lost
        }
    }

    /// Hands a device what came of its request.
    mutating func complete(_ request: OpenRequest, device: Int, _ observer: inout some VirtualObserver) {
        let (fleet, slot) = devices.location(of: device)
        let wake = fleets[fleet].advance(slot, through: now, effects: &effects)
        // The process may have died by now, and its request with it.
        guard effects.died.isEmpty else {
            note(request, endedBy: .processDied, population: fleet)
            return absorbEffects(device, next: wake, &observer)
        }
        let next = fleets[fleet].complete(
            slot, request: request.number, outcome: request.outcome, at: now, effects: &effects)
        var sample = request.sample
        sample.isAcknowledged = effects.isAcknowledged
        record(sample, population: fleet)
        if !sample.isAcknowledged, let answer = request.answer,
            unexpectedAnswers.count < UnexpectedAnswer.limit
        {
            unexpectedAnswers.append(
                answer.unexpected(
                    sample, population: fleet, device: fleets[fleet].globalNumber(of: slot)))
        }
        absorbEffects(device, next: next, &observer)
    }

    private func sample(of attempt: Attempt, until end: Instant) -> RequestSample {
        var sample = RequestSample(plannedAt: attempt.request.plannedAt, finishedAt: end)
        sample.begunAt = now
        sample.isConfig = attempt.request.number.kind == .config
        sample.eventCount = attempt.request.eventCount
        sample.isRetry = attempt.request.isRetry
        sample.blocked = now - attempt.request.plannedAt
        return sample
    }

    private func giveBack(_ number: RequestNumber, _ network: NetworkKind, device: Int) {
        let (fleet, slot) = devices.location(of: device)
        fleets[fleet].giveBack(slot, request: number, network: network, at: now)
    }

    /// The process of a device died: its requests are cut, and count as such if they had begun.
    mutating func cutRequests(of device: Int, population: Int) {
        for request in open.takeAll(of: device) {
            note(request, endedBy: .processDied, population: population)
        }
    }

    /// The run is over: what has no answer yet counts as that, and what was held up and never left goes
    /// back.
    mutating func endOpenRequests() {
        for (device, request) in open.takeAll() {
            if request.held == nil {
                note(request, endedBy: .unanswered, population: devices.location(of: device).fleet)
            } else {
                giveBack(request.number, request.network, device: device)
            }
        }
    }

    /// Counts a request that ends without an answer. One without a network never began.
    mutating func note(_ request: OpenRequest, endedBy failure: RequestFailure, population: Int) {
        guard request.network != .none else { return }
        var sample = request.sample
        sample.finishedAt = now
        sample.status = 0
        sample.failure = failure
        sample.bytesReceived = 0
        record(sample, population: population)
    }
}

extension Exchange {
    /// The exchange as the device sees it: the answer on its way back, and what a change of the radio does to it.
    fileprivate func returning(_ course: RequestCourse, at now: Instant) -> Exchange {
        // A change of the radio cuts what is on its way, and what the collector is still at work on.
        if let end = course.breaksAt, end < course.endsAt, end - now < delay {
            var cut = Exchange.reset(after: max(.zero, end - now), sent: bytesSent)
            cut.bytesReceived = bytesReceived(after: cut.delay)
            cut.receiving = max(.zero, cut.delay - (delay - receiving))
            return cut
        }
        // What leaves after the limit is not seen; it may be as good as never.
        guard case .answered = outcome, delay <= course.endsAt - now else { return self }
        let (moment, isLost) = course.arrival(ofAnswerAt: now + delay)
        guard !isLost else { return .reset(after: moment - now, sent: bytesSent) }
        var seen = self
        seen.delay = moment - now
        // Of what came whole and is kept back for too long, nothing is seen.
        if moment >= course.endsAt { seen.bytesReceived = 0 }
        return seen
    }
}

/// A request from its beginning on the device.
struct Attempt {
    var request: OutgoingRequest
    var course: RequestCourse
}
