import Accounting
import AppModel
import DeviceSDK
import Measurement
import Rendering
import Scenario
import Timebase

/// What an SDK makes of a `rate`, where that is another one: not every SDK takes note of the same.
enum RateWarnings {
    /// Nothing is said of less than this, as a share of the rate.
    private static let tolerance = 0.05
    /// Steps of the engine for a population.
    private static let stepLimit = 60_000

    /// A warning for each population whose SDK captures clearly more or fewer events than its users' actions make.
    ///
    /// A few devices of each are played, so it takes some tenths of a second for each population with a `rate`.
    static func of(_ document: ScenarioDocument) -> [ScenarioWarning] {
        guard document.populations.contains(where: { $0.wantedRate != nil }) else { return [] }
        let plans = document.plans(start: document.simulatedStart)
        return plans.populations.compactMap { plan in
            guard let rate = document.populations[plan.index].wantedRate else { return nil }
            let share = share(of: plan, plans.schedule)
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

    /// Events that the SDK captures for each that users' actions let expect; 0 where nothing happens.
    private static func share(of plan: PopulationPlan, _ schedule: RunSchedule) -> Double {
        let users = plan.forecastUsers
        let sample = PopulationSample(
            plan, users,
            schedule: RunSchedule(start: schedule.start, duration: schedule.duration, drain: .zero),
            stepLimit: stepLimit)
        let expected = sample.slices.reduce(0) { sum, slice in
            sum + users.weight(of: slice.devices, until: slice.until, plan.weight)
        }
        return expected > 0 ? Double(sample.recorder.populations[0].ledger.captured) / expected : 0
    }
}
