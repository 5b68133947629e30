package import Measurement
import Rendering
package import Timebase

/// What a search for a capacity came to: the one value that its text, JSON, picture and tables are
/// written from.
package struct CapacityReport: Sendable {
    /// What grows from one load to the next.
    package enum Scaling: String, CaseIterable, Sendable {
        /// The number of devices; a load is that number.
        case devices
        /// The rate of each device; a load is a factor of the scenario's own.
        case rate
    }

    /// How the search ended.
    package enum Ending: String, CaseIterable, Sendable {
        /// A load that holds and one that breaks were found, next to each other.
        case knee
        /// The highest load allowed holds.
        case maximum
        /// Even the smallest load breaks.
        case floor
        /// The generator could not offer more.
        case generator
        /// Loads held and broke by turns.
        case unsettled
        /// The time was up; what was known by then stands.
        case time
        /// Beaconswarm ended it, to keep harm from the target: ``CapacityReport/endedBy``.
        case stopped
        /// The target could not be connected to any more.
        case unreachable
        case interrupted
    }

    package var toolVersion: String
    package var scenario: Report.ScenarioReference
    package var mode: Report.Mode
    package var seed: UInt64
    /// Wall clock.
    package var startedAt: Instant
    package var wallSeconds: Double
    package var run: Report.RunContext
    package var scaling: Scaling
    /// How far apart the two ends may be, 0…1.
    package var precision: Double
    /// What a load had to keep.
    package var conditions: [Condition]
    /// Within how many seconds the devices of a load open the app; `nil` where they act at a set rate.
    package var arrivalSeconds: Double?
    /// The time that the search had, in seconds; `nil` where that is not known.
    package var maxSeconds: Double?
    package var steps: [Step] = []
    package var ending = Ending.interrupted
    package var endedBy: Report.EarlyEnd?
    /// The highest load that is known to hold, and the lowest above it that is known to break.
    package var holds: Level?
    package var breaks: Level?
    package var exitCode: Int32 = 105
    /// What came out, a sentence each; the first is the headline.
    package var reasons: [String] = []
    package var warnings: [String] = []
    /// What the target told of itself; `nil` where nobody asked.
    package var targetMetrics: Report.TargetMetrics?

    package init(
        toolVersion: String, scenario: Report.ScenarioReference, mode: Report.Mode, seed: UInt64,
        startedAt: Instant, wallSeconds: Double = 0, run: Report.RunContext, scaling: Scaling,
        precision: Double, conditions: [Condition]
    ) {
        self.toolVersion = toolVersion
        self.scenario = scenario
        self.mode = mode
        self.seed = seed
        self.startedAt = startedAt
        self.wallSeconds = wallSeconds
        self.run = run
        self.scaling = scaling
        self.precision = precision
        self.conditions = conditions
    }

    /// A condition that every step had to keep.
    package struct Condition: Hashable, Sendable {
        /// A metric with its tag, or what stands for one.
        package var metric: String
        package var expression: String
        /// Where it is from.
        package var origin: Origin

        package enum Origin: String, CaseIterable, Sendable {
            /// The scenario.
            case scenario
            /// What is asked where the scenario asks nothing.
            case `default`
            /// What makes a load a steady one.
            case steadiness
        }

        package init(metric: String, expression: String, origin: Origin) {
            self.metric = metric
            self.expression = expression
            self.origin = origin
        }
    }

    /// A load with the means over its trials that went the same way.
    package struct Level: Hashable, Sendable {
        package var load: Double
        package var devices: Int
        package var trials: Int
        /// All trials that the load had.
        package var trialsInAll: Int
        /// Per second, as in ``Step``.
        package var requestsOffered: Double
        package var requestsAnswered: Double
        package var eventsOffered: Double
        package var eventsDelivered: Double
        /// Milliseconds; 0 without samples.
        package var durationP99: Double
        package var freshnessP95: Double
    }

    /// One load, played once.
    package struct Step: Sendable {
        package enum Verdict: String, CaseIterable, Sendable {
            case held, broke
            /// The generator could not keep its schedule: nothing is known of the target.
            case generatorLimited = "generator_limited"
            /// The search was interrupted meanwhile.
            case cut
            /// Nobody could be connected to afterwards: nothing is known of what the target holds.
            case unreachable
        }

        /// From 1.
        package var number: Int
        /// Why this load was played: climb, descend, bisect, confirm, recheck, repeat.
        package var purpose: String
        package var load: Double
        package var devices: Int
        /// Whose users it had.
        package var seed: UInt64 = 0
        package var warmUpSeconds: Double
        /// The length of the window in which everything below was measured.
        package var windowSeconds: Double
        package var verdict = Verdict.cut
        /// Why the verdict is what it is; empty where the load held.
        package var reasons: [String] = []
        package var thresholds: [Report.ThresholdResult] = []
        /// Uploads answered in the window.
        package var requests: UInt64 = 0
        /// Per second: uploads whose planned start lay in the window, retries among them; and those that
        /// ended in it, with an answer or without.
        package var requestsOffered = 0.0
        package var requestsAnswered = 0.0
        package var retries = 0.0
        /// Per second: events captured, and events acknowledged for the first time.
        package var eventsOffered = 0.0
        package var eventsDelivered = 0.0
        /// Milliseconds.
        package var duration = TrendSummary()
        package var freshness = TrendSummary()
        /// 0…1; `nil` without samples.
        package var failed: Double?
        package var lost: Double?
        /// Rows per second by which the devices' stores grew.
        package var storesGrow = 0.0
        /// The same beyond what the users store with a collector without limits; `nil` where nobody had to know.
        package var storesGrowBeyond: Double?
        /// The generator's own lag at p(99), milliseconds.
        package var lagP99 = 0.0
        /// Whether it held by so little, with the load's other trials, that the load may not hold again.
        package var isClose = false
        /// What to know of the step besides.
        package var notes: [String] = []

        package init(
            number: Int, purpose: String, load: Double, devices: Int, warmUpSeconds: Double,
            windowSeconds: Double
        ) {
            self.number = number
            self.purpose = purpose
            self.load = load
            self.devices = devices
            self.warmUpSeconds = warmUpSeconds
            self.windowSeconds = windowSeconds
        }

        /// Whether its figures say something of a target.
        var isOfTarget: Bool {
            switch verdict {
            case .held, .broke: true
            // One that the machine's memory did not hold was not played.
            case .generatorLimited: requestsOffered > 0
            case .cut, .unreachable: false
            }
        }

        /// What a reason is about: the condition that it says to be broken, else its words before the first figure.
        fileprivate func subject(of reason: String) -> String {
            let condition = thresholds.first { !$0.ok && VerdictRules.tells(reason, of: $0) }
            return condition.map { "\($0.metric) \($0.expression)" }
                ?? String(reason.prefix { !"0123456789".contains($0) })
        }

        /// Takes the figures that metrics tell.
        ///
        /// - Parameter metrics: Those of the window, all populations together.
        package mutating func take(_ metrics: [Metric]) {
            retries = metrics.counter("retries")?.perSecond ?? 0
            duration = metrics.trend("http_req_duration") ?? TrendSummary()
            freshness = metrics.trend("event_freshness") ?? TrendSummary()
            failed = metrics.rate("http_req_failed")?.share
            lost = metrics.rate("events_lost")?.share
        }
    }
}

