import DeviceSDK
import Measurement
import NIOCore
import Timebase
import World

// MARK: - The shard's one timer

extension Shard: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) {
        armed = nil
        armedFor = .distantFuture
        enter {
            usage.begin(at: clock.realInstant(of: now))
            lastTurn = now
            runDue()
        }
    }

    /// Arms the timer for what comes next. One that fires too early does no harm; one that would
    /// fire too late is replaced. Turns keep ``turnSpacing``; one that took longer is followed at once.
    func arm() {
        guard phase != .finished else { return }
        let next = max(nextDue(), lastTurn + clock.runTime(Shard.turnSpacing))
        guard next < armedFor else { return }
        armed?.cancel()
        armedFor = next
        armed = try? loop.assumeIsolated().scheduleCallback(at: clock.deadline(of: next), handler: self)
    }

    private func nextDue() -> Instant {
        var next = min(nextNote, nextDrainCheck, deadlines.next(in: requests), held.next)
        switch phase {
        case .running: next = min(next, wakes.next, networkChanges.next, usersEnd)
        case .draining: next = min(next, wakes.next, networkChanges.next, drainEnd)
        case .closing, .finished: next = min(next, answersEnd)
        }
        if let idle = connections.longestIdleConnection { next = min(next, idleEnd(of: idle)) }
        return next
    }

    /// When open answers are awaited no longer.
    private var answersEnd: Instant { drainEnd + clock.runTime(RunSchedule.answerGrace) }

    /// When an idle connection is closed.
    private func idleEnd(of connection: Connection) -> Instant {
        clock.instant(atUptime: connection.entry.idleSince) + clock.runTime(configuration.idleLimit)
    }

    /// How often the state of the fleets is noted: a second of the run, or for a clock that runs faster the
    /// shortest power of two of it that is a tenth of a real second, for what is done in less is no rate.
    static func noteInterval(pace: Int64) -> Interval {
        var seconds: Int64 = 1
        while seconds * 10 < pace { seconds *= 2 }
        return .seconds(seconds)
    }

    /// Does what is due, in order of urgency, and a bounded part of the wakes.
    private func runDue() {
        while let key = deadlines.popDue(through: now) { timeOut(key) }
        releaseHeld(through: now)
        closeIdle()
        if phase < .closing { changeNetworks() }
        if phase < .closing { runWakes() }
        while nextNote <= now {
            noteState(endingAt: nextNote - Interval(nanoseconds: 1))
            nextNote = nextNote + noteInterval
        }
        movePhase()
    }

    private func runWakes() {
        for _ in 0..<Shard.wakesPerTurn {
            guard let wake = wakes.popDue(through: now) else { return }
            // Read anew for each: the work of a long batch is lag for its last.
            tick()
            advance(wake.device, due: wake.due)
        }
    }

    private func closeIdle() {
        while let idle = connections.longestIdleConnection, idleEnd(of: idle) <= now { drop(idle) }
    }
}

// MARK: - The run's parts

extension Shard {
    private func movePhase() {
        if phase == .running && now >= usersEnd { beginDrain() }
        if phase == .draining && now >= nextDrainCheck {
            nextDrainCheck = now + clock.runTime(Shard.drainCheck)
            if isQuiet { end() }
        }
        if phase == .draining && now >= drainEnd {
            phase = .closing
            askToServe()
        }
        if phase == .closing && now >= nextDrainCheck {
            nextDrainCheck = now + clock.runTime(Shard.drainCheck)
        }
        if phase == .closing && (requests.count == 0 || now >= answersEnd) { end() }
    }

    private func beginDrain() {
        phase = .draining
        usage.end(at: clock.realInstant(of: now))
        nextDrainCheck = now
    }

    /// Whether nothing is in flight, nothing overdue, and no app in the foreground has rows.
    private var isQuiet: Bool {
        guard requests.count == 0, work.isEmpty, wakes.next > now else { return false }
        let total = partOfDevice.count
        for offset in 0..<total {
            let device = (drainingHint + offset) % total
            let part = Int(partOfDevice[device])
            if parts[part].fleet.isDraining(slot(of: UInt32(device), in: part)) {
                drainingHint = device
                return false
            }
        }
        return true
    }

    /// Ends the users' time now, or everything.
    func stop(atOnce: Bool) {
        enter {
            if atOnce {
                end()
            } else if phase == .running {
                for part in parts { part.fleet.stopUsers(at: now) }
                usersEnd = now
                drainEnd = now + clock.runTime(configuration.schedule.drain)
                beginDrain()
            }
        }
    }

    /// Seals what is left and gives the shard's result.
    private func end() {
        endOpenRequests()
        noteState(endingAt: max(now, configuration.schedule.start))
        phase = .finished
        armed?.cancel()
        armed = nil
        for index in parts.indices {
            parts[index].fleet.finish(effects: &effects)
            effects.died.removeAll()
            absorbEffects(of: index)
            flushSealed(index)
        }
        usage.end(at: clock.realInstant(of: now))
        let peak = connections.peak
        for connection in connections.all { drop(connection) }
        finish(with: makeResult(peak: peak))
    }

    private func makeResult(peak: Int) -> ShardResult {
        var captured: [(device: UInt32, count: UInt32)] = []
        captured.reserveCapacity(partOfDevice.count)
        for part in parts {
            for slot in 0..<part.fleet.deviceCount {
                captured.append((part.fleet.globalNumber(of: slot), part.fleet.capturedCount(of: slot)))
            }
        }
        return ShardResult(
            recorder: recorder, captured: captured,
            devicesStarted: parts.reduce(0) { $0 + $1.fleet.startedCount },
            planFingerprint: parts.reduce(0) { $0 &+ $1.fleet.planFingerprint },
            busyShare: usage.share, peakBusyShare: usage.peak,
            connectionsOpened: connections.opened, connectionsRecycled: recycled, connectionsPeak: peak,
            handshakes: handshakes,
            unexpectedAnswers: unexpected, finishedAt: now)
    }

    /// Notes the state of the fleets for the interval that ends at `instant`.
    private func noteState(endingAt instant: Instant) {
        noteFleets(at: instant)
        usage.sample(at: clock.realInstant(of: now))
    }

    private func noteFleets(at instant: Instant) {
        for index in parts.indices {
            let fleet = parts[index].fleet
            var gauges = TimeSeries.Gauges()
            gauges.storedRows = fleet.storedCount
            gauges.devicesActive = UInt64(fleet.foregroundCount)
            gauges.devicesStarted = UInt64(fleet.startedCount)
            gauges.connections = UInt64(parts[index].connections)
            recorder.note(
                gauges: gauges, captured: fleet.capturedCount, prefilled: fleet.prefilledCount,
                population: parts[index].population, at: instant)
            flushSealed(index)
        }
    }

    /// The state at this moment; what was captured so far is counted up to it, so that a snapshot never
    /// tells of more events delivered than captured.
    func snapshot() -> LiveSnapshot {
        if phase < .finished { noteFleets(at: max(now, clockTime)) }
        return LiveSnapshot(
            recorder: recorder, phase: phase, openConnections: connections.count,
            requestsInFlight: requests.count, now: max(now, clockTime))
    }
}
