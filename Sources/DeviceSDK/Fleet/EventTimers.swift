package import Timebase

/// The running clock of a timed event.
private struct EventTimer {
    var event: UInt16
    /// When the present stretch in the foreground began.
    var began: Instant
    /// The stretches before.
    var accumulated = Interval.zero
}

/// The clocks of timed events that run in one process: of each event one at most.
package struct EventTimers {
    private var timers: ContiguousArray<EventTimer> = []
    /// Bit n is set where a clock of an event whose number is n modulo 8 may run. Most events have none,
    /// and the list is far away in memory.
    private var marks: UInt8 = 0

    /// Makes a list without clocks; takes no memory beyond the value itself.
    package init() {}

    /// Starts the clock of an event; one that runs begins anew.
    package mutating func begin(_ event: UInt16, at now: Instant) {
        if marks & EventTimers.mark(event) != 0 { timers.removeAll { $0.event == event } }
        timers.append(EventTimer(event: event, began: now))
        marks |= EventTimers.mark(event)
    }

    /// Stops the clock of an event.
    ///
    /// - Returns: What it shows; `nil` if none runs.
    package mutating func end(_ event: UInt16, at now: Instant) -> Interval? {
        guard marks & EventTimers.mark(event) != 0,
            let index = timers.firstIndex(where: { $0.event == event })
        else { return nil }
        let timer = timers.remove(at: index)
        marks = timers.reduce(0) { $0 | EventTimers.mark($1.event) }
        return now - timer.began + timer.accumulated
    }

    /// The app comes to the foreground: what passed since ``pause(at:)`` does not count.
    package mutating func resume(at now: Instant) {
        for index in timers.indices { timers[index].began = now }
    }

    /// The app goes to the background.
    package mutating func pause(at now: Instant) {
        for index in timers.indices {
            timers[index].accumulated = timers[index].accumulated + (now - timers[index].began)
            timers[index].began = now
        }
    }

    private static func mark(_ event: UInt16) -> UInt8 { 1 << UInt8(truncatingIfNeeded: event & 7) }
}
