import DeviceSDK
import Measurement
import NIOCore
import Timebase
import World

// MARK: - The shard's one timer

extension Shard: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) {
        enter {
            usage.begin(at: clock.realInstant(of: now))
            timer.beginTurn(at: now)
            runDue()
        }
    }

    /// Arms the timer for what comes next.
    func arm() {
        guard phase != .ended else { return }
        timer.arm(for: agenda.next, clock: clock, on: loop, handler: self)
    }

    /// How often the state of the fleets is noted: a second of the run, or for a clock that runs faster the
    /// shortest power of two of it that is a tenth of a real second, for what is done in less is no rate.
    static func noteInterval(pace: Int64) -> Interval {
        var seconds: Int64 = 1
        while seconds * 10 < pace { seconds *= 2 }
        return .seconds(seconds)
    }

    /// Does what is due: of the wakes a bounded part, so that a backlog of them holds up nothing else.
    private func runDue() {
        var wakes = 0
        while phase != .ended,
            let entry = agenda.popDue(through: now, takesWakes: wakes < Shard.wakesPerTurn)
        {
            switch entry {
            case .chore(let chore, let due): perform(chore, due: due)
            case .request(let index): proceed(index)
            case .wake(let device, let due):
                wakes += 1
                // Read anew for each: the work of a long batch is lag for its last.
                tick()
                advance(device, due: due)
            }
        }
    }

    private func perform(_ chore: Agenda.Chore, due: Instant) {
        switch chore {
        case .networks: changeNetworks()
        case .note:
            noteState(endingAt: due - Interval(nanoseconds: 1))
            agenda.set(.note, at: due + Shard.noteInterval(pace: clock.pace))
        case .phase: movePhase()
        case .idle:
            while let idle = connections.longestIdleConnection, idleEnd(of: idle) <= now { drop(idle) }
            watchIdle()
        }
    }

    /// Has the connection closed that is idle for longest, when its time is up. It may be in use again by then, and
    /// is not looked at before.
    func watchIdle() {
        guard agenda[.idle] == .distantFuture, let idle = connections.longestIdleConnection else { return }
        agenda.set(.idle, at: idleEnd(of: idle))
    }

    /// When an idle connection is closed.
    private func idleEnd(of connection: Connection) -> Instant {
        clock.instant(atUptime: connection.entry.idleSince) + clock.runTime(configuration.idleLimit)
    }
}

// MARK: - The run's parts

extension Shard {
    /// Goes on to the part of the run whose time it is, and looks again when that may be over.
    private func movePhase() {
        while let next = phases.next(at: now, isIdle: isIdle, fleets: parts.lazy.map(\.fleet)) {
            if next == .ended { return end() }
            begin(next)
        }
        let check = phase == .running ? phases.limit : now + clock.runTime(Shard.drainCheck)
        agenda.set(.phase, at: min(phases.limit, check))
    }

    private func begin(_ next: RunPhase) {
        phases.begin(next, at: now)
        switch next {
        case .running, .ended: break
        case .draining: usage.end(at: clock.realInstant(of: now))
        case .closing:
            agenda.endWakes()
            agenda.set(.networks, at: .distantFuture)
            giveBackWaiting()
            askToServe()
        }
    }

    /// Whether nothing is in flight, and nothing overdue.
    private var isIdle: Bool {
        requests.count == 0 && (phase == .closing || work.isEmpty && agenda.nextWake > now)
    }

    /// Ends the users' time now, or everything.
    func stop(atOnce: Bool) {
        enter {
            if atOnce {
                end()
            } else if phases.stopUsers(at: now) {
                for part in parts { part.fleet.stopUsers(at: now) }
                usage.end(at: clock.realInstant(of: now))
                agenda.set(.phase, at: now)
            }
        }
    }

    /// Seals what is left and gives the shard's result.
    private func end() {
        endOpenRequests()
        noteState(endingAt: max(now, configuration.schedule.start))
        phases.begin(.ended, at: now)
        timer.cancel()
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
            recorder: recorder, captured: captured, counts: counts(peak: peak), busyShare: usage.share,
            peakBusyShare: usage.peak, unexpectedAnswers: samples.kept, usersStoppedAt: phases.stoppedAt,
            finishedAt: now)
    }

    private func counts(peak: Int) -> LiveCounts {
        var counts = LiveCounts()
        for part in parts {
            counts.devicesStarted += part.fleet.startedCount
            counts.planFingerprint &+= part.fleet.planFingerprint
        }
        counts.connectionsOpened = connections.opened
        counts.connectionsRecycled = connections.recycled
        counts.overlongAnswers = connections.overlongAnswers
        counts.connectionsPeak = peak
        counts.slotsLeft = pools.connectionCount
        counts.handshakes = connections.handshakes
        counts.handshakeTime = connections.handshakeTime
        counts.threadTime = usage.total
        counts.sharedConnections = connections.sharedCount
        counts.streamsOpened = connections.streamsOpened
        return counts
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
            if let updated = fleet.updatedCount(at: instant) {
                gauges.devicesUpdated = UInt64(updated)
                gauges.devicesUpdatable = gauges.devicesStarted
            }
            gauges.connections = UInt64(parts[index].connections)
            recorder.note(
                gauges: gauges, captured: fleet.capturedCount, prefilled: fleet.prefilledCount,
                radioTime: fleet.radioTime, radioWakeups: fleet.radioWakeups,
                population: parts[index].population, at: instant)
            flushSealed(index)
        }
    }

    /// The state at this moment; what was captured so far is counted up to it, so that a snapshot never
    /// tells of more events delivered than captured.
    func snapshot() -> LiveSnapshot {
        if phase < .ended { noteFleets(at: max(now, clockTime)) }
        return LiveSnapshot(
            recorder: recorder, phase: phase, openConnections: connections.count,
            requestsInFlight: requests.count, usersStoppedAt: phases.stoppedAt, now: max(now, clockTime))
    }
}
