import Accounting
import DeviceSDK
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

    /// An upload that has ended, or neighbours that ended alike.
    private struct Uploads {
        var numbers: ClosedRange<UInt32>
        var began: Instant
        var ended: Instant
        var outcome: String
        var events: Int
        var delivered: Int

        /// One that ended.
        init(_ number: UInt32, _ begun: Begun, ended: Instant, outcome: String, delivered: Int = 0) {
            numbers = number...number
            began = begun.at
            self.ended = ended
            self.outcome = outcome
            events = begun.request.eventCount
            self.delivered = delivered
        }
    }

    /// An upload in the air.
    private typealias Begun = (at: Instant, request: TracedRequest)

    private enum Item {
        case line(String)
        case uploads(Uploads)
    }

    /// - Parameter joinsUploads: Whether neighbours that ended alike are one sentence.
    init(_ steps: [TraceStep], _ context: DeviceContext, joinsUploads: Bool) {
        self.context = context
        sealed = steps.compactMap { step in
            guard case .sealed(let event) = step.what else { return nil }
            return event
        }.sorted { $0.id.sequence < $1.id.sequence }
        var items: [(at: Instant, item: Item)] = []
        for session in context.life.sessions { items.append((session.from, .line(text(session)))) }
        addUploads(steps, to: &items)
        addEnds(steps, to: &items)
        // Sessions first: what happens at their very beginning happens in them.
        let order = items.indices.sorted { (items[$0].at, $0) < (items[$1].at, $1) }
        lines = DeviceStory.told(order.map { items[$0] }, joinsUploads: joinsUploads)
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

    private mutating func addUploads(_ steps: [TraceStep], to items: inout [(at: Instant, item: Item)]) {
        var open: [UInt32: Begun] = [:]
        var deliveries = Deliveries(steps)
        for step in steps {
            switch step.what {
            case .asked(let request) where request.number.kind == .upload:
                open[request.number.number] = (step.at, request)
            case .ended(let number, let end) where number.kind == .config:
                countFetch(end)
            case .ended(let number, let end):
                guard let begun = open.removeValue(forKey: number.number) else { continue }
                let isSuccess = if case .answered(_, true) = end { true } else { false }
                let delivered = isSuccess ? deliveries.take(by: begun.request, answeredAt: step.at) : 0
                let upload = Uploads(
                    number.number, begun, ended: step.at, outcome: DeviceStory.words(end),
                    delivered: delivered)
                items.append((begun.at, .uploads(upload)))
            case .died:
                for (number, begun) in open.sorted(by: { $0.key < $1.key }) {
                    let outcome = RequestFailure.processDied.words
                    items.append(
                        (begun.at, .uploads(Uploads(number, begun, ended: step.at, outcome: outcome))))
                }
                open = [:]
            default: break
            }
        }
        for (number, begun) in open.sorted(by: { $0.key < $1.key }) {
            items.append(
                (
                    begun.at,
                    .line(
                        "upload \(number), with \(begun.request.eventCount.of("event")), had no end in the run"
                    )
                ))
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

    /// What became of an upload, as its sentence goes on.
    private static func words(_ end: TracedEnd) -> String {
        switch end {
        case .answered(let status, let isAcknowledged):
            "was answered \(status)\(isAcknowledged ? "" : ", no success to this SDK")"
        case .failed(let failure): failure.words
        case .givenBack: "never left, since the run's drain was over"
        }
    }

    /// The same of several.
    private static func ofAll(_ outcome: String) -> String {
        let plurals = [("was ", "were all "), ("could not ", "none could "), ("never ", "none ever ")]
        guard let (one, all) = plurals.first(where: { outcome.hasPrefix($0.0) }) else {
            return "all " + outcome
        }
        return all + outcome.dropFirst(one.count)
    }

    /// Each in a sentence, or uploads that ended alike, with nothing between them, in one.
    private static func told(
        _ items: [(at: Instant, item: Item)], joinsUploads: Bool
    ) -> [StoryLine] {
        var lines: [StoryLine] = []
        var pending: Uploads?
        func tell(_ uploads: Uploads?) {
            if let uploads { lines.append(StoryLine(at: uploads.began, text: text(uploads))) }
        }
        for (at, item) in items {
            switch item {
            case .line(let text):
                tell(pending)
                pending = nil
                lines.append(StoryLine(at: at, text: text))
            case .uploads(let next):
                guard joinsUploads, var same = pending, same.outcome == next.outcome else {
                    tell(pending)
                    pending = next
                    continue
                }
                let low = min(same.numbers.lowerBound, next.numbers.lowerBound)
                same.numbers = low...max(same.numbers.upperBound, next.numbers.upperBound)
                same.ended = max(same.ended, next.ended)
                same.events += next.events
                same.delivered += next.delivered
                pending = same
            }
        }
        tell(pending)
        return lines
    }

    private static func text(_ uploads: Uploads) -> String {
        let count = uploads.numbers.count
        let names =
            count == 1
            ? "upload \(uploads.numbers.lowerBound)"
            : "uploads \(uploads.numbers.lowerBound) to \(uploads.numbers.upperBound)"
        let length = StoryClock.words(uploads.ended - uploads.began)
        // An event that is sent again is in each of them.
        let repeats = count > 1 && uploads.delivered < uploads.events ? " (repeats counted)" : ""
        return
            "\(names) with \(uploads.events.of("event"))\(repeats) "
            + (count == 1 ? uploads.outcome : DeviceStory.ofAll(uploads.outcome))
            + ", \(uploads.delivered) delivered; \(count == 1 ? "took" : "over") \(length)"
    }

    // MARK: - Ends

    private func addEnds(_ steps: [TraceStep], to items: inout [(at: Instant, item: Item)]) {
        var last: (at: Instant, first: SealedEvent, count: Int)?
        func tellLast() {
            guard let group = last else { return }
            let event = group.first
            let others = group.count > 1 ? " and \(group.count - 1) more" : ""
            let text =
                "\(event.id.text)\(others) \(event.disposition.fate.rawValue): \(event.disposition.reason)"
            items.append((min(group.at, context.end), .line(text)))
        }
        for step in steps {
            switch step.what {
            case .sealed(let event) where event.disposition.fate.isLoss:
                if let group = last, group.at == step.at, group.first.disposition == event.disposition {
                    last?.count += 1
                } else {
                    tellLast()
                    last = (step.at, event, 1)
                }
            case .updated(let number): items.append((step.at, .line(context.update(to: number))))
            case .died: items.append((step.at, .line(context.death(at: step.at))))
            case .network(let kind):
                let name = kind.map { "on \($0.name)" } ?? "back on its own network"
                items.append((step.at, .line("the timeline put the device \(name)")))
            default: break
            }
        }
        tellLast()
    }

    // MARK: - Sums

    /// Events by fate and cause, in the order of the fates, and fetches of the configuration.
    var sums: [String] {
        var sums = ["captured \(sealed.count)"]
        for fate in Fate.allCases {
            let own = sealed.filter { $0.disposition.fate == fate }
            let causes = Set(own.map { $0.disposition.cause ?? "" }).sorted()
            for cause in causes {
                let count = own.count { ($0.disposition.cause ?? "") == cause }
                sums.append("\(fate.rawValue) \(count)\(cause.isEmpty ? "" : " (\(cause))")")
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

/// The delivered events that are not told of an upload yet.
///
/// Events are sealed when the last request that carries them has ended, which may be another than the one whose
/// answer acknowledged them; and several uploads may be answered at one instant.
private struct Deliveries {
    /// Their sequences, in the order in which they were sealed, by the instant of their acknowledgement.
    private var open: [Instant: [UInt32]] = [:]

    init(_ steps: [TraceStep]) {
        for step in steps {
            if case .sealed(let event) = step.what, event.disposition == .delivered {
                open[event.ackedAt, default: []].append(event.id.sequence)
            }
        }
    }

    /// Takes those that an upload delivered: what it carries, or, where only its bytes would tell, as many of
    /// the first as it has events.
    ///
    /// - Returns: how many.
    mutating func take(by request: TracedRequest, answeredAt at: Instant) -> Int {
        guard var left = open[at] else { return 0 }
        let count = left.count
        if let carried = request.carried {
            let own = Set(carried)
            left.removeAll { own.contains($0) }
        } else {
            left.removeFirst(min(request.eventCount, count))
        }
        open[at] = left
        return count - left.count
    }
}

extension Fate {
    /// Whether an event is gone for good.
    var isLoss: Bool { [.evicted, .rejected, .lost].contains(self) }
}
