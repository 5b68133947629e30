package import Timebase

/// A part of a run.
package enum RunPhase: Int, Comparable, Sendable {
    /// Users act.
    case running
    /// Timers, retries and answers only.
    case draining
    /// Nothing new starts; open answers are awaited.
    case closing
    case ended

    package static func < (left: RunPhase, right: RunPhase) -> Bool { left.rawValue < right.rawValue }
}

/// Where a run stands, and when it goes on to its next part: the rules of both engines.
///
/// An engine asks when it likes whether a part is over, and begins the next one itself.
package struct RunPhases {
    package private(set) var phase = RunPhase.running
    /// When the present part is over at the latest, on the run's clock.
    package private(set) var limit: Instant
    /// When users were stopped, where that was before their time.
    package private(set) var stoppedAt: Instant?
    private let drain: Interval
    private let answerGrace: Interval
    /// A device that held up the end of the drain when it was asked last.
    private var holder: (fleet: any DeviceFleet, slot: Int)?

    /// A run whose users act.
    ///
    /// - Parameter runTime: How far the run's clock goes in a length of real time.
    package init(_ schedule: RunSchedule, runTime: (Interval) -> Interval = { $0 }) {
        limit = schedule.usersEnd
        drain = runTime(schedule.drain)
        answerGrace = runTime(RunSchedule.answerGrace)
    }

    /// The part that may begin now; `nil` while the present one goes on.
    ///
    /// - Parameters:
    ///   - isIdle: Whether no request is open, and nothing else is to be done at once.
    ///   - fleets: All of the run's devices, in the same order each time.
    /// - Complexity: O(devices) once for each device that holds up the end of the drain, else O(1).
    package mutating func next(
        at now: Instant, isIdle: Bool, fleets: some Sequence<any DeviceFleet>
    ) -> RunPhase? {
        switch phase {
        case .running: now >= limit ? .draining : nil
        case .draining: now >= limit || isIdle && !isHeldUp(by: fleets) ? .closing : nil
        case .closing: now >= limit || isIdle ? .ended : nil
        case .ended: nil
        }
    }

    /// Begins a part. Does nothing if it has begun already.
    package mutating func begin(_ next: RunPhase, at now: Instant) {
        guard next > phase else { return }
        switch next {
        case .running: return
        case .draining: limit = limit + drain
        case .closing: limit = now + answerGrace
        case .ended: limit = .distantFuture
        }
        phase = next
    }

    /// Ends the users' part before its time, and begins the drain.
    ///
    /// - Returns: whether users still acted.
    package mutating func stopUsers(at now: Instant) -> Bool {
        guard phase == .running else { return false }
        stoppedAt = now
        limit = now
        begin(.draining, at: now)
        return true
    }

    /// Whether nothing that a device has left to do holds up the end of the drain.
    ///
    /// - Complexity: as ``next(at:isIdle:fleets:)``.
    package mutating func isDrained(_ fleets: some Sequence<any DeviceFleet>) -> Bool {
        !isHeldUp(by: fleets)
    }

    /// Whether an app in the foreground has rows.
    private mutating func isHeldUp(by fleets: some Sequence<any DeviceFleet>) -> Bool {
        // Who held up the drain when this was asked last mostly still does: no search then.
        if let holder, holder.fleet.isDraining(holder.slot) { return true }
        holder = nil
        for fleet in fleets where fleet.storedCount > 0 && fleet.foregroundCount > 0 {
            guard let slot = (0..<fleet.deviceCount).first(where: { fleet.isDraining($0) }) else { continue }
            holder = (fleet, slot)
            return true
        }
        return false
    }
}
