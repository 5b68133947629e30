import Accounting
import DeviceSDK
import Measurement
import Reporting
import Scenario
import Timebase

/// The load that a scenario offers, found by playing a sample of its devices in virtual time against
/// a collector without faults. Its cost is bounded, however large the scenario is.
struct Forecast {
    /// Per second, over the time in which users act.
    var eventsMean = 0.0
    var eventsPeak = 0.0
    var requestsMean = 0.0
    /// Of one second, fetches of configurations included.
    var requestsPeak = 0.0
    /// Bodies with their heads.
    var bytesMean = 0.0
    /// Connections of the devices whose app is in the foreground at the same time, at most.
    var sockets = 0

    /// Events that devices bring along from before the run; they leave besides.
    var prefilled: UInt64 = 0
    var devices = 0

    /// Seconds of the run in a real second: all rates are by real seconds.
    private(set) var pace = 1
    /// Of the generator without connections, in bytes: what grows with the number of devices.
    private var growingMemory = 0.0
    private var openRequestMemory = 0.0

    /// Plays a sample of a scenario.
    ///
    /// - Parameter pace: How many times as fast as virtual time a live run is to go.
    init(_ document: ScenarioDocument, pace: Int = 1) {
        self.pace = pace
        let plans = document.plans(start: document.start ?? ScenarioDocument.virtualStart)
        let seconds = max(document.duration.fractionalSeconds, 1e-9)
        let stepLimit = PopulationSample.stepBudget / max(1, plans.populations.count)
        var events = EventCourse()
        var requests = RequestCourse(PopulationSample.courseWidth(plans.schedule, pace: pace))
        for plan in plans.populations {
            let sample = PopulationSample(plan, schedule: plans.schedule, stepLimit: stepLimit, pace: pace)
            let record = sample.recorder.populations[0]
            eventsMean += Double(record.ledger.captured) * sample.totalScale / seconds
            requestsMean += Double(record.requests) * sample.totalScale / seconds
            bytesMean += record.sentBytes * sample.totalScale / seconds
            events.add(sample.recorder.series, scale: sample.scale)
            requests.add(sample.requests, scale: sample.scale)
            let peakActive = sample.recorder.series.extremes?.highGauges.devicesActive ?? 0
            let active = min(plan.deviceCount, Int((Double(peakActive) * sample.scale).rounded(.up)))
            // An idle minute of a socket may be days of its device: as good as all have one.
            sockets += plan.connections(ofDevices: pace > 1 ? plan.deviceCount : active)
            prefilled += UInt64(plan.prefill) * UInt64(plan.deviceCount)
            devices += plan.deviceCount
            growingMemory += memory(of: plan, sample)
            openRequestMemory +=
                Double(sample.openRequests) * sample.scale * DeviceMemory.openRequest
        }
        eventsPeak = events.peak * Double(pace)
        requestsPeak = requests.peak * Double(pace)
        eventsMean *= Double(pace)
        requestsMean *= Double(pace)
        bytesMean *= Double(pace)
        growingMemory += Double(prefilled) * DeviceMemory.storedEvent
    }

    private func memory(of plan: PopulationPlan, _ sample: PopulationSample) -> Double {
        let rows = sample.recorder.series.buckets.map(\.gauges.storedRows).max() ?? 0
        var bytes = Double(plan.deviceCount * plan.system.common.memoryPerDevice)
        bytes += Double(rows) * sample.scale * DeviceMemory.storedEvent
        if !plan.tagsEvents || !plan.system.common.tagsAllEvents {
            let captured = Double(sample.recorder.populations[0].ledger.captured) * sample.totalScale
            bytes += captured * DeviceMemory.naturalKey
        }
        return bytes
    }

    /// The memory of the process that plays the devices, in bytes.
    ///
    /// - Parameter connections: The most that may be open at once; `nil` in virtual time, where none is.
    func memory(connections: Int?) -> Double {
        DeviceMemory.process + growingMemory
            + (connections.map { Double(min(sockets, $0)) * DeviceMemory.connection } ?? openRequestMemory)
    }

    /// How many devices would fit into so many bytes, if all populations shrank alike.
    func devicesFitting(_ bytes: Double, connections: Int?) -> Int {
        let room = max(0, bytes - DeviceMemory.process)
        let count = Double(max(1, devices))
        guard let connections else {
            return Int(room / max(1, (growingMemory + openRequestMemory) / count))
        }
        let all = Double(sockets) * DeviceMemory.connection
        let fitting = room / max(1, (growingMemory + all) / count)
        guard Double(sockets) * fitting / count > Double(connections) else { return Int(fitting) }
        return Int(
            max(0, room - Double(connections) * DeviceMemory.connection) / max(1, growingMemory / count))
    }

    /// One line for people.
    ///
    /// - Parameter mode: What is going to happen; `nil` where that is open.
    func text(for mode: Report.Mode? = nil) -> String {
        let head = pace > 1 ? "at pace \(pace), by seconds of the wall clock, " : ""
        let live = "up to \(sockets) sockets, about \(Forecast.size(memory(connections: .max))) of memory"
        let simulated = "about \(Forecast.size(memory(connections: nil))) of memory"
        let needs =
            switch mode {
            case .live: live
            case .virtual: simulated
            case nil: "live \(live), simulated \(simulated)"
            }
        return head
            + "offers \(Forecast.figure(eventsMean)) events/s on average (peak \(Forecast.figure(eventsPeak))), "
            + "\(Forecast.figure(requestsMean)) requests/s (peak \(Forecast.figure(requestsPeak))), \(Forecast.figure(bytesMean / 1000)) kB/s, \(needs)"
            + (prefilled > 0 ? "; \(prefilled) events of before the run besides" : "")
    }

    static func figure(_ value: Double) -> String {
        value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
    }

    /// Bytes for people.
    static func size(_ bytes: Double) -> String {
        bytes >= 1e10 ? "\(figure(bytes / 1e9)) GB" : "\(figure(bytes / 1e6)) MB"
    }
}

/// What things take in memory, in bytes, beside a system's own ``SystemRuleSet/memoryPerDevice``: measured as the
/// growth of a process, spare room of its arrays included.
enum DeviceMemory {
    /// A run without devices.
    static let process = 40e6
    static let storedEvent = 36.0
    /// A connection of a live run.
    static let connection = 6000.0
    /// A request in virtual time whose answer is on its way.
    static let openRequest = 400.0
    /// An event that is known by its natural key, in the sets of both sides of the audit.
    static let naturalKey = 90.0
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

extension PopulationPlan {
    /// Events that each device brings along.
    fileprivate var prefill: Int { system.common.prefill }

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
    fileprivate var sentBytes: Double {
        switch metrics(seconds: 1).first(where: { $0.name == "data_sent" })?.value {
        case .counter(let count, _): count
        default: 0
        }
    }
}
