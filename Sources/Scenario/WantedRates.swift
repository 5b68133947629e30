import AppModel
package import CollectorModel
package import DeviceSDK
import Timebase

/// Tells how many events a population's SDK captures for each that ``DeviceSDK/PopulationPlan/weight(_:)`` lets expect,
/// before a collector that reads what it sends.
package typealias CaptureShare = (PopulationPlan, RunSchedule, CollectorPlan) -> Double

extension ScenarioDocument {
    /// How often a tempo is corrected at most, and what is good enough, as a share of the rate.
    private static let corrections = 4
    private static let tolerance = 0.005
    /// Actions of users that are looked at for a correction, at most.
    private static let actionBudget = 2_000_000

    /// Sets the tempo, or the steady rate, of each population that is to have a certain mean rate of events.
    ///
    /// - Parameter share: What its SDK makes of what users do.
    package mutating func applyWantedRates(_ share: CaptureShare) {
        for index in populations.indices {
            guard let rate = populations[index].wantedRate else { continue }
            let plan = plans(start: simulatedStart).populations[index]
            guard let tempo = UserForecast.tempo(forRate: rate, of: plan.forecastUsers, weight: plan.weight)
            else {
                warnings.append(
                    ScenarioWarning(
                        pointer: "/populations/\(index)/rate",
                        text:
                            "no pace of this persona gives \(rate) events/s in \(duration.text); its own pace is kept"
                    ))
                continue
            }
            populations[index].persona.setTempo(tempo)
            // A rate that is steady at all hours is exact; only what apps capture when they start is not in it.
            if plan.persona.steadyRate == nil || plan.week != nil {
                correctTempo(ofPopulation: index, to: rate, share)
            }
        }
    }

    /// Brings the tempo that a sample of the users let expect to what all of them do, and to what their SDK makes of it.
    private mutating func correctTempo(ofPopulation index: Int, to rate: Double, _ share: CaptureShare) {
        let wanted = rate * duration.fractionalSeconds
        for _ in 0..<ScenarioDocument.corrections {
            let plans = plans(start: simulatedStart)
            let plan = plans.populations[index]
            let users = UserForecast(
                of: plan.forecastUsers, sample: plan.deviceCount, budget: ScenarioDocument.actionBudget,
                weight: plan.weight)
            let captured = users.total * share(plan, plans.schedule, CollectorPlan().reading(plan))
            let factor = wanted / captured
            guard captured > 0, abs(factor - 1) > ScenarioDocument.tolerance,
                UserForecast.tempoRange.contains(populations[index].persona.tempo * factor)
            else { return }
            populations[index].persona.quicken(by: factor)
        }
    }
}
