import Accounting
import DeviceSDK
import Generation
import Measurement
import Reporting
import Scenario
import Timebase
import VirtualEngine

/// Plays one simulation of which only the figures are wanted: nothing is written.
struct CellRunner {
    let scenario: LoadedScenario
    let bodies: Bodies
    let control: CellControl
    /// Hears now and then how much of the users' time is over, 0…1.
    let onProgress: @Sendable (Double) -> Void

    /// - Returns: Its report; `nil` if it was ended before its time.
    /// - Throws: ``CommandFailure`` if the files of its devices cannot be made.
    func run() throws(CommandFailure) -> Report? {
        let stores = try RunStores(ofSimulated: scenario)
        defer { stores.removeIfTemporary() }
        let start = scenario.document.simulatedStart
        let sizes = UploadSizes(of: scenario.document, for: bodies)
        var plans = scenario.document.plans(start: start)
        plans.take(sizes)
        let builder = scenario.builder(
            mode: .virtual, command: [], target: Report.modelledTarget, bodies: bodies,
            marks: scenario.marks(plans), startedAt: Host.now)
        var observer = Observer(
            builder: builder, control: control, onProgress: onProgress, start: start,
            planned: scenario.document.duration)
        let result = runVirtually(
            VirtualConfiguration(plans, sizes: sizes.byReference),
            fleets: plans.populations.map { stores.fleetFactory($0, .whole) },
            observer: &observer)
        guard !control.isRequested else { return nil }
        var progress = ReportBuilder.Progress(result, of: scenario)
        progress.abortedBy = observer.abortedBy
        progress.generator.ownFailures = OwnFailures.of(devices: stores.hostFailures)
        return builder.report(progress)
    }

    private struct Observer: VirtualObserver {
        let builder: ReportBuilder
        let control: CellControl
        let onProgress: @Sendable (Double) -> Void
        let start: Instant
        let planned: Interval
        var abortedBy: Report.ThresholdResult?
        var mayEndUsers: Bool { builder.mayAbort }
        private var lastNoted = Host.monotonic

        init(
            builder: ReportBuilder, control: CellControl, onProgress: @escaping @Sendable (Double) -> Void,
            start: Instant, planned: Interval
        ) {
            self.builder = builder
            self.control = control
            self.onProgress = onProgress
            self.start = start
            self.planned = planned
        }

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            abortedBy =
                abortedBy ?? builder.abortingThreshold(recorder, elapsed: max(.zero, now - start))
            return abortedBy == nil && !control.isRequested
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            let wall = Host.monotonic
            if wall - lastNoted >= .milliseconds(500) {
                lastNoted = wall
                onProgress(min(1, (now - start).fractionalSeconds / planned.fractionalSeconds))
            }
            return control.isRequested ? .end : .goOn
        }
    }
}
