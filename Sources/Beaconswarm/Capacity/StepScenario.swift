import AppModel
import CollectorModel
import DeviceSDK
import Reporting
import Scenario
import Timebase

/// One load, to be played once.
struct StepPlan: Sendable {
    /// From 1.
    var number: Int
    var purpose: CapacitySearch.Purpose
    var load: Double
    var warmUp: Interval
    var window: Interval
    /// The number of the first device: no id comes twice to a target.
    var firstDevice: UInt32
    /// The scenario at this load, as long as the step.
    var document: ScenarioDocument
}

/// Makes a scenario into steady loads of any size.
///
/// A step has no story: its users come in one after the other while the step warms up, then act until its
/// end. What the timeline holds from the start to the end of the run is a condition of the load and stays;
/// everything else in it is left out.
struct StepScenario: Sendable {
    private let base: ScenarioDocument
    private let scaling: CapacityReport.Scaling
    /// Over which users arrive: whole flush intervals, so that uploads are spread evenly.
    private let arrival: Interval
    /// Before what is measured.
    let warmUp: Interval
    /// The longest flush interval of the populations.
    let flushInterval: Interval
    /// What is left out of the scenario, and other things to know.
    private(set) var warnings: [String] = []

    /// Users arrive over at least this time: a launch is more work than an upload.
    private static let shortestArrival = Interval.seconds(4)
    /// Users with sessions need some time until as many end as begin.
    private static let sessionArrival = Interval.seconds(30)
    private static let longestArrival = Interval.minutes(2)
    /// Flush intervals below this are as good as none.
    private static let shortestUnit = Interval.milliseconds(100)
    /// After the last arrival.
    private static let settling = Interval.seconds(1)

    init(_ document: ScenarioDocument, scaling: CapacityReport.Scaling) {
        base = document
        self.scaling = scaling
        flushInterval = document.populations.map(\.system.common.uploadInterval).max() ?? .zero
        let hasSessions = document.populations.contains { $0.persona.steadyRate == nil }
        let shortest = hasSessions ? Self.sessionArrival : Self.shortestArrival
        let unit = max(flushInterval, Self.shortestUnit)
        let rounds = (shortest.nanoseconds + unit.nanoseconds - 1) / unit.nanoseconds
        arrival = min(unit * max(1, rounds), Self.longestArrival)
        warmUp = (arrival + Self.settling).roundedUpToSeconds
        if flushInterval > Self.longestArrival {
            warnings.append(
                "Devices upload every \(flushInterval.text), but a step warms up for \(warmUp.text): "
                    + "the load in its window is not a steady one.")
        }
        if hasSessions {
            warnings.append(
                "Users with sessions offer no steady load: a step lets them arrive evenly until its end and "
                    + "tells the rate that its window had. The persona steady, or one with long sessions, "
                    + "gives a sharper answer.")
        }
        warnings += document.timeline.filter { !isCondition($0) }.map {
            "\($0.pointer): left out, since a step is a steady load: \($0.text)"
        }
    }

    /// Whether an entry of the timeline holds all the time.
    private func isCondition(_ entry: TimelineEntry) -> Bool {
        if case .push = entry.change { return false }
        return entry.at <= .zero && (entry.until ?? base.duration) >= base.duration
    }

    /// The devices of a load.
    func devices(_ load: Double) -> Int {
        scaling == .devices ? Int(load.rounded()) : base.deviceCount
    }

    /// The scenario at a load.
    func document(load: Double, window: Interval) -> ScenarioDocument {
        var document = base
        document.duration = warmUp + window
        // What a failed step leaves in its devices' stores is gone with them.
        document.drain = .zero
        document.timeline = base.timeline.filter(isCondition).map { entry in
            var whole = entry
            whole.until = nil
            return whole
        }
        let counts = DeviceScaling.scale(base.populations.map(\.devices), to: devices(load))
        for index in document.populations.indices {
            document.populations[index].devices = counts[index]
            if scaling == .rate { document.populations[index].persona.tempo *= load }
            document.populations[index].activity = nil
            let isSteady = document.populations[index].persona.steadyRate != nil
            let over = isSteady ? spread(arrival, over: counts[index]) : document.duration
            document.populations[index].arrival = ArrivalSchedule(over: over)
        }
        return document
    }
}

extension StepScenario {
    /// The time over which so many devices arrive, so that no two of them upload at the same moment.
    ///
    /// Devices that arrive evenly over k flush intervals would meet k at a time, where their number has a
    /// divisor in common with k; a few places are left empty at the end, until it has none.
    private func spread(_ arrival: Interval, over devices: Int) -> Interval {
        let unit = max(flushInterval, Self.shortestUnit)
        let rounds = Int(arrival.nanoseconds / unit.nanoseconds)
        guard rounds > 1 else { return arrival }
        var places = devices
        while Self.greatestCommonDivisor(places, rounds) > 1 { places += 1 }
        return .fractional(seconds: arrival.fractionalSeconds * Double(devices) / Double(places))
    }

    private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
        right == 0 ? left : greatestCommonDivisor(right, left % right)
    }
}

extension ScenarioPopulation {
    /// Whether the scenario says how much the population offers.
    var hasSetRate: Bool { wantedRate != nil || persona.steadyRate != nil }
}
