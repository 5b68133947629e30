import DeviceSDK
import Measurement
import Timebase
import World

// MARK: - The end of a request

extension Shard {
    /// Puts the end of a request without a whole answer in line.
    func fail(_ index: Int32, _ failure: RequestFailure) {
        requests[index].carrier = nil
        requests[index].course.end()
        requests[index].sample.failure = failure
        requests[index].sample.finishedAt = now
        work.append(.end(requests.key(index), .failed(failure)))
    }

    /// Takes the phases from the connection's moments. They add up to the duration: what lies neither in
    /// setting up nor between the first byte sent and the last received is `blocked`.
    func fillSample(_ index: Int32, from carrier: Carrier) {
        let times = carrier.times
        let planned = requests[index].sample.plannedAt
        requests[index].carrier = nil
        var sample = requests[index].sample
        sample.finishedAt = times.lastByte == 0 ? now : clock.instant(atUptime: times.lastByte)
        sample.lookingUp = times.lookingUp
        sample.connecting = times.connecting
        sample.handshaking = times.handshaking
        // Before anything was set up, it began when its device asked for it.
        let begun = times.begun.map { clock.instant(atUptime: $0) } ?? sample.begunAt
        sample.begunAt = begun
        if times.writeBegan == 0 {
            // It never came to writing.
            sample.blocked = waited(since: planned, until: begun)
        } else {
            sample.blocked = max(.zero, waited(since: planned, until: begun) - sample.settingUp)
            carrier.discountUnsent()
            sample.bytesSent = UInt64(carrier.sentBytes)
            sample.bytesReceived = UInt64(carrier.parser.received + carrier.bytesBehind)
            sample.sending = times.sending
            sample.waiting = times.waiting
            sample.receiving = times.receiving
        }
        requests[index].sample = sample
    }

    /// The same of a request that no connection has begun to carry: all of its time is `blocked`.
    func fillUnsentSample(_ index: Int32) {
        requests[index].sample.blocked = waited(since: requests[index].sample.plannedAt, until: now)
    }

    /// The real time between two moments of the run.
    func waited(since begin: Instant, until end: Instant) -> Interval {
        max(.zero, clock.realTime(end - begin))
    }

    /// Gives an answer to its device, which has come to the present before.
    func endRequest(_ key: RequestKey, _ outcome: RequestOutcome) {
        let request = requests[key.index]
        let part = Int(request.fleet)
        if outcome != .failed(.offline) {
            advance(request.device, due: overdue(request.device, at: now))
            // The process may have died meanwhile, and its request with it.
            guard requests.isOpen(key) else { return }
        }
        close(key.index)
        let wake = parts[part].fleet.complete(
            Int(request.slot), request: request.number, outcome: outcome, at: now, effects: &effects)
        agenda.setWake(of: request.device, at: wake)
        var sample = request.sample
        sample.isAcknowledged = effects.isAcknowledged
        recorder.note(sample, population: parts[part].population)
        samples.decide(key, isAcknowledged: sample.isAcknowledged)
        absorbEffects(of: part)
    }

    /// A device's process died: its connections close, its requests are cut and never completed.
    func cut(_ device: UInt32) {
        var index = requests.first(of: device)
        while index >= 0 {
            let next = requests[index].nextOfDevice
            let carrier = requests[index].carrier
            note(index, endedBy: .processDied)
            if let carrier { letGo(carrier) }
            samples.forget(requests.key(index))
            close(index)
            index = next
        }
        while let connection = connections.first(of: device) { drop(connection) }
    }

    /// The run is over: what never began goes back to its device, and what has no answer counts as that.
    func endOpenRequests() {
        phases.begin(.closing, at: now)
        for index in requests.openIndices {
            guard requests[index].isOpen, case .held = requests[index].course.stage else { continue }
            giveBack(index)
        }
        giveBackWaiting()
        askToServe()
        doWork()
        for index in requests.openIndices {
            if let carrier = requests[index].carrier, carrier.parser.received > 0 {
                keepSample(of: carrier, request: index, failure: .unanswered)
            }
            note(index, endedBy: .unanswered)
            close(index)
        }
    }

    /// Counts a request that ends without an answer, from the moment at which its device asked for it. One
    /// without a network never began.
    private func note(_ index: Int32, endedBy failure: RequestFailure) {
        guard requests[index].network != .none else { return }
        if let carrier = requests[index].carrier {
            fillSample(index, from: carrier)
        } else if requests[index].course.stage == .waiting {
            fillUnsentSample(index)
        }
        var sample = requests[index].sample
        sample.status = 0
        sample.failure = failure
        sample.finishedAt = now
        recorder.note(sample, population: parts[Int(requests[index].fleet)].population)
    }
}
