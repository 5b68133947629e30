import AppModel
import CollectorModel
import DeviceSDK
import Rendering
import Scenario
import Timebase
import VirtualEngine

/// What an SDK makes of a `rate`, where that is another one.
enum RateWarnings {
    /// Nothing is said of less than this, as a share of the rate.
    private static let tolerance = 0.05

    /// A warning for each population whose SDK captures clearly more or fewer events than its users' actions make.
    ///
    /// A few devices of each are played, so it takes some tenths of a second for each population with a `rate`.
    static func of(_ document: ScenarioDocument) -> [ScenarioWarning] {
        guard document.populations.contains(where: { $0.wantedRate != nil }) else { return [] }
        let plans = document.plans(start: document.simulatedStart)
        return plans.populations.compactMap { plan in
            guard let rate = document.populations[plan.index].wantedRate else { return nil }
            let share = CaptureForecast.share(
                of: plan, schedule: plans.schedule, collector: CollectorPlan().reading(plan))
            // What apps capture when they start comes on top of a steady rate, and is not in it.
            let isOff =
                plan.persona.steadyRate == nil ? abs(share - 1) > tolerance : share < 1 - tolerance
            guard isOff, share > 0 else { return nil }
            return ScenarioWarning(
                pointer: "/populations/\(plan.index)/rate",
                text:
                    "\(Numbers.short(rate)) events/s are what its users do; of that, this SDK captures about "
                    + "\(Numbers.short(rate * share)) events/s, and \(Numbers.short(rate / share)) events/s would give "
                    + "\(Numbers.short(rate))")
        }
    }
}
