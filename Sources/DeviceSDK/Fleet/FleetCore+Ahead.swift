import Timebase

// What devices do ahead of the clock (``RunAhead``), and what the fleet tells of all its devices at the clock's time.

extension FleetCore {
    mutating func runAhead(
        _ slot: Int, from now: Instant, before limit: Instant, effects: inout DeviceEffects
    ) -> RunAhead {
        var run = RunAhead(moment: now, next: nextWake(of: slot))
        guard run.next < limit, hasArrived[slot] else { return run }
        useRules(of: slot)
        while run.next < limit, effects.isEmpty {
            let before = tally(slot)
            let (awake, woken) = (radios.timeAwake, radios.wakeups)
            // What it does within one interval is told together.
            let interval = ahead.interval(of: run.next)
            let end = min(limit, ahead.end(of: interval))
            repeat {
                run.moment = run.next
                run.next = live(slot, from: run.moment, through: run.moment, effects: &effects)
                run.wakes += 1
            } while run.next < end && effects.isEmpty
            var change = change(slot, since: before)
            change.radioTime = radios.timeAwake - awake
            change.radioWakeups = Int64(radios.wakeups) - Int64(woken)
            ahead.note(change, in: interval)
        }
        return run
    }

    mutating func catchUp(to now: Instant, interval: Interval) -> Bool {
        guard let change = ahead.take(before: now, next: interval) else { return false }
        book(change)
        return true
    }

    /// What a fleet's levels follow of a device.
    struct Tally {
        var captured: UInt32
        var stored: Int
        var isForeground: Bool
    }

    mutating func tally(_ slot: Int) -> Tally {
        Tally(
            captured: devices[slot].nextSequence, stored: devices[slot].storedCount,
            isForeground: devices[slot].isForeground)
    }

    /// Adds what a step changed on a device to the fleet's totals.
    @inline(__always)
    mutating func book(_ slot: Int, since before: Tally) { book(change(slot, since: before)) }

    @inline(__always)
    private mutating func book(_ change: LevelsAhead.Change) {
        capturedCount += change.captured
        storedSum += change.stored
        foregroundCount += Int(change.foreground)
    }

    @inline(__always)
    private mutating func change(_ slot: Int, since before: Tally) -> LevelsAhead.Change {
        let after = tally(slot)
        var change = LevelsAhead.Change()
        change.captured = UInt64(after.captured - before.captured)
        change.stored = Int64(after.stored - before.stored)
        if before.isForeground != after.isForeground { change.foreground = after.isForeground ? 1 : -1 }
        return change
    }
}
