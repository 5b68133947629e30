import CollectorModel
import DeviceSDK
import Measurement
import Scenario
import Timebase
import World

/// When the timeline keeps uploads of a population from being acknowledged, so that what is captured stays on the
/// devices.
///
/// It errs upwards: whatever may keep an upload counts as if it did, and for as long again, since by then devices that
/// back off may wait that long.
struct BlockedUploads {
    private struct Window {
        var time: Range<Instant>
        /// Of what is captured, 0…1.
        var share: Double
    }

    private var windows: [Window] = []
    private let duration: Interval
    /// Whether requests may be without an answer for long meanwhile.
    private(set) var holdsRequests = false

    /// Answers that take as long as that are late for some SDK.
    private static let patience = Interval.seconds(5)

    init(_ plans: ScenarioPlans, of plan: PopulationPlan) {
        let schedule = plans.schedule
        duration = schedule.duration
        for window in plans.collector.faults where window.device == nil && window.uploadNumber == nil {
            guard let hindrance = window.fault.hindrance(patience: BlockedUploads.patience) else { continue }
            add(window.from, window.until, share: window.share, wait: hindrance.wait, schedule)
            holdsRequests = holdsRequests || hindrance.holds
        }
        for window in schedule.clientFaults.windows {
            let scope = window.scope
            guard scope.device == nil, scope.uploadNumber == nil,
                scope.population ?? plan.index == plan.index,
                let holds = BlockedUploads.holds(window.fault)
            else { continue }
            add(window.from, window.until, share: scope.share * scope.deviceShare, schedule)
            holdsRequests = holdsRequests || holds
        }
        let networks = plan.statedBounds(disksFail: false).networks
        for entry in schedule.deviceEntries where entry.population ?? plan.index == plan.index {
            guard entry.network == .none || !networks.contains(entry.network) else { continue }
            add(entry.from, entry.until, share: entry.share, schedule)
        }
        // What has left may not be deleted.
        for failure in plan.disk.entries { add(failure.from, failure.until, share: failure.share, schedule) }
    }

    private mutating func add(
        _ from: Instant, _ until: Instant, share: Double, wait: Interval = .zero, _ schedule: RunSchedule
    ) {
        let end = min(until, schedule.usersEnd)
        guard from < end else { return }
        windows.append(Window(time: from..<end + (end - from) + wait, share: share))
    }

    /// Whether a fault on the devices' side leaves requests without an answer for long; `nil` where they are
    /// acknowledged all the same.
    private static func holds(_ fault: ClientFault) -> Bool? {
        switch fault {
        case .delay(let delay): delay.mean < patience.fractionalSeconds * 1000 ? nil : true
        case .drop, .lostReply(.timeout): true
        case .reset, .lostReply(.reset): false
        }
    }

    /// The share of a population's events that may be on its devices because of it, 0…1.
    ///
    /// - Parameters:
    ///   - series: Of a sample.
    ///   - isWhole: Whether the sample was played to the end of the run; if not, it is not known when events come.
    func shareKept(_ series: TimeSeries, isWhole: Bool) -> Double {
        let all = series.buckets.reduce(0) { $0 + Double($1.captured) }
        var kept = 0.0
        for window in windows {
            var told = 0.0
            for (index, bucket) in series.buckets.enumerated() {
                let from = series.start + series.width * Int64(index)
                if window.time.overlaps(from..<from + series.width) { told += Double(bucket.captured) }
            }
            let length = window.time.upperBound - window.time.lowerBound
            let evenly = isWhole ? 0 : length.fractionalSeconds / max(1e-9, duration.fractionalSeconds)
            kept += window.share * min(1, max(all > 0 ? told / all : 0, evenly))
        }
        return min(1, kept)
    }
}
