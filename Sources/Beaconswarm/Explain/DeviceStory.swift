import Accounting
import CollectorModel
import DeviceSDK
import Generation
import Timebase
import World

/// The life of a device, shortened: sessions, uploads, what was lost. Each sentence comes from steps of its trace, sessions from
/// its user.
struct DeviceStory {
    private let context: DeviceContext
    /// All of the device's events that have a fate, by sequence.
    let sealed: [SealedEvent]
    private(set) var lines: [StoryLine] = []
    private var fetches = 0
    /// Those that were told that they have the latest configuration.
    private var unchangedFetches = 0
    private var failedFetches = 0
    /// Events that the collector stored.
    private var kept: Set<UInt32> = []
    /// Those of uploads that it said to have taken and did not keep.
    private var passed: Set<UInt32> = []

    /// An upload in the air: when it was asked for, and by which step.
    private typealias Begun = (at: Instant, step: Int, request: TracedRequest)

    /// - Parameter joins: Whether neighbours that are alike are one sentence.
    init(_ steps: [TraceStep], _ context: DeviceContext, joins: Bool) {
        self.context = context
        sealed = steps.compactMap { step in
            guard case .sealed(let event) = step.what else { return nil }
            return event
        }.sorted { $0.id.sequence < $1.id.sequence }
        var items = context.life.sessions.map { session in
            StoryItem(at: session.from, step: StoryItem.session, what: .line(text(session)))
        }
        addUploads(steps, to: &items)
        addEnds(steps, to: &items)
        addRadio(steps, to: &items)
        lines = StoryJoiner(items, context, joins: joins).lines
    }

    // MARK: - Sessions

    private func text(_ session: DeviceLife.Session) -> String {
        let captured = sealed.count { context.life.session(at: $0.capturedAt)?.number == session.number }
        let isInstalledAgain = context.life.returns.contains(session.from)
        let start =
            isInstalledAgain
            ? "launch of the app, which was installed again" : session.isCold ? "launch" : "return to the app"
        guard let until = session.until, let end = session.end else {
            return
                "session \(session.number) began with a \(start) and went on to the end: \(captured.of("event"))"
        }
        return
            "session \(session.number) began with a \(start), for \(StoryClock.words(until - session.from)), to its "
            + "\(end.rawValue): \(captured.of("event"))"
    }

    // MARK: - Uploads

    private mutating func addUploads(_ steps: [TraceStep], to items: inout [StoryItem]) {
        var open: [UInt32: Begun] = [:]
        var deliveries = Deliveries(steps)
        var notKept: [UInt32: NotKept] = [:]
        func tell(
            _ begun: Begun, ended: Instant, _ outcome: String, delivered: Int = 0, _ notKept: NotKept? = nil
        ) {
            let upload = ToldUploads(
                begun.request, began: begun.at, ended: ended, outcome: outcome, delivered: delivered,
                notKept: notKept)
            items.append(StoryItem(at: begun.at, step: begun.step, what: .uploads(upload)))
        }
        for (index, step) in steps.enumerated() {
            switch step.what {
            case .asked(let request) where request.number.kind == .upload:
                open[request.number.number] = (step.at, index, request)
            case .stored(let upload): kept.formUnion(open[upload]?.request.carried ?? [])
            case .notKept(let upload, let isDryRun):
                notKept[upload] = isDryRun ? .dryRun : .swallowed
                passed.formUnion(open[upload]?.request.carried ?? [])
            case .ended(let number, let end) where number.kind == .config:
                countFetch(end)
            case .ended(let number, let end):
                guard let begun = open.removeValue(forKey: number.number) else { continue }
                let isSuccess = if case .answered(_, true) = end { true } else { false }
                let delivered = isSuccess ? deliveries.take(by: begun.request, answeredAt: step.at) : 0
                let doubt = isSuccess ? notKept[number.number] : nil
                tell(begun, ended: step.at, end.words, delivered: delivered, doubt)
            case .died:
                for begun in open.values { tell(begun, ended: step.at, RequestFailure.processDied.words) }
                open = [:]
            default: break
            }
        }
        for (number, begun) in open {
            let text = "upload \(number), with \(begun.request.eventCount.of("event")), had no end in the run"
            items.append(StoryItem(at: begun.at, step: begun.step, what: .line(text)))
        }
    }

