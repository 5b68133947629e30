import Accounting
import DeviceSDK
import Measurement
import Scenario
import Timebase
import VirtualEngine

/// Plays loads in virtual time, against the collector that the scenario's conditions describe.
struct VirtualStepPlayer: Sendable {
    let interruption: Interruption

    func play(_ plan: StepPlan) throws(CommandFailure) -> StepMeasurement {
        let start = plan.document.start ?? ScenarioDocument.virtualStart
        let plans = plan.plans(start: start, port: nil, controlsCollector: true)
        let configuration = VirtualConfiguration(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector)
        var observer = Observer(interruption: interruption)
        let result = runVirtually(
            configuration, fleets: plans.populations.map { makeFleet(plan: $0, share: .whole) },
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
        let interruption: Interruption
        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { !interruption.isRequested }
        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            interruption.isRequested ? .end : .goOn
        }
    }
}
