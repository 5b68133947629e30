import AppModel
import DeviceSDK
import Timebase

extension ScenarioDocument {
    /// How often a tempo is corrected at most, and what is good enough, as a share of the rate.
    private static let corrections = 3
    private static let tolerance = 0.005
    /// Actions of users that are looked at for a correction, at most.
    private static let actionBudget = 2_000_000

    /// Sets the tempo, or the steady rate, of each population that is to have a certain mean rate of events.
    ///
    /// Events are those that an SDK with all its hooks on captures (``DeviceSDK/PopulationPlan/weight(_:)``): so the tempo
    /// hangs on the users alone, and whoever compares SDKs, or settings of one, compares them under the same users.
    package mutating func applyWantedRates() {
        guard populations.contains(where: { $0.wantedRate != nil }) else { return }
        for var plan in plans(start: simulatedStart).populations {
            let index = plan.index
            guard let rate = populations[index].wantedRate else { continue }
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
            if plan.persona.steadyRate != nil, tempo == UserForecast.tempoRange.lowerBound {
                warnings.append(
                    ScenarioWarning(
                        pointer: "/populations/\(index)/rate",
                        text: "what bots do is more than \(rate) events/s; the people do next to nothing"))
            }
            plan.persona.setTempo(tempo)
            // A rate that is steady at all hours is exact; only what apps capture when they start is not in it.
            if plan.persona.steadyRate == nil || plan.week != nil {
                correctTempo(of: &plan, to: rate)
            }
            populations[index].persona = plan.persona
        }
    }

    /// Brings the tempo that a sample of the users let expect to what all of them do.
    ///
    /// Sessions come whole, so that the rate is not steady in the tempo: the best of those that were tried is kept.
    private func correctTempo(of plan: inout PopulationPlan, to rate: Double) {
        let wanted = rate * duration.fractionalSeconds
        var best = (persona: plan.persona, miss: Double.infinity)
        for _ in 0...ScenarioDocument.corrections {
            let users = UserForecast(
                of: plan.forecastUsers, sample: plan.deviceCount, budget: ScenarioDocument.actionBudget,
                weight: plan.weight)
            let factor = wanted / users.total
            let miss = max(factor, 1 / factor) - 1
            if miss < best.miss { best = (plan.persona, miss) }
            guard miss > ScenarioDocument.tolerance, users.total > 0,
                UserForecast.tempoRange.contains(plan.persona.tempo * factor)
            else { break }
            plan.persona.quicken(by: factor)
        }
        plan.persona = best.persona
    }
}
