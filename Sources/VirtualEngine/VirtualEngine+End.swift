import Accounting
import CollectorModel
import DeviceSDK
import Measurement
import Timebase

/// What is looked at from time to time, how the run drains, and how its books are closed.
extension VirtualEngine {
    /// Gauges are noted as often as anybody is told of them, and once when users stop.
    func nextTick(after tick: Instant) -> Instant {
        guard phases.phase == .running else { return tick + .milliseconds(250) }
        let next = recorder.nextSample(after: tick)
        return tick < schedule.usersEnd ? min(next, schedule.usersEnd) : next
    }

    mutating func tick(_ observer: inout some VirtualObserver) {
        noteGauges()
        guard observer.tick(recorder, at: now) || phases.phase != .running else { return stopUsers() }
        #if PLANTED
            if Planted.has(.drainEndsEarly), phases.phase == .draining, open.isEmpty {
                return phases.begin(.closing, at: now)
            }
        #endif
        let isIdle = open.isEmpty && !configuration.playsWholeDrain
        guard let next = phases.next(at: now, isIdle: isIdle, fleets: fleets) else { return }
        phases.begin(next, at: now)
        if next == .closing { drainEndedAt = now }
        if next == .draining {
            for fleet in fleets { fleet.stopUsers(at: now) }
        }
    }

    mutating func noteGauges() {
        let instant = max(schedule.start, now - Interval(nanoseconds: 1))
        for (index, fleet) in fleets.enumerated() {
            var gauges = TimeSeries.Gauges()
            gauges.storedRows = fleet.storedCount
            gauges.devicesActive = UInt64(fleet.foregroundCount)
            gauges.devicesStarted = UInt64(fleet.startedCount)
            recorder.note(
                gauges: gauges, captured: fleet.capturedCount, prefilled: fleet.prefilledCount,
                radioTime: fleet.radioTime, radioWakeups: fleet.radioWakeups,
                population: index, at: instant)
        }
    }

    mutating func awaitOpenAnswers(_ observer: inout some VirtualObserver) {
        while !open.isEmpty, phases.phase == .closing, let entry = queue.first(), entry.time <= phases.limit {
            poll(&observer)
            _ = queue.popFirst()
            now = entry.time
            switch QueueItem(payload: entry.payload) {
            case .wake: break
            case .departure(let index): depart(index, device: Int(entry.device))
            case .answer(let index):
                guard let request = open.take(index) else { continue }
                complete(request, device: Int(entry.device), &observer)
            }
        }
        endOpenRequests(&observer)
    }

    mutating func finish(_ observer: inout some VirtualObserver) -> VirtualResult {
        for (index, fleet) in fleets.enumerated() {
            for first in stride(from: 0, to: fleet.deviceCount, by: VirtualEngine.closingBlock) {
                _ = observer.poll(recorder, at: now, wakes: wakes)
                effects.removeAll()
                let slots = first..<min(first + VirtualEngine.closingBlock, fleet.deviceCount)
                fleet.finish(slots, effects: &effects)
                recorder.note(effects.sealed, population: index)
                observer.sealed(effects.sealed, population: index)
            }
        }
        noteGauges()
        recorder.beliefs.capturedCounts = (0..<devices.count).map { device in
            let (fleet, slot) = devices.location(of: device)
            return fleets[fleet].capturedCount(of: slot)
        }
        return VirtualResult(
            recorder: recorder, receipts: server.collector.receipts, statistics: server.collector.statistics,
            simulated: now - schedule.start, devicesStarted: fleets.reduce(0) { $0 + $1.startedCount },
            stoppedAt: phases.stoppedAt, drainEndedAt: drainEndedAt, unexpectedAnswers: unexpectedAnswers,
            openRequestsPeak: open.peak, wakes: wakes)
    }
}
