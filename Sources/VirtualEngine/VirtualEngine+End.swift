import Accounting
import CollectorModel
import DeviceSDK
import Measurement
import Timebase

/// What is looked at from time to time, how the run drains, and how its books are closed.
extension VirtualEngine {
    /// Gauges are noted as often as anybody is told of them, and once when users stop.
    func nextTick(after tick: Instant) -> Instant {
        guard phase == .running else { return tick + .milliseconds(250) }
        let next = recorder.nextSample(after: tick)
        return tick < schedule.usersEnd ? min(next, schedule.usersEnd) : next
    }

    mutating func tick(_ observer: inout some VirtualObserver) {
        noteGauges()
        let goesOn = observer.tick(recorder, at: now)
        switch phase {
        case .running:
            guard goesOn, now < schedule.usersEnd else {
                if !goesOn { stoppedAt = now }
                return beginDrain()
            }
        case .draining:
            let limit = (stoppedAt ?? schedule.usersEnd) + schedule.drain
            if now >= limit || (open.isEmpty && !anyDeviceDraining()) { phase = .closing }
            #if PLANTED
                if Planted.has(.drainEndsEarly), open.isEmpty { phase = .closing }
            #endif
        case .closing: break
        }
    }

    private mutating func anyDeviceDraining() -> Bool {
        // The device that held up the drain at the last tick mostly still does: no search then.
        if let (fleet, slot) = drainingDevice, fleets[fleet].isDraining(slot) { return true }
        drainingDevice = nil
        for (index, fleet) in fleets.enumerated() where fleet.storedCount > 0 && fleet.foregroundCount > 0 {
            guard let slot = (0..<fleet.deviceCount).first(where: { fleet.isDraining($0) }) else { continue }
            drainingDevice = (index, slot)
            return true
        }
        return false
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
                population: index, at: instant)
        }
    }

    mutating func awaitOpenAnswers(_ observer: inout some VirtualObserver) {
        let limit = now + RunSchedule.answerGrace
        while !open.isEmpty, !isEnded, let entry = queue.first(), entry.time <= limit {
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
            stoppedAt: stoppedAt, unexpectedAnswers: unexpectedAnswers,
            openRequestsPeak: open.peak, wakes: wakes)
    }
}
