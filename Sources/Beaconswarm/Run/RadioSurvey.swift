import DeviceSDK
import Generation
import Reporting
import Scenario
import Timebase
import World

/// Finds out which radios a fleet's devices were on over the time of a run.
///
/// A device's way from radio to radio is a function of its stream alone, so it is drawn anew from the scenario when the
/// run is over: no engine has to keep it, and both worlds, and runs in parts, are told the same.
struct RadioSurvey: Sendable {
    private let document: ScenarioDocument

    /// The most moments that are told of, beside the start.
    private static let momentLimit = 120
    /// The most devices of a population that are looked at.
    private static let deviceLimit = 2000
    /// About the most changes of a radio that are drawn for a population: what takes some tenths of a second.
    private static let changeLimit = 2_000_000.0

    /// Makes a survey; `nil` where no device changes its radio by itself.
    init?(_ document: ScenarioDocument) {
        guard document.populations.contains(where: { $0.network.chain != nil }) else { return nil }
        self.document = document
    }

    /// The shares at evenly spaced moments.
    ///
    /// - Parameters:
    ///   - start: Of the run.
    ///   - length: How long it was.
    func shares(from start: Instant, for length: Interval) -> Report.RadioShares {
        let plans = document.plans(start: start)
        let moments = RadioSurvey.moments(length)
        var sums = Array(
            repeating: Array(repeating: 0.0, count: moments.count), count: NetworkKind.allCases.count)
        var result = Report.RadioShares()
        for plan in plans.populations where plan.deviceCount > 0 {
            let count = RadioSurvey.sample(of: plan, for: length)
            result.devices += count
            let weight = Double(plan.deviceCount) / Double(count)
            for rank in 0..<count {
                // Evenly spread: with all of a population, each once.
                let index = rank * plan.deviceCount / count
                var trace = RadioTrace(plan, index: index, schedule: plans.schedule)
                for (number, moment) in moments.enumerated() {
                    sums[Int(trace.kind(at: start + moment).rawValue)][number] += weight
                }
            }
        }
        let devices = plans.populations.reduce(0.0) { $0 + Double($1.deviceCount) }
        result.seconds = moments.map(\.fractionalSeconds)
        result.radios = NetworkKind.allCases.compactMap { kind in
            let own = sums[Int(kind.rawValue)]
            guard own.contains(where: { $0 > 0 }) else { return nil }
            return .init(kind.name, shares: own.map { ($0 / devices * 10_000).rounded() / 10_000 })
        }
        return result
    }

    /// From the start on, up to the end.
    private static func moments(_ length: Interval) -> [Interval] {
        let count = Int64(momentLimit)
        return (0...count).map { Interval(nanoseconds: length.nanoseconds / count * $0) }
    }

    /// How many devices of a population are looked at: fewer where they change their radio often.
    private static func sample(of plan: PopulationPlan, for length: Interval) -> Int {
        let days = length.fractionalSeconds / 86_400
        let changes = max(1, days * (plan.network.chain?.changesPerDay ?? 0))
        return min(plan.deviceCount, max(100, min(deviceLimit, Int(changeLimit / changes))))
    }
}
