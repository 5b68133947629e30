import Accounting
import CollectorModel
import DeviceSDK
import Timebase
import World

/// The life of one event, sentence by sentence, each from a step of its device's trace.
struct EventStory {
    let sequence: UInt32
    private let context: DeviceContext
    private let steps: [TraceStep]
    private let end: Instant
    /// With its fate; `nil` if the trace does not tell it.
    let sealed: SealedEvent?
    /// Those of all events of its device.
    let fates: KeyedFates
    private let sealedIndex: Int
    private(set) var lines: [StoryLine] = []
    /// Uploads that carry it and are under way, by number: when they were asked for.
    private var carriers: [UInt32: Instant] = [:]
    private var attempts = 0
    /// Uploads that carried it and that the collector stored.
    private var stored: Set<UInt32> = []
    /// The other uploads that carried it and that the collector said to have taken, by the name under which an audit counts
    /// such events.
    private var notKept: [UInt32: NotKept] = [:]
    private var isCaptured = false
    /// Since when the SDK uploads nothing at all.
    private var latchedSince: Instant?
    /// The index of the end of the upload that cleared it away without having carried it.
    private let clearing: Int?
    private var isCleared = false
    /// Times without a radio that are not told of yet, in order.
    private var gaps: ArraySlice<Range<Instant>> = []

    init(of sequence: UInt32, in steps: [TraceStep], _ context: DeviceContext) {
        self.sequence = sequence
        self.context = context
        self.steps = steps
        end = context.end(of: steps)
        var found: (index: Int, event: SealedEvent)?
        for (index, step) in steps.enumerated() {
            if case .sealed(let event) = step.what, event.id.sequence == sequence { found = (index, event) }
        }
        sealed = found?.event
        fates = KeyedFates(
            steps.lazy.compactMap { if case .sealed(let event) = $0.what { event } else { nil } })
        sealedIndex = found?.index ?? steps.count
        clearing =
            ClearingUpload(
                of: sequence, sealedAt: sealedIndex, in: steps, clearing: context.plan.system.clearing
            ).end
        for index in steps.indices where index <= sealedIndex { tell(steps[index], index) }
    }

    /// - Parameter isBeforeRadio: Whether it is told before what the radio does at the same instant, which is the cause of all
    ///   else.
    private mutating func say(_ at: Instant, _ text: String, isBeforeRadio: Bool = false) {
        tellRadio(before: at, inclusive: !isBeforeRadio)
        lines.append(StoryLine(at: min(at, end), text: text))
    }

    /// Tells of the times without a radio since the last sentence, in one.
    private mutating func tellRadio(before at: Instant, inclusive: Bool) {
        var told: RadioGaps?
        while let gap = gaps.first, gap.lowerBound < at || inclusive && gap.lowerBound == at {
            gaps.removeFirst()
            if told == nil { told = RadioGaps(gap) } else { told?.join(RadioGaps(gap)) }
        }
        if let told {
            lines.append(StoryLine(at: told.from, text: told.text(context.clock, end: end)))
        }
    }

    /// The times without a radio in an event's life, from its capture until the SDK has no more to do for it.
    private func gaps(since capturedAt: Instant) -> ArraySlice<Range<Instant>> {
        if case .suppressed = sealed?.disposition { return [] }
        let fate = sealed == nil ? end : min(steps[sealedIndex].at, sealed?.ackedAt ?? .distantFuture)
        return context.radioGaps.compactMap { gap in
            guard gap.upperBound > capturedAt, gap.lowerBound < fate, capturedAt < fate else { return nil }
            return max(gap.lowerBound, capturedAt)..<gap.upperBound
        }[...]
    }

    private mutating func tell(_ step: TraceStep, _ index: Int) {
        switch step.what {
        case .captured(let range, let rows) where range.contains(sequence): tellCapture(step.at, rows: rows)
        case .asked(let request) where isCaptured && request.number.kind == .upload: tell(request, step.at)
        case .stored(let upload) where carriers[upload] != nil:
            let again = stored.isEmpty ? "" : " again"
            stored.insert(upload)
            say(step.at, "the collector stored the events of upload \(upload)\(again)")
        case .notKept(let upload, let isDryRun) where carriers[upload] != nil:
            notKept[upload] = isDryRun ? .dryRun : .swallowed
        case .ended(let number, let end) where number.kind == .upload:
            if index == clearing { tellClearing(end, of: number.number, step.at) }
            tell(end, of: number.number, step.at, index)
        case .updated(let number) where isCaptured: say(step.at, context.update(to: number))
        case .latched(let isLatched):
            latchedSince = isLatched ? step.at : nil
            if isCaptured { say(step.at, StoryLine.latch(isLatched)) }
        case .died:
            latchedSince = nil
            if isCaptured { tellDeath(step.at, index) }
        case .network(let kind) where isCaptured:
            say(step.at, StoryLine.timeline(puts: kind), isBeforeRadio: true)
        case .sealed(let event) where index == sealedIndex: tellFate(event, step.at)
        default: break
        }
    }

