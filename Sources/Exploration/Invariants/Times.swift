import Accounting
import TestSupport
import Timebase

/// On a device, later sequences were captured later.
enum SequencesAreMonotone: Invariant {
    static let name = "monotone-sequences"
    static func violations(in trial: Trial) -> [String] {
        var last: [UInt32: Outcome.Sealed] = [:]
        for event in trial.outcome.sealed.sorted(by: { $0.id < $1.id }) {
            if let before = last[event.id.device], before.capturedAt > event.capturedAt {
                return [
                    "\(event.id.device)-\(event.id.sequence) was captured at \(event.capturedAt.text), and the one with "
                        + "sequence \(before.id.sequence) at \(before.capturedAt.text)"
                ]
            }
            last[event.id.device] = event
        }
        return []
    }
}

/// An event is captured while users act (or before the run), and acknowledged after that, if it is delivered.
enum TimesAreInOrder: Invariant {
    static let name = "times-in-order"
    static func violations(in trial: Trial) -> [String] {
        let end = trial.outcome.simulated
        return trial.outcome.sealed.compactMap { event in
            let id = "\(event.id.device)-\(event.id.sequence)"
            if event.capturedAt > end {
                return "\(id) was captured at \(event.capturedAt.text), after the end"
            }
            let isDelivered = event.disposition == .delivered
            guard let acknowledged = event.acknowledgedAt else {
                return isDelivered ? "\(id) was delivered at no time" : nil
            }
            if !isDelivered { return "\(id) was acknowledged and is \(event.disposition)" }
            if event.attempts == 0 { return "\(id) was delivered by no upload" }
            if acknowledged < event.capturedAt {
                return "\(id) was acknowledged at \(acknowledged.text), captured at \(event.capturedAt.text)"
            }
            return acknowledged > end ? "\(id) was acknowledged after the end" : nil
        }
    }
}

/// The freshness that is told is that of the delivered events: of the run's clock, whatever a device's own shows.
enum FreshnessIsOfItsEvents: Invariant {
    static let name = "freshness"
    /// The histogram has three digits.
    private static let resolution = 0.002

    static func violations(in trial: Trial) -> [String] {
        var ages: [[Double]] = Array(repeating: [], count: trial.outcome.freshness.count)
        for event in trial.outcome.sealed {
            guard let acknowledged = event.acknowledgedAt, event.disposition == .delivered else { continue }
            ages[event.population].append(Double((acknowledged - event.capturedAt).nanoseconds) / 1e6)
        }
        return zip(ages, trial.outcome.freshness).enumerated().compactMap { index, pair in
            let (ages, told) = pair
            if told.count != UInt64(ages.count) {
                return
                    "population \(index) delivered \(ages.count) events and has the freshness of \(told.count)"
            }
            guard let least = ages.min(), let most = ages.max() else { return nil }
            let mean = ages.reduce(0, +) / Double(ages.count)
            if isNear(least, told.least), isNear(most, told.most), isNear(mean, told.mean) { return nil }
            return
                "population \(index): freshness from \(told.least) to \(told.most) ms, \(told.mean) on average; "
                + "of its events \(least) to \(most) ms, \(mean) on average"
        }
    }

    private static func isNear(_ left: Double, _ right: Double) -> Bool {
        abs(left - right) <= max(1, resolution * max(abs(left), abs(right)))
    }
}

/// The time series' sums are the run's.
enum SeriesAddUp: Invariant {
    static let name = "series-sums"
    static func violations(in trial: Trial) -> [String] {
        let world = trial.outcome.world
        let delivered = world.ledgers.reduce(0) { $0 + $1.delivered }
        let series = trial.outcome.series
        let captured = world.ledgers.reduce(0) { $0 + $1.captured } - trial.outcome.prefilled
        let uploads = world.uploads.reduce(0, +)
        var problems: [String] = []
        func demand(_ what: String, _ told: UInt64, _ booked: UInt64) {
            if told != booked { problems.append("the series has \(told) \(what), the books \(booked)") }
        }
        demand("delivered events", series.delivered, delivered)
        demand("captured events", series.captured, captured)
        demand("uploads", series.requests, uploads)
        return problems
    }
}
