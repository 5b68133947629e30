package import Timebase

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
    /// The queues of the windows with a capacity, by the window's place in the plan.
    private var queues: [Int: CapacityQueue] = [:]

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
                var draw = draws.child(UInt64(index))
                if window.concerns(&draw) { return .reset }
            case .deploy(let rules):
                var draw = draws.child(UInt64(index))
                if window.concerns(&draw), window.state(of: rules, at: now, &draw) == .down { return .reset }
            case .stall, .latency, .status, .acceptThenDie, .slowBody, .truncate, .wrongContent, .capacity:
                continue
            }
        }
        return nil
    }

    /// The decision after decoding.
    ///
    /// Of several windows, the first in the plan that says what becomes of the events (status, death,
    /// reset, a cut answer, a page of somebody else, a full queue) wins; delays add up, and the latest
    /// end of a stall or of a wait in a queue counts, as does the first pace of a body.
    ///
    /// - Parameter device: the device of the first event with an id of the harness; uploads count for
    ///   it, from 0.
    package mutating func afterReading(at now: Instant, device: UInt32?) -> LateFault {
        let draws = stream.child(lateOrdinal &* 2 &+ 1)
        lateOrdinal &+= 1
        let upload = countUpload(of: device)
        var result = LateFault()
        for (index, window) in plan.faults.enumerated() where window.covers(now) {
            guard window.matches(device: device, upload: upload) else { continue }
            var draw = draws.child(UInt64(index))
            guard window.concerns(&draw) else { continue }
            if !result.addWait(window, at: now, &draw) { decide(&result, window, index, at: now, &draw) }
        }
        return result
    }

    /// What a window does to a request beyond letting it wait.
    private mutating func decide(
        _ result: inout LateFault, _ window: FaultWindow, _ index: Int, at now: Instant,
        _ draw: inout RandomStream
    ) {
        if case .capacity(let rules) = window.fault {
            // A request that was reset or refused before takes no place.
            guard !result.resetsUnread, result.answer == nil else { return }
            if let end = queues[index, default: CapacityQueue(rules)].admit(at: now) {
                result.release(at: end)
            } else if !result.decidesFate {
                result.answer = SubstituteAnswer(status: rules.status, retryAfter: rules.retryAfter)
            }
            return
        }
        guard !result.decidesFate else { return }
        switch window.fault {
        case .status(let status, let retryAfter, let stored):
            result.answer = SubstituteAnswer(status: status, retryAfter: retryAfter, isAfterStoring: stored)
        case .wrongContent(let status, let page):
            result.answer = SubstituteAnswer(status: status, page: page)
        case .acceptThenDie: result.diesAfterAccept = true
        case .truncate(let bytes): result.truncatedBytes = bytes
        case .outage, .resetBeforeReading:
            // For everybody it was decided before reading.
            result.resetsUnread = !window.isForAll
        case .deploy(let rules):
            guard !window.isForAll else { return }
            result.resetsUnread = window.state(of: rules, at: now, &draw) == .down
        case .stall, .latency, .slowBody, .capacity: break
        }
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

extension LateFault {
    /// Adds what a window does to the answer's time.
    ///
    /// - Returns: whether that is all it does.
    fileprivate mutating func addWait(
        _ window: FaultWindow, at now: Instant, _ draw: inout RandomStream
    ) -> Bool {
        switch window.fault {
        case .stall(let time): release(at: time.map { now + $0 } ?? window.until)
        case .latency(let distribution): wait(distribution, &draw)
        case .slowBody(let rules): slowBody = slowBody ?? rules
        case .deploy(let rules):
            var ahead = draw
            guard window.state(of: rules, at: now, &ahead) == .warmingUp else { return false }
            wait(rules.latency, &ahead)
        case .outage, .status, .acceptThenDie, .resetBeforeReading, .truncate, .wrongContent, .capacity:
            return false
        }
        return true
    }

    fileprivate mutating func release(at end: Instant) { releaseAt = max(releaseAt ?? end, end) }

    private mutating func wait(_ distribution: Distribution, _ draw: inout RandomStream) {
        let milliseconds = min(max(distribution.sample(&draw), 0), 86_400_000)
        delay = delay + Interval.fractional(seconds: milliseconds / 1000)
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

    /// Whether the share covers the request with these draws; takes one.
    func concerns(_ draw: inout RandomStream) -> Bool { draw.chance(share) || share >= 1 }

    /// The state of the instance on which a request falls; takes one draw.
    func state(of rules: DeployFault, at now: Instant, _ draw: inout RandomStream) -> DeployFault.State {
        let instance = Int(draw.below(UInt64(rules.instances)))
        let restarting = rules.restarting(at: now, from: from, length: until - from)
        return instance == restarting.instance ? restarting.state : .up
    }
}
