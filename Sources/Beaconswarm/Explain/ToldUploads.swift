import Accounting
import CollectorModel
import DeviceSDK
import Timebase

/// An upload of a device that has ended, or neighbours that ended alike.
struct ToldUploads {
    private var numbers: ClosedRange<UInt32>
    private(set) var began: Instant
    private var ended: Instant
    private let outcome: String
    /// Why the collector did not keep what it said to have taken, by the name under which an audit counts it.
    private let notKept: NotKept?
    private var events: Int
    /// Those, each once; `nil` where only the bytes of one of the uploads would tell.
    private var sequences: Set<UInt32>?
    private var delivered: Int

    /// One that ended.
    init(
        _ request: TracedRequest, began: Instant, ended: Instant, outcome: String, delivered: Int = 0,
        notKept: NotKept? = nil
    ) {
        numbers = request.number.number...request.number.number
        self.began = began
        self.ended = ended
        self.outcome = outcome
        self.notKept = notKept
        events = request.eventCount
        sequences = request.carried.map { Set($0) }
        self.delivered = delivered
    }

    /// Whether one sentence can tell of both.
    func isLike(_ other: ToldUploads) -> Bool {
        outcome == other.outcome && notKept == other.notKept
    }

    mutating func join(_ next: ToldUploads) {
        let low = min(numbers.lowerBound, next.numbers.lowerBound)
        numbers = low...max(numbers.upperBound, next.numbers.upperBound)
        ended = max(ended, next.ended)
        events += next.events
        if let others = next.sequences { sequences?.formUnion(others) } else { sequences = nil }
        delivered += next.delivered
    }

    /// Whether an event is in several of them, as one that is sent again is; where nobody knows, whether one may be.
    private var repeats: Bool {
        guard numbers.count > 1 else { return false }
        return sequences.map { $0.count < events } ?? (delivered < events)
    }

    var text: String {
        let count = numbers.count
        let names =
            count == 1
            ? "upload \(numbers.lowerBound)" : "uploads \(numbers.lowerBound) to \(numbers.upperBound)"
        let length = StoryClock.words(ended - began)
        let doubt =
            notKept.map {
                ", but the collector did not keep \(events == 1 ? "it" : "them") (\($0.rawValue))"
            } ?? ""
        return
            "\(names) with \(events.of("event"))\(repeats ? " (repeats counted)" : "") "
            + (count == 1 ? outcome : ToldUploads.outcome(outcome, of: count))
            + ", \(delivered) delivered\(doubt); \(count == 1 ? "took" : "within") \(length)"
    }

    /// What became of several.
    private static func outcome(_ outcome: String, of count: Int) -> String {
        let (all, none) = count == 2 ? ("both", "neither") : ("all", "none")
        let plurals = [
            ("was ", "were \(all) "), ("could not ", "\(none) could "), ("never ", "\(none) ever "),
        ]
        guard let (one, several) = plurals.first(where: { outcome.hasPrefix($0.0) }) else {
            return "\(all) \(outcome)"
        }
        return several + outcome.dropFirst(one.count)
    }
}

extension TracedEnd {
    /// What became of an upload, as its sentence goes on.
    var words: String {
        switch self {
        case .answered(let status, let isAcknowledged):
            "was answered \(status)\(isAcknowledged ? "" : ", no success to this SDK")"
        case .failed(let failure): failure.words
        case .givenBack: "never left, since the run's drain was over"
        }
    }
}

/// The delivered events that are not told of an upload yet.
///
/// Events are sealed when the last request that carries them has ended, which may be another than the one whose
/// answer acknowledged them; and several uploads may be answered at one instant.
struct Deliveries {
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
