import DeviceSDK
import Timebase

/// A time in which a device's own way has no radio, or several of them that are told of in one sentence.
struct RadioGaps {
    let from: Instant
    private var until: Instant
    private var length: Interval
    private var count = 1

    init(_ gap: Range<Instant>) {
        from = gap.lowerBound
        until = gap.upperBound
        length = until - from
    }

    mutating func join(_ next: RadioGaps) {
        until = next.until
        length = length + next.length
        count += next.count
    }

    /// - Parameter end: When the run was over.
    func text(_ clock: StoryClock, end: Instant) -> String {
        let times = count == 1 ? "" : " \(count) times"
        let limit = until < end ? "until \(clock.offset(until))" : "to the end of the run"
        return "no radio\(times) \(limit), for \(StoryClock.words(length))\(count == 1 ? "" : " in all")"
    }
}

/// When a device had events that were not at their end yet: then a radio is missed.
struct WaitingTimes {
    /// In order.
    private(set) var spans: [Range<Instant>] = []

    init(_ steps: [TraceStep], until end: Instant) {
        var (open, since) = (0, end)
        for step in steps {
            switch step.what {
            case .captured(let range, _):
                if open == 0 { since = step.at }
                open += range.count
            case .sealed:
                open -= 1
                if open == 0, since < min(step.at, end) { spans.append(since..<min(step.at, end)) }
            default: break
            }
        }
        if open > 0, since < end { spans.append(since..<end) }
    }

    /// Those of some times in order that have a part in common with these, each from there on.
    func common(_ gaps: [Range<Instant>]) -> [Range<Instant>] {
        var next = 0
        return gaps.compactMap { gap in
            while next < spans.count, spans[next].upperBound <= gap.lowerBound { next += 1 }
            guard next < spans.count, spans[next].lowerBound < gap.upperBound else { return nil }
            return max(gap.lowerBound, spans[next].lowerBound)..<gap.upperBound
        }
    }
}
