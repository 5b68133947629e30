import Accounting
import DeviceSDK
import Scenario
import Timebase
import Wire
import World

/// What fleets under watch have to tell when a run is over.
final class BoundsWatch {
    fileprivate(set) var trespasses: [String] = []
    fileprivate var undrained: [UInt32] = []
    fileprivate var open = 0
    fileprivate var openFetches = 0
    fileprivate var displaced: [UInt32] = []
    fileprivate var prefilled: UInt64 = 0
    fileprivate var carried: [Int: UInt64] = [:]
    fileprivate var uploads: [Int: Outcome.Uploads] = [:]
    fileprivate var lastStep = Interval.zero
    fileprivate(set) var bodies: UInt64 = 0
    /// How often devices were woken.
    fileprivate(set) var wakes: UInt64 = 0

    /// Keeps the first few: a bound that is passed once is mostly passed often.
    fileprivate func note(_ text: String) {
        if trespasses.count < 8 { trespasses.append(text) }
    }

    func tell(_ outcome: inout Outcome) {
        outcome.trespasses += trespasses
        outcome.undrained += undrained
        outcome.openRequests += open
        outcome.openFetches += openFetches
        outcome.displaced += displaced
        outcome.prefilled += prefilled
        outcome.carried.merge(carried, uniquingKeysWith: +)
        outcome.seen.merge(uploads) { $0.adding($1) }
        outcome.lastStep = max(outcome.lastStep, lastStep)
    }
}