    private mutating func countFetch(_ end: TracedEnd) {
        fetches += 1
        switch end {
        case .answered(200, _): break
        case .answered(304, _): unchangedFetches += 1
        default: failedFetches += 1
        }
    }

    // MARK: - Ends

    /// Events that were lost at one instant and alike.
    private struct Losses {
        let at: Instant
        /// The step of the first.
        let step: Int
        let first: SealedEvent
        var count = 1

        var text: String {
            let others = count > 1 ? " and \(count - 1) more" : ""
            return
                "\(first.id.text)\(others) \(first.disposition.fate.rawValue): \(first.disposition.reason(of: count))"
        }
    }

    private func addEnds(_ steps: [TraceStep], to items: inout [StoryItem]) {
        let end = context.end(of: steps)
        var last: Losses?
        func tellLast() {
            guard let last else { return }
            items.append(StoryItem(at: min(last.at, end), step: last.step, what: .line(last.text)))
        }
        for (index, step) in steps.enumerated() {
            switch step.what {
            case .sealed(let event) where event.disposition.fate.isLoss:
                if let group = last, group.at == step.at, group.first.disposition == event.disposition {
                    last?.count += 1
                } else {
                    tellLast()
                    last = Losses(at: step.at, step: index, first: event)
                }
            case .updated(let number): tell(context.update(to: number))
            case .latched(let isLatched): tell(StoryLine.latch(isLatched))
            case .died: tell(context.death(at: step.at))
            case .network(let kind):
                tell(StoryLine.timeline(puts: kind))
            default: break
            }
            func tell(_ text: String) {
                items.append(StoryItem(at: step.at, step: index, what: .line(text)))
            }
        }
        tellLast()
    }

    /// The radio is told of where something waits for it.
    private func addRadio(_ steps: [TraceStep], to items: inout [StoryItem]) {
        var returns: [Instant: Int] = [:]
        for (index, step) in steps.enumerated() {
            // The device's own way is there again, without a radio.
            if case .network(nil) = step.what { returns[step.at] = index }
        }
        for gap in WaitingTimes(steps, until: context.end).common(context.radioGaps) {
            let step = returns[gap.lowerBound] ?? StoryItem.radio
            items.append(StoryItem(at: gap.lowerBound, step: step, what: .radio(RadioGaps(gap))))
        }
    }

    // MARK: - Sums

    /// How many delivered events are nowhere but in the SDK's belief.
    private var doubt: String {
        let count = sealed.count {
            let sequence = $0.id.sequence
            return $0.disposition == .delivered && passed.contains(sequence) && !kept.contains(sequence)
        }
        return count == 0 ? "" : " (the collector did not keep \(count) of them)"
    }

    /// Events by fate and cause, in the order of the fates, and fetches of the configuration.
    var sums: [String] {
        var sums = ["captured \(sealed.count)"]
        for fate in Fate.allCases {
            let own = sealed.filter { $0.disposition.fate == fate }
            let causes = Set(own.map { $0.disposition.cause ?? "" }).sorted()
            for cause in causes {
                let count = own.count { ($0.disposition.cause ?? "") == cause }
                let note = fate == .delivered ? doubt : cause.isEmpty ? "" : " (\(cause))"
                sums.append("\(fate.rawValue) \(count)\(note)")
            }
        }
        if fetches > 0 {
            let parts = [
                (unchangedFetches, "told that nothing is new"), (failedFetches, "without a configuration"),
            ]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            let notes = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
            sums.append("\(fetches) \(fetches == 1 ? "fetch" : "fetches") of the configuration\(notes)")
        }
        return sums
    }
}

extension Fate {
    /// Whether an event is gone for good.
    var isLoss: Bool { [.evicted, .rejected, .lost].contains(self) }
}
