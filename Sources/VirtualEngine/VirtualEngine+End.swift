import Accounting
import CollectorModel
import DeviceSDK
import Measurement
import Timebase

/// What is looked at from time to time, how the run drains, and how its books are closed.
extension VirtualEngine {
    /// Gauges are noted as often as anybody is told of them, and once when users stop.
    func nextTick(after tick: Instant) -> Instant {
        // No later than the end of the part, which a drain of no time has at once.
        guard phases.phase == .running else { return min(tick + .milliseconds(250), phases.limit) }
        guard configuration.isWatched else { return schedule.usersEnd }
        let next = recorder.nextSample(after: tick)
        return tick < schedule.usersEnd ? min(next, schedule.usersEnd) : next
    }

    mutating func tick<Observer: VirtualObserver>(_ observer: inout Observer) {
        if catchUp() { isStill = false }
        if isQuiet {
            guard Observer.hearsQuietTicks else { return }
        } else {
            noteGauges()
        }
        guard observer.tick(recorder, at: now) || phases.phase != .running else { return letUsersStop() }
        #if PLANTED
            if Planted.has(.drainEndsEarly), phases.phase == .draining, open.isEmpty {
                return phases.begin(.closing, at: now)
            }
        #endif
        let isIdle = open.isEmpty && !configuration.playsWholeDrain && !configuration.isPart
        guard let next = phases.next(at: now, isIdle: isIdle, fleets: fleets) else { return }
        phases.begin(next, at: now)
        if next == .closing { drainEndedAt = now }
        if next == .draining {
            for fleet in fleets { fleet.stopUsers(at: now) }
        }
    }

    /// Whether a look would tell nothing that the one before has not told.
    private var isQuiet: Bool {
        isStill && now < schedule.usersEnd && phases.phase == .running && recorder.goesOn(at: lookedAt)
    }

    mutating func noteGauges() {
        guard configuration.isWatched else { return }
        isStill = mayLeaveOutLooks
        if part != nil, isQuietPart() { return }
        let instant = lookedAt
        for (index, fleet) in fleets.enumerated() {
            recorder.note(fleet.levels(at: instant), population: index, at: instant)
        }
    }

    /// Keeps a look at the devices of a part: see ``PartLooks``.
    private mutating func isQuietPart() -> Bool {
        let isDrained = phases.phase == .draining && open.isEmpty && phases.isDrained(fleets)
        let look = look(isDrained: isDrained)
        return part?.isQuiet(look, activity: recorder.activity) ?? false
    }

    mutating func awaitOpenAnswers(_ observer: inout some VirtualObserver) {
        while !open.isEmpty, phases.phase == .closing, let entry = queue.first(), entry.time <= phases.limit {
            poll(&observer)
            _ = queue.popFirst()
            let item = QueueItem(payload: entry.payload)
            if case .wake = item { continue }
            now = entry.time
            if case .departure(let index) = item { depart(index, device: Int(entry.device)) }
            if case .answer(let index) = item, let request = open.take(index) {
                complete(request, device: Int(entry.device), &observer)
            }
        }
        // What is still open was waited for in vain.
        if !open.isEmpty, phases.phase == .closing { now = max(now, phases.limit) }
        endOpenRequests()
    }

    mutating func finish(_ observer: inout some VirtualObserver) -> VirtualResult {
        // An end at once leaves what was asked for ahead of it: what had become of events has.
        for (device, ahead) in lookahead.takeAll() {
            effects = ahead
            effects.requests.removeAll()
            absorbEffects(device, next: .distantFuture, &observer)
        }
        for (index, fleet) in fleets.enumerated() {
            _ = fleet.catchUp(to: .distantFuture, interval: recorder.series.partWidth)
            for first in stride(from: 0, to: fleet.deviceCount, by: VirtualEngine.closingBlock) {
                _ = observer.poll(recorder, at: now, wakes: wakes)
                effects.removeAll()
                let slots = first..<min(first + VirtualEngine.closingBlock, fleet.deviceCount)
                fleet.finish(slots, effects: &effects)
                record(effects.sealed, population: index)
                tellBodies(population: index)
                observer.sealed(effects.sealed, population: index, at: .distantFuture)
            }
        }
        let levels = part.map { closing(of: $0) }
        if part == nil { noteGauges() }
        noteCapturedCounts()
        return VirtualResult(
            recorder: recorder, receipts: server.collector.receipts, statistics: server.collector.statistics,
            simulated: now - schedule.start, devicesStarted: fleets.reduce(0) { $0 + $1.startedCount },
            stoppedAt: phases.stoppedAt, drainEndedAt: drainEndedAt, unexpectedAnswers: unexpectedAnswers,
            openRequestsPeak: open.peak, wakes: wakes,
            wakesAhead: lookahead.wakes, levels: levels)
    }

    private func closing(of part: PartLooks) -> PartLevels {
        PartLevels(log: part.log, quietSince: part.quietSince, closing: look(isDrained: true))
    }

    /// The last moment before now, at which looks are.
    private var lookedAt: Instant { max(schedule.start, now - Interval(nanoseconds: 1)) }

    private func look(isDrained: Bool) -> FleetLook {
        let instant = lookedAt
        return FleetLook(at: instant, levels: fleets.map { $0.levels(at: instant) }, isDrained: isDrained)
    }

    /// By the devices' numbers in the run; 0 for devices of other parts.
    private mutating func noteCapturedCounts() {
        let end = configuration.plans.map { Int($0.firstDevice) + $0.deviceCount }.max() ?? 0
        var counts = [UInt32](repeating: 0, count: end)
        for device in 0..<devices.count {
            let (fleet, slot) = devices.location(of: device)
            counts[Int(fleets[fleet].globalNumber(of: slot))] = fleets[fleet].capturedCount(of: slot)
        }
        recorder.beliefs.capturedCounts = counts
    }
}

extension DeviceFleet {
    /// What a look at the fleet tells.
    fileprivate func levels(at instant: Instant) -> FleetLevels {
        var levels = FleetLevels()
        levels.gauges.storedRows = storedCount
        levels.gauges.devicesActive = UInt64(foregroundCount)
        levels.gauges.devicesStarted = UInt64(startedCount)
        if let updated = updatedCount(at: instant) {
            levels.gauges.devicesUpdated = UInt64(updated)
            levels.gauges.devicesUpdatable = levels.gauges.devicesStarted
        }
        (levels.captured, levels.prefilled) = (capturedCount, prefilledCount)
        (levels.radioTime, levels.radioWakeups) = (radioTime, radioWakeups)
        return levels
    }
}