/// A fleet that is watched while an engine drives it: no device may do what its system's rules forbid.
final class WatchedFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let watch: BoundsWatch
    private let bounds: StatedBounds
    private let surroundings: Surroundings
    private let name: String
    private let start: Instant
    /// When the drain is over at the latest: after it nothing begins, though answers are awaited.
    private let end: Instant
    private let population: Int
    /// How long devices may leave rows alone, and how many; `nil` where nothing is said.
    private let (pause, bulk): (Interval?, Int?)
    /// How much later than it asked for its engine wakes a device, and tells it of the end of its patience, at most.
    private let lateness: Interval
    private var devices: [DeviceWatch]

    init(
        _ base: any DeviceFleet, plan: PopulationPlan, in document: ScenarioDocument, lateness: Interval,
        watch: BoundsWatch
    ) {
        self.base = base
        self.watch = watch
        self.lateness = lateness
        name = plan.name
        let timeline = document.timeline
        surroundings = Surroundings(plan, timeline, isModelled: lateness == .zero)
        bounds = plan.statedBounds(disksFail: timeline.failsDisks)
        // A network that comes and goes, or an SDK that is told to stop, is not seen from here.
        let isSteady =
            plan.network.chain == nil && bounds.pausesOn.contains(plan.network.kind) && !timeline.tellsSDKs
        pause = isSteady ? bounds.pause.map { $0 + lateness } : nil
        bulk = isSteady && plan.system.prefill == 0 ? bounds.bulk : nil
        start = plan.start
        end = plan.usersEnd + document.drain
        population = plan.index
        devices = Array(repeating: DeviceWatch(), count: base.deviceCount)
    }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        watch.wakes += 1
        return watching(slot, at: now, &effects) { base.advance(slot, through: now, effects: &$0) }
    }

    func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        devices[slot].displace(to: change.kind)
        return watching(slot, at: now, &effects) { base.setNetwork(change, of: slot, at: now, effects: &$0) }
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        let upload = end(request, of: slot)
        if let upload { judge(upload, request.number, outcome, of: slot, at: now) }
        return watching(slot, at: now, &effects) { effects in
            let sealed = effects.sealed.count
            let wake = base.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
            if let upload {
                lookForRejection(upload, outcome, effects.sealed.dropFirst(sealed), of: slot)
                devices[slot].end(
                    upload, outcome, isOver: effects.isAcknowledged, under: bounds.retry, at: now)
            }
            return wake
        }
    }

    func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        let events = end(request, of: slot)?.events ?? 0
        // What had no network never counted.
        if network != .none { watch.carried[population, default: 0] -= events }
        base.giveBack(slot, request: request, network: network, at: now)
    }

    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        for slot in slots {
            if devices[slot].isClosed { note("was closed twice", of: slot) }
            devices[slot].isClosed = true
            // What never asks to be woken again is not late for anything before the end.
            lookForPause(of: slot, at: start + watch.lastStep)
            if base.isDraining(slot) { watch.undrained.append(base.globalNumber(of: slot)) }
            watch.open += devices[slot].uploads.count
            for upload in devices[slot].uploads.values {
                count(upload, endedBy: RequestFailure.unanswered.name)
            }
            watch.openFetches += devices[slot].fetches.count
            if devices[slot].displacedTo != nil { watch.displaced.append(base.globalNumber(of: slot)) }
        }
        if slots.upperBound == base.deviceCount { watch.prefilled += base.prefilledCount }
        base.finish(slots, effects: &effects)
    }

    private func judge(
        _ upload: DeviceWatch.Upload, _ number: UInt32, _ outcome: RequestOutcome, of slot: Int,
        at now: Instant
    ) {
        if now - upload.began > upload.timeout + lateness {
            note(
                "upload \(number) took \((now - upload.began).text); its limit is \(upload.timeout.text)",
                of: slot)
        }
        if let wrong = surroundings.forbid(outcome, of: upload, at: now, lateness: lateness) {
            note("upload \(number) \(wrong)", of: slot)
        }
        switch outcome {
        case .failed(let failure):
            count(upload, endedBy: failure.name)
            devices[slot].end(upload, at: now, rest: bounds.rest)
        case .answered(let status, _, _, _):
            devices[slot].end(upload, at: now, rest: nil)
            if bounds.heedsRetryAfter, let asked = DeviceWatch.wait(askedBy: outcome) {
                devices[slot].wait(asked, at: now)
            }
            count(upload, endedBy: String(status))
            let taken = Double((now - upload.plannedAt).nanoseconds) / 1e6
            watch.uploads[population]?.answering? += taken
        }
    }

    /// After an answer that neither is a success nor keeps what the upload carried, where nothing else of the device's
    /// had its fate meanwhile.
    private func lookForRejection(
        _ upload: DeviceWatch.Upload, _ outcome: RequestOutcome, _ sealed: ArraySlice<SealedEvent>,
        of slot: Int
    ) {
        guard case .answered(let status, _, _, _) = outcome, !(200...299).contains(status), bounds.rejects,
            bounds.keepsAll(refusedWith: status) == false, upload.events > 0,
            upload.sealed == devices[slot].sealedCount, devices[slot].uploads.isEmpty,
            sealed.isEmpty
        else { return }
        note("an answer of \(status) left all of \(upload.events) events", of: slot)
    }

    /// Uploads begun without a network never were any.
    private func count(_ upload: DeviceWatch.Upload, endedBy name: String) {
        guard upload.network != .none else { return }
        watch.uploads[population, default: Outcome.Uploads(answering: lateness == .zero ? 0 : nil)].end(name)
    }

    /// - Returns: The upload that is over; `nil` for a fetch.
    private func end(_ request: RequestNumber, of slot: Int) -> DeviceWatch.Upload? {
        let upload = devices[slot].end(request)
        if upload == nil, request.kind == .upload {
            note("an answer to upload \(request.number), which is not open", of: slot)
        }
        return upload
    }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let before = body.count
        let head = base.encode(slot, request: request, at: now, into: &body)
        let hash = body.withUnsafeBytes { Hash128(UnsafeRawBufferPointer(rebasing: $0[before...])) }
        watch.bodies &+=
            RandomStream(key: hash.high ^ hash.low)
            .child(RandomStream.hash(of: head.path + head.headerLines))
            .child(UInt64(base.globalNumber(of: slot))).child(UInt64(request.number)).key
        return head
    }

    private func watching<Result>(
        _ slot: Int, at now: Instant, _ effects: inout DeviceEffects, _ step: (inout DeviceEffects) -> Result
    ) -> Result {
        watch.lastStep = max(watch.lastStep, now - start)
        let stored = base.storedCount
        let sealed = effects.sealed.count
        let (asked, died) = (effects.requests.count, effects.died.count)
        let wasIdle = devices[slot].uploads.isEmpty
        let captured = base.capturedCount(of: slot)
        let result = step(&effects)
        let more = Int(base.storedCount) - Int(stored)
        devices[slot].rows += more
        // What died has waited until now.
        lookForPause(of: slot, at: now)
        if effects.died.count > died { die(slot) }
        for request in effects.requests.dropFirst(min(asked, effects.requests.count)) {
            begin(request, of: slot, at: now)
        }
        if more > 0, wasIdle, isWaiting(slot) { lookForUpload(of: slot) }
        let ended = effects.sealed.dropFirst(sealed)
        if wasIdle, base.capturedCount(of: slot) > captured { lookForRoom(ended, on: slot) }
        judge(slot, ended)
        return result
    }

    private func die(_ slot: Int) {
        for upload in devices[slot].uploads.values {
            count(upload, endedBy: RequestFailure.processDied.name)
        }
        devices[slot].die()
    }

    private func begin(_ request: OutgoingRequest, of slot: Int, at now: Instant) {
        let breaksAt = surroundings.end(of: request)
        for wrong in devices[slot].begin(request, at: now, breaksAt: breaksAt, under: bounds) {
            note(wrong, of: slot)
        }
        guard request.number.kind == .upload, request.network != .none else { return }
        watch.carried[population, default: 0] += UInt64(request.eventCount)
    }

    /// Whether its app is in the foreground with rows, on a network of its own.
    private func isWaiting(_ slot: Int) -> Bool {
        base.isDraining(slot) && devices[slot].displacedTo == nil
    }

    private func lookForPause(of slot: Int, at now: Instant) {
        guard let pause else { return }
        if let wrong = devices[slot].look(at: min(now, end), isWaiting: isWaiting(slot), pause: pause) {
            note("\(wrong), at \((now - start).text)", of: slot)
        }
    }

    /// After a capture on a device that had nothing in the air.
    private func lookForUpload(of slot: Int) {
        guard let bulk, devices[slot].uploads.isEmpty, devices[slot].rows >= bulk else { return }
        note("captured, has \(devices[slot].rows) rows and uploads nothing; its limit is \(bulk)", of: slot)
    }

    /// After a capture on a device that had nothing in the air, so that what left the store has its fate.
    private func lookForRoom(_ sealed: ArraySlice<SealedEvent>, on slot: Int) {
        let evicted = sealed.count { $0.disposition == .evicted(.storageLimit) }
        guard evicted % bounds.evicts > 0 else { return }
        note("made room by \(evicted) events, where \(bounds.evicts) leave together", of: slot)
    }

    private func judge(_ slot: Int, _ sealed: ArraySlice<SealedEvent>) {
        let device = base.globalNumber(of: slot)
        let (rows, uploads) = (devices[slot].rows, devices[slot].uploads.count)
        if rows < 0 || rows > bounds.rows {
            note("holds \(rows) rows; its limit is \(bounds.rows)", of: slot)
        }
        if uploads > bounds.uploads {
            note("has \(uploads) uploads in the air; its limit is \(bounds.uploads)", of: slot)
        }
        if let wrong = devices[slot].seal(sealed, under: bounds) { note(wrong, of: slot) }
        for event in sealed where event.id.device != device {
            note("sealed event \(event.id.device)-\(event.id.sequence)", of: slot)
        }
        for event in sealed where event.id.sequence >= base.capturedCount(of: slot) {
            note("sealed event \(event.id.sequence), which it did not capture", of: slot)
        }
    }

    private func note(_ text: String, of slot: Int) {
        watch.note("device \(base.globalNumber(of: slot)) of \(name): \(text)")
    }
}
