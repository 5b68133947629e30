package import Timebase

/// Decides which fault a request meets.
///
/// Deterministic: whether a window's share covers a request is a function of the plan's seed, the
/// request and the window's index in the plan. A request is known by its device and its number there, if
/// ``begin(device:request:)`` told them: then no other device has a say. Else it is known by its ordinal; requests
/// count separately for the decision before and after reading, so that concurrent requests cannot mix up their
/// numbers.
package struct FaultDirector: Sendable {
    private let plan: CollectorPlan
    private let stream: RandomStream
    private let countsUploads: Bool
    /// The draws of the request that was begun last.
    private var own: RandomStream?
    private var earlyOrdinal: UInt64 = 0
    private var lateOrdinal: UInt64 = 0
    /// Uploads seen so far, per device that some window asks about.
    private var uploads: [UInt32: UInt32] = [:]
    /// The queues of the windows with a capacity, by the window's index in the plan.
    private var queues: [CapacityQueue?]

    /// Makes the director of a plan, at its first request.
    package init(plan: CollectorPlan) {
        self.plan = plan
        stream = RandomStream(
            seed: plan.seed, population: RandomStream.hash(of: "collector"), index: 0, purpose: .faults)
        queues = Array(repeating: nil, count: plan.faults.count)
        countsUploads = plan.faults.contains { $0.uploadNumber != nil }
    }

    /// Whether the plan knows any fault: a server without faults need not ask.
    package var isIdle: Bool { plan.faults.isEmpty }

    /// Whether some window asks for a device or an upload's number.
    package var needsDevice: Bool { plan.faults.contains { !$0.isForAll } }

    /// Says whose request is decided about next, before and after reading.
    ///
    /// - Parameters:
    ///   - device: Its number in the run.
    ///   - request: Counts the device's requests.
    package mutating func begin(device: UInt32, request: UInt64) {
        own = stream.child(UInt64(device)).child(request)
    }

    /// Whether connections are refused now: an outage for everyone is on.
    package func refusesConnections(at now: Instant) -> Bool {
        plan.faults.contains { $0.isOutageForAll && $0.covers(now) }
    }

    /// The decision before the body is read; `nil` to go on.
    package mutating func beforeReading(at now: Instant) -> EarlyFault? {
        let draws = own?.child(0) ?? stream.child(earlyOrdinal &* 2)
        earlyOrdinal &+= 1
        for (index, window) in plan.faults.enumerated() where window.covers(now) && window.isForAll {
            var draw = draws.child(UInt64(index))
            if window.resetsUnread(at: now, &draw) { return .reset }
        }
        return nil
    }

    /// The decision after decoding.
    ///
    /// Of several windows, the first in the plan that says what becomes of the events (status, death,
    /// reset, a cut answer, a page of somebody else, a full queue) wins; delays add up, and the latest
    /// end of a stall or of a wait in a queue counts, as does the first pace of a body.
    ///
    /// - Parameters:
    ///   - device: the device of the first event with an id of the harness; uploads count for it, from 0, as they are
    ///     read.
    ///   - refuses: Whether one of its events is invalid: what refuses none decides nothing. By default none is.
    package mutating func afterReading(
        at now: Instant, device: UInt32?, refuses: (EventRefusal) -> Bool = { _ in false }
    ) -> LateFault {
        let draws = own?.child(1) ?? stream.child(lateOrdinal &* 2 &+ 1)
        lateOrdinal &+= 1
        let upload = countUpload(of: device)
        var result = LateFault()
        for (index, window) in plan.faults.enumerated() where window.covers(now) {
            guard window.matches(device: device, upload: upload) else { continue }
            var draw = draws.child(UInt64(index))
            guard window.concerns(&draw) else { continue }
            window.act(on: &result, at: now, &draw, queue: &queues[index], refuses: refuses)
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
    package var isForAll: Bool { device == nil && uploadNumber == nil }

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
}
