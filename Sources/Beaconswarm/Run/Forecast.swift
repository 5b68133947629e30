import CollectorModel
import DeviceSDK
import Measurement
import Reporting
import Scenario
import Timebase
import VirtualEngine
import Accounting

/// The load that a scenario offers, found by playing a sample of its devices in virtual time against
/// a collector without faults.
struct Forecast {
    /// Devices played per population, at most.
    private static let sample = 100
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

    init(_ document: ScenarioDocument) {
        let plans = document.plans(start: document.start ?? ScenarioDocument.virtualStart)
        let seconds = max(document.duration.fractionalSeconds, 1e-9)
        for plan in plans.populations {
            let played = Forecast.sampleSize(plan, schedule: plans.schedule)
            let scale = Double(plan.deviceCount) / Double(played)
            let result = Forecast.play(plan, devices: played, schedule: plans.schedule)
            let record = result.recorder.populations[0]
            eventsMean += Double(record.ledger.captured) * scale / seconds
            requestsMean += Double(record.requests) * scale / seconds
            bytesMean += record.sentBytes * scale / seconds
            let width = result.recorder.series.width.fractionalSeconds
            let peak = result.recorder.series.buckets.map(\.captured).max() ?? 0
            eventsPeak += Double(peak) * scale / width
            let active = min(plan.deviceCount, Int((record.peakActive * scale).rounded(.up)))
            sockets += active * plan.connectionsPerDevice
            prefilled += UInt64(plan.prefill) * UInt64(plan.deviceCount)
            memoryBytes += Double(plan.deviceCount) * 400
        }
        memoryBytes += Double(prefilled) * 36 + Double(sockets) * 6000
    }

    /// As many devices as are needed for a steady figure, and no more than are played in a moment.
    private static func sampleSize(_ plan: PopulationPlan, schedule: RunSchedule) -> Int {
        let few = min(plan.deviceCount, 5)
        let captured = play(plan, devices: few, schedule: schedule).recorder.populations[0].ledger.captured
        let affordable = 20_000 * few / max(1, Int(captured))
        return min(plan.deviceCount, sample, max(few, affordable))
    }

    private static func play(_ plan: PopulationPlan, devices: Int, schedule: RunSchedule) -> VirtualResult {
        var sample = plan
        sample.deviceCount = devices
        sample.index = 0
        sample.firstDevice = 0
        sample.dropPrefill()
        var quiet = schedule
        quiet.deviceEntries = []
        let configuration = VirtualConfiguration(plans: [sample], schedule: quiet, collector: CollectorPlan())
        var observer = IgnoringObserver()
        return runVirtually(
            configuration, fleets: [makeFleet(plan: sample, share: .whole)], observer: &observer)
    }

    /// One line for people.
    var text: String {
        func figure(_ value: Double) -> String {
            value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
        }
        return "offers \(figure(eventsMean)) events/s on average (peak \(figure(eventsPeak))), "
            + "\(figure(requestsMean)) requests/s, \(figure(bytesMean / 1000)) kB/s, up to \(sockets) sockets, "
            + "about \(figure(memoryBytes / 1e6)) MB of memory"
            + (prefilled > 0 ? "; \(prefilled) events of before the run besides" : "")
    }
}

/// Listens to nothing.
struct IgnoringObserver: VirtualObserver {
    mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
    mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
}

extension PopulationPlan {
    /// Events that each device brings along.
    var prefill: Int {
        switch system {
        case .sensors(let rules): rules.storage.prefill
        }
    }

    /// Connections that a device keeps open: one for uploads, and one for the configuration where it is
    /// fetched while an upload is under way.
    fileprivate var connectionsPerDevice: Int {
        switch system {
        case .sensors(let rules):
            rules.remoteConfig.enabled && rules.remoteConfig.fetchOn != .background ? 2 : 1
        }
    }

    /// Lets the devices begin with empty stores.
    fileprivate mutating func dropPrefill() {
        switch system {
        case .sensors(var rules):
            rules.storage.prefill = 0
            system = .sensors(rules)
        }
    }
}

extension PopulationRecord {
    fileprivate var sentBytes: Double { metricValue("data_sent") }
    fileprivate var peakActive: Double { metricValue("devices_active") }

    private func metricValue(_ name: String) -> Double {
        switch metrics(seconds: 1).first(where: { $0.name == name })?.value {
        case .counter(let count, _): count
        case .gauge(_, _, let maximum): maximum
        default: 0
        }
    }
}