    /// - Parameter rows: Those on the device after the capture.
    private mutating func tellCapture(_ at: Instant, rows: Int) {
        isCaptured = true
        let capturedAt = sealed?.capturedAt ?? at
        let isPast = capturedAt < context.clock.start
        say(capturedAt, isPast ? "captured before the run began" : context.capture(at: capturedAt))
        gaps = gaps(since: isPast ? at : capturedAt)
        // What is gone at this very instant was never stored, or no row of it is left to be counted.
        if let sealed, sealed.disposition.fate.isLoss, steps[sealedIndex].at == at { return }
        if isPast { return say(at, "the device appeared with it in its store", isBeforeRadio: true) }
        if case .suppressed = sealed?.disposition { return }
        let stop = latchedSince.map { "; the SDK stopped all uploads at \(context.clock.offset($0))" } ?? ""
        say(at, "stored: \(rows.of("row")) on the device now\(stop)", isBeforeRadio: true)
    }

    private mutating func tell(_ request: TracedRequest, _ at: Instant) {
        let upload = request.number.number
        guard let carried = request.carried else {
            return say(
                at,
                "upload \(upload) was asked for with \(request.eventCount.of("event")); whether with this one, only its "
                    + "bytes would tell")
        }
        guard carried.contains(sequence) else { return }
        carriers[upload] = at
        guard request.network != .none else {
            return say(
                at, "upload \(upload) was asked for, with \(carried.count.of("event")), without a radio")
        }
        attempts += 1
        say(
            at,
            "upload \(upload) began on \(request.network.name) with \(carried.count.of("event")): "
                + "\(attempts == 1 ? "the first" : "number \(attempts)") to carry it")
    }

    private mutating func tell(_ end: TracedEnd, of upload: UInt32, _ at: Instant, _ index: Int) {
        guard let began = carriers.removeValue(forKey: upload) else { return }
        let after = StoryClock.words(at - began)
        let isLast = sealed != nil && sealedIndex > index && steps[sealedIndex].at == at
        let kept = isLast || isCleared ? "" : ", and the SDK kept the event"
        switch end {
        case .answered(let status, let isAcknowledged):
            say(
                at,
                "upload \(upload) was answered \(status) after \(after): "
                    + (isAcknowledged ? "success\(doubt(upload))" : "no success to this SDK\(kept)"))
        case .failed(let failure):
            let isHeld = stored.contains(upload)
            let lost = isHeld ? "; its reply was lost, for the collector had stored it" : ""
            let time = failure == .offline ? "" : " after \(after)"
            say(at, "upload \(upload) \(failure.words)\(time)\(lost)\(kept)")
        case .givenBack: say(at, "upload \(upload) never left: the run's drain was over")
        }
    }

    /// What a success hides.
    private func doubt(_ upload: UInt32) -> String {
        notKept[upload].map { ", but the collector did not keep its events (\($0.rawValue))" } ?? ""
    }

    private mutating func tellClearing(_ end: TracedEnd, of upload: UInt32, _ at: Instant) {
        isCleared = true
        say(
            at,
            "upload \(upload), which did not carry it, \(end.words), and with what it carried the SDK cleared the "
                + "event away")
    }

    private mutating func tellDeath(_ at: Instant, _ index: Int) {
        let open = carriers.keys.sorted().map(String.init).joined(separator: ", ")
        carriers = [:]
        let cut = open.isEmpty ? "" : ", with upload \(open) in the air"
        let isLast = sealed != nil && sealedIndex > index && steps[sealedIndex].at == at
        say(at, "\(context.death(at: at))\(cut)\(isLast ? "" : "; the event outlived it on disk")")
    }

    private mutating func tellFate(_ event: SealedEvent, _ at: Instant) {
        let age = StoryClock.words(
            (event.ackedAt == .distantFuture ? min(at, end) : event.ackedAt) - event.capturedAt)
        // No copy of it is anywhere but in the SDK's belief.
        let belief = stored.isEmpty && !notKept.isEmpty ? ", as the SDK has it" : ""
        switch event.disposition {
        case .delivered where event.ackedAt == at: say(at, "delivered, \(age) after its capture\(belief)")
        case .delivered:
            let acked = context.clock.offset(event.ackedAt)
            say(
                at,
                "its row is gone from the device: delivered at \(acked), \(age) after its capture\(belief)")
        case .suppressed: say(at, "never recorded: \(event.disposition.reason())")
        case .pending: say(at, "pending: \(event.disposition.reason())")
        case .evicted, .rejected, .lost:
            let others = companions(of: event, at)
            say(
                at,
                "\(event.disposition.fate.rawValue), \(age) after its capture: \(event.disposition.reason())"
                    + (others > 0 ? ", and \(others.of("other")) with it" : ""))
        }
    }

    /// How many other events ended likewise at the same instant.
    private func companions(of event: SealedEvent, _ at: Instant) -> Int {
        steps.count { step in
            guard step.at == at, case .sealed(let other) = step.what else { return false }
            return other.disposition == event.disposition && other.id != event.id
        }
    }
}
