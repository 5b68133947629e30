package import Timebase

/// What happens to a request before its body is read.
package enum EarlyFault: Hashable, Sendable {
    /// The connection is reset; nothing is read.
    case reset
}

/// What happens to a request that was read.
package struct LateFault: Hashable, Sendable {
    /// This status instead of the collector's own, and nothing is stored.
    package var status: UInt16?
    /// The answer waits so long after the collector is done.
    package var delay = Interval.zero
    /// The answer does not leave before this instant (the end of a stall).
    package var releaseAt: Instant?
    /// The events are stored, then the connection is reset without an answer.
    package var diesAfterAccept = false
    /// The connection is reset and nothing is stored: a fault before reading that is meant for one
    /// device, which only the body names.
    package var resetsUnread = false

    /// No fault at all.
    package static let none = LateFault()

    package init() {}
}

/// Decides which fault a request meets.
///
/// Deterministic: whether a window's share covers a request is a function of the plan's seed, the
/// request's ordinal and the window's place in the plan. Requests count separately for the decision
/// before and after reading, so that concurrent requests cannot mix up their numbers.
package struct FaultDirector: Sendable {
    private let plan: CollectorPlan
    private let stream: RandomStream
    private let countsUploads: Bool
    private var earlyOrdinal: UInt64 = 0
    private var lateOrdinal: UInt64 = 0
    /// Uploads seen so far, per device that some window asks about.
    private var uploads: [UInt32: UInt32] = [:]

    /// Makes the director of a plan, at its first request.
    package init(plan: CollectorPlan) {
        self.plan = plan
        stream = RandomStream(
            seed: plan.seed, population: RandomStream.hash(of: "collector"), index: 0, purpose: .faults)
        countsUploads = plan.faults.contains { $0.uploadNumber != nil }
    }

    /// Whether the plan knows any fault: a server without faults need not ask.
    package var isIdle: Bool { plan.faults.isEmpty }

    /// Whether some window asks for a device or an upload's number.
    package var needsDevice: Bool { plan.faults.contains { !$0.isForAll } }

    /// Whether connections are refused now: an outage for everyone is on.
    package func refusesConnections(at now: Instant) -> Bool {
        plan.faults.contains { $0.isOutageForAll && $0.covers(now) }
    }

    /// The decision before the body is read; `nil` to go on.
    package mutating func beforeReading(at now: Instant) -> EarlyFault? {
        let draws = stream.child(earlyOrdinal &* 2)
        earlyOrdinal &+= 1
        for (index, window) in plan.faults.enumerated() where window.covers(now) && window.isForAll {
            switch window.fault {
            case .outage:
                return .reset
            case .resetBeforeReading:
                if window.concerns(draws.child(UInt64(index))) { return .reset }
            case .stall, .latency, .status, .acceptThenDie:
                continue
            }
        }
        return nil
    }

    /// The decision after decoding.
    ///
    /// Of several windows, the first in the plan that says what becomes of the events (status, death,
    /// reset) wins; delays add up, and the latest end of a stall counts.
    ///
    /// - Parameter device: the device of the first event with an id of the harness; uploads count for
    ///   it, from 0.
    package mutating func afterReading(at now: Instant, device: UInt32?) -> LateFault {
        let draws = stream.child(lateOrdinal &* 2 &+ 1)
        lateOrdinal &+= 1
        let upload = countUpload(of: device)
        var result = LateFault()
        var decided = false
        for (index, window) in plan.faults.enumerated() where window.covers(now) {
            guard window.matches(device: device, upload: upload) else { continue }
            var draw = draws.child(UInt64(index))
            guard draw.chance(window.share) || window.share >= 1 else { continue }
            switch window.fault {
            case .stall(let time):
                let end = time.map { now + $0 } ?? window.until
                result.releaseAt = max(result.releaseAt ?? end, end)
            case .latency(let distribution):
                let milliseconds = min(max(distribution.sample(&draw), 0), 86_400_000)
                result.delay = result.delay + Interval.fractional(seconds: milliseconds / 1000)
            case .status(let status) where !decided:
                result.status = status
                decided = true
            case .acceptThenDie where !decided:
                result.diesAfterAccept = true
                decided = true
            case .outage where !decided && !window.isForAll,
                .resetBeforeReading where !decided && !window.isForAll:
                result.resetsUnread = true
                decided = true
            case .status, .acceptThenDie, .outage, .resetBeforeReading:
                continue
            }
        }
        return result
    }

    /// When refusal begins or ends next, for a server that closes and opens its socket.
    package func nextChange(after now: Instant) -> Instant? {
        let tick = Interval(nanoseconds: 1)
        return plan.faults.lazy.filter(\.isOutageForAll).flatMap { [$0.from, $0.until] }
            .filter { $0 > now && refusesConnections(at: $0) != refusesConnections(at: $0 - tick) }
            .min()
    }

    private mutating func countUpload(of device: UInt32?) -> UInt32 {
        guard countsUploads, let device else { return 0 }
        let number = uploads[device, default: 0]
        uploads[device] = number &+ 1
        return number
    }
}

extension FaultWindow {
    /// Whether the window is on: from `from`, before `until`.
    func covers(_ now: Instant) -> Bool { from <= now && now < until }

    /// Whether the window is for every device and upload.
    var isForAll: Bool { device == nil && uploadNumber == nil }

    var isOutageForAll: Bool { fault == .outage && isForAll }

    /// Whether the window is for this upload. One that names a device or a number never concerns a
    /// request without a device, such as a fetch of the configuration.
    func matches(device: UInt32?, upload: UInt32) -> Bool {
        if isForAll { return true }
        guard let device, self.device == nil || self.device == device else { return false }
        return uploadNumber == nil || uploadNumber == upload
    }

    /// Whether the share covers the request with these draws.
    func concerns(_ draws: RandomStream) -> Bool {
        var draws = draws
        return share >= 1 || draws.chance(share)
    }
}
