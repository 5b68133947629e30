import Accounting
import CollectorModel
import DeviceSDK
import Generation
import Measurement
import Scenario
import Timebase
import VirtualEngine
import World

/// Plays loads in virtual time, against the collector that the scenario's conditions describe, or against one
/// without limits.
struct VirtualStepPlayer: Sendable {
    let interruption: Interruption
    let console: RunConsole
    /// When the search has to be over, on the monotonic clock.
    let deadline: Interval

    /// Plays a step.
    ///
    /// - Throws: ``CommandFailure`` if nothing was measured.
    func play(_ plan: StepPlan) throws(CommandFailure) -> StepMeasurement {
        let start = plan.document.simulatedStart
        return try play(
            plan, plans: plan.plans(start: start, port: nil, controlsCollector: true), "simulated")
    }

    /// The control of a step that was simulated: where nothing limits its collector, it is its own.
    ///
    /// - Parameter measurement: What was measured of the step.
    /// - Throws: ``CommandFailure`` if nothing was measured.
    func control(
        of plan: StepPlan, played measurement: StepMeasurement
    ) throws(CommandFailure) -> StepMeasurement {
        let plans = plan.plans(start: plan.document.simulatedStart, port: nil, controlsCollector: true)
        return plans.limitsCollector ? try control(of: plan) : measurement
    }

    /// Plays the same users in the same window against a collector without limits.
    ///
    /// - Parameters:
    ///   - start: When the step began on the run's clock.
    ///   - controlsCollector: Whether the step's own collector followed the scenario's timeline.
    ///   - servesConfiguration: Whether devices that fetch their configuration get one.
    /// - Throws: ``CommandFailure`` if nothing was measured.
    func control(
        of plan: StepPlan, start: Instant? = nil, controlsCollector: Bool = true,
        servesConfiguration: Bool = true
    ) throws(CommandFailure) -> StepMeasurement {
        var plans = plan.plans(
            start: start ?? plan.document.simulatedStart, port: nil,
            controlsCollector: controlsCollector)
        plans.takeLimitsOffCollector()
        if !servesConfiguration {
            plans.collector.configs = [
                ServedConfig(from: plans.schedule.start - .hours(24), version: "0", body: [])
            ]
        }
        let what = plan.number > 0 ? "compared with" : "played against"
        return try play(plan, plans: plans, "\(what) a collector without limits")
    }

    private func play(
        _ plan: StepPlan, plans: ScenarioPlans, _ what: String
    ) throws(CommandFailure) -> StepMeasurement {
        var plans = plans
        plans.take(UploadSizes(of: plan.document))
        var observer = Observer(player: self, plan: plan, what: what, start: plans.schedule.start)
        let result = runVirtually(
            VirtualConfiguration(plans), fleets: plans.populations.map { makeFleet(plan: $0, share: .whole) },
            observer: &observer)
        guard let window = result.recorder.window else {
            throw CommandFailure(.internalError, "a step was not measured")
        }
        var measurement = StepMeasurement(window: window, series: result.recorder.series)
        measurement.balance = result.recorder.total.ledger.balance
        measurement.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: result.receipts)
        measurement.wasCut = result.stoppedAt != nil
        return measurement
    }

    private struct Observer: VirtualObserver {
        let player: VirtualStepPlayer
        let plan: StepPlan
        let what: String
        let start: Instant
        var spoken = Host.monotonic

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            let wall = Host.monotonic
            if wall - spoken > .milliseconds(200) {
                spoken = wall
                player.console.status(
                    "\(plan.title): \(Int((now - start).fractionalSeconds)) s of "
                        + "\((plan.warmUp + plan.window).text) \(what)")
            }
            return !player.interruption.isRequested && wall < player.deadline
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            player.interruption.isRequested || Host.monotonic >= player.deadline ? .end : .goOn
        }
    }
}

extension ScenarioPlans {
    /// Whether anything keeps the collector from taking and answering everything at once.
    fileprivate var limitsCollector: Bool { !collector.faults.isEmpty || server.work != nil }

    fileprivate mutating func takeLimitsOffCollector() {
        collector.faults = []
        server.work = nil
    }
}