extension CapacityReport {
    /// The trials of a load that went the given way, taken together; `nil` if there is none.
    package func level(_ load: Double, _ verdict: Step.Verdict) -> Level? {
        let all = steps.filter { $0.load == load && ($0.verdict == .held || $0.verdict == .broke) }
        let like = all.filter { $0.verdict == verdict }
        guard let first = like.first else { return nil }
        let seconds = like.reduce(0) { $0 + $1.windowSeconds }
        func mean(_ value: (Step) -> Double) -> Double {
            seconds > 0 ? like.reduce(0) { $0 + value($1) * $1.windowSeconds } / seconds : 0
        }
        return Level(
            load: load, devices: first.devices, trials: like.count, trialsInAll: all.count,
            requestsOffered: mean(\.requestsOffered), requestsAnswered: mean(\.requestsAnswered),
            eventsOffered: mean(\.eventsOffered), eventsDelivered: mean(\.eventsDelivered),
            durationP99: mean(\.duration.p99), freshnessP95: mean(\.freshness.p95))
    }

    /// Sets the loads that hold and break.
    ///
    /// What is offered at the load that breaks is told in proportion to the load that holds: an overloaded target gets
    /// fewer requests, or more, than its users would send to one that keeps up, and neither is a measure of the load.
    /// So the one is above the other in every unit.
    package mutating func setLevels(holds low: Double?, breaks high: Double?) {
        holds = low.flatMap { level($0, .held) }
        breaks = high.flatMap { level($0, .broke) ?? level($0, .held) }
        guard let holds, let high, holds.load > 0 else { return }
        breaks?.requestsOffered = holds.requestsOffered * (high / holds.load)
        breaks?.eventsOffered = holds.eventsOffered * (high / holds.load)
    }

    /// What broke at the lowest load that breaks, each once, in the order of the conditions.
    package var brokeFirst: [String] {
        guard let breaks else { return [] }
        var told: Set<String> = []
        // Figures differ from trial to trial: the first tells for all.
        return steps.filter { $0.load == breaks.load && $0.verdict == .broke }
            .flatMap { step in step.reasons.filter { told.insert(step.subject(of: $0)).inserted } }
    }

    /// The command that repeats the search, with the seed made plain.
    var repeatCommand: ShellCommand { run.repeatCommand(seed: seed, verb: "capacity") }

    /// The command that plays the load that holds, and no other; `nil` where none is known.
    var playCommand: ShellCommand? {
        guard let load = holds?.load else { return nil }
        var context = run
        var words: [String] = []
        var skips = false
        for word in context.command {
            let isBound = ["--from", "--max"].contains(word)
            let hasValue = ["--from=", "--max="].contains { word.hasPrefix($0) }
            if !skips, !isBound, !hasValue { words.append(word) }
            skips = isBound && !skips
        }
        let text = Numbers.plain(load)
        context.command = words.isEmpty ? [] : words + ["--from", text, "--max", text]
        return words.isEmpty ? nil : context.repeatCommand(seed: seed, verb: "capacity")
    }
}
