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
/// A step has no story: its users come in, then act until its end. What the timeline holds from the start to the end
/// of the run is a condition of the load and stays; everything else in it is left out.
///
/// Users at a set rate arrive one after the other while the step warms up. Users with sessions open the app evenly
/// from the step's beginning to its end, so a load of them is a number of devices in a time: every step of a search is
/// as long as any other, whatever it is played for.
struct StepScenario: Sendable {
    private let base: ScenarioDocument
    private let scaling: CapacityReport.Scaling
    /// Over which users at a set rate arrive: whole flush intervals, so that uploads are spread evenly.
    private let arrival: Interval
    /// Before what is measured.
    let warmUp: Interval
    /// The same on the way to the limit, where a step that breaks while launches are felt is played again.
    private let shortWarmUp: Interval
    /// The longest flush interval of the populations.
    let flushInterval: Interval
    /// Whether some users have sessions.
    let hasSessions: Bool
    /// What is left out of the scenario, and other things to know.
    private(set) var warnings: [String] = []

    /// Users arrive over at least this time: a launch is more work than an upload.
    private static let shortestArrival = Interval.seconds(4)
    /// Before anything is asked of users with sessions: launches go on all the time, and the first timers, of 15 s
    /// mostly, have run.
    private static let sessionWarmUp = Interval.seconds(20)
    private static let longestArrival = Interval.minutes(2)
    /// Flush intervals below this are as good as none.
    private static let shortestUnit = Interval.milliseconds(100)
    /// After the last arrival, on the way to the limit and at most.
    private static let settling = Interval.seconds(1)
    private static let longestSettling = Interval.seconds(20)

    init(_ document: ScenarioDocument, scaling: CapacityReport.Scaling) {
        base = document
        self.scaling = scaling
        flushInterval = document.populations.map(\.system.common.uploadInterval).max() ?? .zero
        hasSessions = document.populations.contains(where: \.hasSessions)
        let unit = max(flushInterval, Self.shortestUnit)
        let rounds = (Self.shortestArrival.nanoseconds + unit.nanoseconds - 1) / unit.nanoseconds
        arrival = min(unit * max(1, rounds), Self.longestArrival)
        let isSteady = document.populations.contains { !$0.hasSessions }
        let arrived = isSteady ? (arrival + Self.settling).roundedUpToSeconds : .zero
        shortWarmUp = max(hasSessions ? Self.sessionWarmUp : .zero, arrived)
        // A launch is as much work as some uploads: where all come within one interval, what it left behind has
        // another one to pass.
        let settling = min(flushInterval, Self.longestSettling)
        warmUp = hasSessions || rounds > 1 ? shortWarmUp : shortWarmUp + settling.roundedUpToSeconds
        if flushInterval > Self.longestArrival {
            warnings.append(
                "Devices upload every \(flushInterval.text), but a step warms up for \(warmUp.text): "
                    + "the load in its window is not a steady one.")
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

    /// Whether the timeline says something of remote configuration all the time.
    private var hasConfiguration: Bool {
        base.timeline.contains {
            if case .remoteConfig = $0.change { isCondition($0) } else { false }
        }
    }

    /// The devices of a load.
    func devices(_ load: Double) -> Int {
        scaling == .devices ? Int(load.rounded()) : base.deviceCount
    }

    /// What is played before the window of a step.
    func warmUp(_ purpose: CapacitySearch.Purpose) -> Interval {
        purpose == .climb || purpose == .descend ? shortWarmUp : warmUp
    }

    /// The scenario at a load.
    ///
    /// - Parameter warmUp: What is played before the window; by default the longer one.
    /// - Parameter trial: Which users: those of the scenario's seed (0), or of one after it.
    func document(load: Double, window: Interval, warmUp: Interval? = nil, trial: Int = 0)
        -> ScenarioDocument
    {
        var document = base
        document.seed = base.seed &+ UInt64(trial)
        document.duration = (warmUp ?? self.warmUp) + window
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
            if !document.populations[index].hasSessions, !hasConfiguration {
                document.populations[index].system.dropConfiguration()
            }
            document.populations[index].comeIn(
                over: document.populations[index].hasSessions
                    ? document.duration : spread(arrival, over: counts[index]))
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
    /// Whether its users come and go, instead of acting at a set rate.
    var hasSessions: Bool { persona.steadyRate == nil }

    /// Lets its users come in evenly over a time. Those with sessions open the app as they do, and at moments of
    /// chance where the scenario wants them to.
    fileprivate mutating func comeIn(over time: Interval) {
        arrival = ArrivalSchedule(over: time, isRandom: hasSessions && arrival.isRandom)
        if hasSessions { persona.opensAtArrival = true }
    }

    /// Whether the scenario says how much the population offers.
    var hasSetRate: Bool { wantedRate != nil || persona.steadyRate != nil }
}

extension SystemRules {
    /// Lets devices fetch no configuration.
    ///
    /// They do so at a launch, so at a set rate it is no part of a steady load. A fetch that fails while all launch is
    /// tried again half a minute later, and an upload comes with it: a wave of work in the midst of the window.
    fileprivate mutating func dropConfiguration() {
        guard case .sensors(var rules) = self else { return }
        rules.remoteConfig.enabled = false
        self = .sensors(rules)
    }
}
