import Accounting
import AppModel
import CollectorModel
import DeviceSDK
import Measurement
import Scenario
import Timebase
import VirtualEngine

/// The load that a scenario offers, found by playing a sample of its devices in virtual time against
/// a collector without faults.
struct Forecast {
    /// Per second, over the time in which users act.
    var eventsMean = 0.0
    var eventsPeak = 0.0
    var requestsMean = 0.0
    /// Bodies with their heads.
    var bytesMean = 0.0
    /// Connections of the devices whose app is in the foreground at the same time, at most.
    var sockets = 0
    /// Of the generator: devices, their stored rows, and a connection each.
    var memoryBytes = 0.0

    /// Events that devices bring along from before the run; they leave besides.
    var prefilled: UInt64 = 0

    /// Seconds of the run in a real second: all rates are by real seconds.
    private(set) var pace = 1

    /// Plays a sample of a scenario.
    ///
    /// - Parameter pace: How many times as fast as virtual time a live run is to go.
    init(_ document: ScenarioDocument, pace: Int = 1) {
        self.pace = pace
        let plans = document.plans(start: document.start ?? ScenarioDocument.virtualStart)
        let seconds = max(document.duration.fractionalSeconds, 1e-9)
        var events = EventCourse()
        for plan in plans.populations {
            let sample = PopulationSample(plan, schedule: plans.schedule)
            let record = sample.recorder.populations[0]
            eventsMean += Double(record.ledger.captured) * sample.scale / seconds
            requestsMean += Double(record.requests) * sample.scale / seconds
            bytesMean += record.sentBytes * sample.scale / seconds
            events.add(sample.recorder.series, scale: sample.scale)
            let peakActive = sample.recorder.series.extremes?.highGauges.devicesActive ?? 0
            let active = min(plan.deviceCount, Int((Double(peakActive) * sample.scale).rounded(.up)))
            // An idle minute of a socket may be days of its device: as good as all have one.
            sockets += plan.connections(ofDevices: pace > 1 ? plan.deviceCount : active)
            prefilled += UInt64(plan.prefill) * UInt64(plan.deviceCount)
            memoryBytes += Double(plan.deviceCount) * 400
        }
        eventsPeak = events.peak * Double(pace)
        eventsMean *= Double(pace)
        requestsMean *= Double(pace)
        bytesMean *= Double(pace)
        memoryBytes += Double(prefilled) * 36 + Double(sockets) * 6000
    }

    /// One line for people.
    var text: String {
        func figure(_ value: Double) -> String {
            value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
        }
        let head = pace > 1 ? "at pace \(pace), by seconds of the wall clock, " : ""
        return head + "offers \(figure(eventsMean)) events/s on average (peak \(figure(eventsPeak))), "
            + "\(figure(requestsMean)) requests/s, \(figure(bytesMean / 1000)) kB/s, up to \(sockets) sockets, "
            + "about \(figure(memoryBytes / 1e6)) MB of memory"
            + (prefilled > 0 ? "; \(prefilled) events of before the run besides" : "")
    }
}

/// Some devices of a population, played.
///
/// They are the run's own devices, with its streams and its times of arrival: slices of a few, each of
/// which is spread over the whole population, are played one after another until they tell enough.
private struct PopulationSample {
    /// Devices of a slice; at most so many slices are played, and none is begun after so many events.
    private static let sliceSize = 10
    private static let sliceLimit = 50
    private static let enoughEvents = 20_000

    /// What all slices recorded, as the one population of a run.
    private(set) var recorder: RunRecorder
    /// Devices of the population per device played.
    let scale: Double

    init(_ plan: PopulationPlan, schedule: RunSchedule) {
        var quietPlan = plan
        quietPlan.index = 0
        quietPlan.firstDevice = 0
        quietPlan.disk = DiskSchedule()
        quietPlan.system.dropPrefill()
        // Without what the timeline does to networks and requests.
        let quietSchedule = RunSchedule(
            start: schedule.start, duration: schedule.duration, drain: schedule.drain)
        let sliceCount = (plan.deviceCount + PopulationSample.sliceSize - 1) / PopulationSample.sliceSize
        let slices = min(sliceCount, PopulationSample.sliceLimit)
        recorder = RunRecorder(start: schedule.start, populationCount: 1)
        var played = 0
        for place in UserForecast.places(slices)
        where recorder.populations[0].ledger.captured < PopulationSample.enoughEvents {
            let share = ShardShare(index: place * sliceCount / slices, count: sliceCount)
            played += share.deviceCount(of: plan.deviceCount)
            recorder.merge(PopulationSample.play(quietPlan, share, quietSchedule))
        }
        scale = Double(plan.deviceCount) / Double(max(1, played))
    }

    private static func play(
        _ plan: PopulationPlan, _ share: ShardShare, _ schedule: RunSchedule
    ) -> RunRecorder {
        var collector = CollectorPlan()
        collector.growingCiphers = GrowingCiphers(of: plan)
        let configuration = VirtualConfiguration(plans: [plan], schedule: schedule, collector: collector)
        var observer = IgnoringObserver()
        return runVirtually(
            configuration, fleets: [makeFleet(plan: plan, share: share)], observer: &observer
        ).recorder
    }
}

/// Events per second of all populations over the run, from samples.
private struct EventCourse {
    private var width = Interval.seconds(1)
    private var counts: [Double] = []

    /// The highest rate over one interval of the series.
    var peak: Double { (counts.max() ?? 0) / width.fractionalSeconds }

    /// Adds a population; `scale` is by how much it is larger than its sample.
    mutating func add(_ series: TimeSeries, scale: Double) {
        // Widths are a second times powers of two.
        while width < series.width {
            width = width * 2
            counts = stride(from: 0, to: counts.count, by: 2).map { first in
                counts[first] + (first + 1 < counts.count ? counts[first + 1] : 0)
            }
        }
        let ratio = Int(width.nanoseconds / series.width.nanoseconds)
        for (index, bucket) in series.buckets.enumerated() {
            while counts.count <= index / ratio { counts.append(0) }
            counts[index / ratio] += Double(bucket.captured) * scale
        }
    }
}

/// Listens to nothing.
struct IgnoringObserver: VirtualObserver {
    mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
    mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
}

extension PopulationPlan {
    /// Events that each device brings along.
    var prefill: Int { system.common.prefill }

    /// Connections that so many active devices keep open.
    fileprivate func connections(ofDevices active: Int) -> Int {
        if case .pooled(let size) = target.connections {
            min(active, size)
        } else {
            active * system.common.connectionsPerDevice
        }
    }

}

extension PopulationRecord {
    fileprivate var sentBytes: Double { metricValue("data_sent") }

    private func metricValue(_ name: String) -> Double {
        switch metrics(seconds: 1).first(where: { $0.name == name })?.value {
        case .counter(let count, _): count
        default: 0
        }
    }
}
