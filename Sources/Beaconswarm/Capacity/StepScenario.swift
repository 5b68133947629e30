import AppModel
import CollectorModel
import DeviceSDK
import Reporting
import Scenario
import SensorsSDK
import Timebase

/// One load, to be played once.
struct StepPlan: Sendable {
    /// From 1; 0 for what is played before the search, to learn what a load offers.
    var number: Int
    var purpose: CapacitySearch.Purpose
    var load: Double
    var warmUp: Interval
    var window: Interval
    /// The number of the first device: no id comes twice to a target.
    var firstDevice: UInt32
    /// The scenario at this load, as long as the step.
    var document: ScenarioDocument

    /// What it is called while it is played.
    var title: String { number > 0 ? "step \(number)" : "before the first step" }

    /// Why the memory does not hold its devices, as a sentence; `nil` if it does.
    ///
    /// - Parameters:
    ///   - connections: The most that may be open at once; `nil` in virtual time.
    ///   - controlsCollector: Whether the step's collector does what the timeline says of it.
    func memoryShortage(connections: Int?, controlsCollector: Bool) -> String? {
        guard Room.isNeeded(for: document) else { return nil }
        let forecast = Forecast(document, controlsCollector: controlsCollector)
        return Room.shortage(forecast, connections: connections).map { "\($0): the step was not played." }
    }
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
    /// How users come in next to the limit.
    private let opening: Opening
    /// The same on the way there, where a step that breaks while launches are felt is played again.
    private let shortOpening: Opening
    /// The longest flush interval of the populations.
    let flushInterval: Interval
    /// Whether some users have sessions.
    let hasSessions: Bool
    /// What is left out of the scenario, and other things to know.
    private(set) var warnings: [String] = []

    /// What is played before the window.
    private struct Opening: Sendable {
        /// Over which users at a set rate arrive: whole flush intervals, so that uploads are spread evenly.
        var arrival: Interval
        /// The whole time before the window.
        var warmUp: Interval
    }

    /// Users arrive over at least this time: a launch is more work than an upload, by some three quarters of one
    /// in its first two seconds. Next to the limit that has to be little beside the uploads of those who are there.
    private static let shortestArrival = Interval.seconds(10)
    private static let shortestArrivalOnTheWay = Interval.seconds(4)
    /// Before anything is asked of users with sessions: launches go on all the time, and the first timers, of 15 s
    /// mostly, have run.
    private static let sessionWarmUp = Interval.seconds(20)
    private static let longestArrival = Interval.minutes(2)
    /// Flush intervals below this are as good as none.
    private static let shortestUnit = Interval.milliseconds(100)
    /// After the last arrival: a queue that launches filled has this time to empty, and what was turned away to be
    /// tried again. Next to the limit that is one flush interval, within bounds.
    private static let backlogTimeOnTheWay = Interval.seconds(1)
    private static let shortestBacklogTime = Interval.seconds(5)
    private static let longestBacklogTime = Interval.seconds(20)

    init(_ document: ScenarioDocument, scaling: CapacityReport.Scaling) {
        base = document
        self.scaling = scaling
        flushInterval = document.populations.map(\.system.uploadInterval).max() ?? .zero
        hasSessions = document.populations.contains(where: \.hasSessions)
        let hasSetRate = document.populations.contains { !$0.hasSessions }
        let backlogTime = min(max(flushInterval, Self.shortestBacklogTime), Self.longestBacklogTime)
        let (flushInterval, hasSessions) = (flushInterval, hasSessions)
        func opening(over least: Interval, backlogTime: Interval) -> Opening {
            let arrival = Self.arrival(flushInterval, over: least)
            let arrived = hasSetRate ? (arrival + backlogTime).roundedUpToSeconds : .zero
            return Opening(arrival: arrival, warmUp: max(hasSessions ? Self.sessionWarmUp : .zero, arrived))
        }
        shortOpening = opening(over: Self.shortestArrivalOnTheWay, backlogTime: Self.backlogTimeOnTheWay)
        // Users with sessions launch all the time: there is nothing to wait for.
        self.opening = opening(
            over: Self.shortestArrival, backlogTime: hasSessions ? Self.backlogTimeOnTheWay : backlogTime)
        if flushInterval > Self.longestArrival {
            warnings.append(
                "Devices upload every \(flushInterval.text), but a step warms up for \(self.opening.warmUp.text): "
                    + "the load in its window is not a steady one.")
        }
        if let from = document.measureFrom {
            warnings.append("measureFrom \(from.text): left out, since each step has a warm-up of its own.")
        }
        warnings += document.timeline.filter { !isCondition($0) }.map {
            "\($0.pointer): left out, since a step is a steady load: \($0.text)"
        }
    }

    /// Whether an entry of the timeline holds all the time.
    private func isCondition(_ entry: TimelineEntry) -> Bool {
        switch entry.change {
        case .push, .rollOut: return false
        default: return entry.at <= .zero && (entry.until ?? base.duration) >= base.duration
        }
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
        opening(purpose).warmUp
    }

    private func opening(_ purpose: CapacitySearch.Purpose) -> Opening {
        purpose == .climb || purpose == .descend ? shortOpening : opening
    }

    /// The time over which users at a set rate arrive: whole flush intervals.
    private static func arrival(_ flushInterval: Interval, over least: Interval) -> Interval {
        let unit = max(flushInterval, shortestUnit)
        let rounds = (least.nanoseconds + unit.nanoseconds - 1) / unit.nanoseconds
        return min(unit * max(1, rounds), longestArrival)
    }

    /// The scenario at a load.
    ///
    /// - Parameters:
    ///   - purpose: What it is played for: that decides how its users come in.
    ///   - trial: Which users: those of the scenario's seed (0), or of one after it.
    func document(
        load: Double, window: Interval, purpose: CapacitySearch.Purpose, trial: Int = 0
    ) -> ScenarioDocument {
        let opening = opening(purpose)
        var document = base
        document.seed = base.seed &+ UInt64(trial)
        document.measureFrom = nil
        document.duration = opening.warmUp + window
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
            if scaling == .rate { document.populations[index].persona.quicken(by: load) }
            document.populations[index].activity = nil
            document.populations[index].week = nil
            document.populations[index].rollOuts = []
            if !document.populations[index].hasSessions, !hasConfiguration {
                document.populations[index].dropConfiguration()
            }
            document.populations[index].comeIn(
                over: document.populations[index].hasSessions
                    ? document.duration : spread(opening.arrival, over: counts[index]))
        }
        return document
    }
}

extension StepScenario {
    /// The time over which so many devices arrive, so that no two of them upload at the same moment.
    ///
    /// Devices that arrive evenly over k flush intervals would meet k at a time, where their number has a
    /// divisor in common with k; a few slots are left empty at the end, until it has none.
    private func spread(_ arrival: Interval, over devices: Int) -> Interval {
        let unit = max(flushInterval, Self.shortestUnit)
        let rounds = Int(arrival.nanoseconds / unit.nanoseconds)
        guard rounds > 1 else { return arrival }
        var slots = devices
        while Self.greatestCommonDivisor(slots, rounds) > 1 { slots += 1 }
        return .fractional(seconds: arrival.fractionalSeconds * Double(devices) / Double(slots))
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
        startsInSteadyState = false
        if hasSessions { persona.opensAtArrival = true }
    }

    /// Whether the scenario says how much the population offers.
    var hasSetRate: Bool { wantedRate != nil || persona.steadyRate != nil }
}

extension ScenarioPopulation {
    /// Lets devices fetch no configuration.
    ///
    /// They do so at a launch, so at a set rate it is no part of a steady load. A fetch that fails while all launch is
    /// tried again half a minute later, and an upload comes with it: a wave of work in the midst of the window.
    fileprivate mutating func dropConfiguration() {
        guard var rules = system as? SensorsRules else { return }
        rules.remoteConfig.enabled = false
        system = rules
    }
}
