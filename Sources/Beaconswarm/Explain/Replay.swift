import Accounting
import CollectorModel
import DeviceSDK
import Generation
import Measurement
import Scenario
import Synchronization
import Timebase
import VirtualEngine
import World

/// Plays a simulation again for one device, and tells what happened on it.
///
/// A device's life does not depend on the other devices unless they share something: a modelled server with a queue. Without one it
/// is played alone. The ends of users and drain, which may depend on all devices, are those that the run had.
struct Replay {
    let scenario: LoadedScenario
    let plans: ScenarioPlans
    let record: ReplayRecord

    /// What happened on a device, in order.
    ///
    /// - Parameter drainEnd: When the run's drain was over.
    /// - Throws: ``CommandFailure`` if the files of devices that store in files cannot be made.
    func trace(of device: UInt32, drainEnd: Instant) throws(CommandFailure) -> [TraceStep] {
        let stores = try RunStores(ofSimulated: scenario)
        defer { stores.removeIfTemporary() }
        var plans = plans
        plans.take(UploadSizes(of: scenario.document))
        var configuration = VirtualConfiguration(plans)
        configuration.playsWholeDrain = true
        configuration.schedule.drain = drainEnd - (record.usersStoppedAt ?? plans.schedule.usersEnd)
        let book = TraceBook(device)
        if !plans.hasSharedQueue { configuration.plans = [plans.populations.plan(ofDevice: device)] }
        let fleets = configuration.plans.map { plan in
            var share = ShardShare.whole
            if !plans.hasSharedQueue {
                share = ShardShare(index: Int(device - plan.firstDevice), count: plan.deviceCount)
            }
            return TracingFleet.tracing(
                [device], of: stores.fleetFactory(plan, share), listener: { book.note($1, of: $0) })
        }
        var observer = Observer(usersStoppedAt: record.usersStoppedAt)
        _ = runVirtually(
            configuration, fleets: fleets, observer: &observer, arrivals: Arrivals(book))
        return book.steps
    }

    /// Ends the users' part where the run's was ended.
    private struct Observer: VirtualObserver {
        let usersStoppedAt: Instant?

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            usersStoppedAt.map { now < $0 } ?? true
        }
    }

    /// Hears what the collector stores of the device, and what it only says to have stored.
    private final class Arrivals: ArrivalObserver {
        private let book: TraceBook

        init(_ book: TraceBook) { self.book = book }

        func stored(_ upload: StoredUpload) {
            book.note(TraceStep(at: upload.at, .stored(upload: upload.request)), of: upload.device)
        }

        func passed(_ upload: PassedUpload) {
            let step = TraceStep.What.notKept(upload: upload.request, isDryRun: upload.reason == .dryRun)
            book.note(TraceStep(at: upload.at, step), of: upload.device)
        }
    }
}

/// The steps of one device, as they come.
final class TraceBook: Sendable {
    private let device: UInt32
    private let kept = Mutex<[TraceStep]>([])

    init(_ device: UInt32) { self.device = device }

    var steps: [TraceStep] { kept.withLock { $0 } }

    func note(_ step: TraceStep, of device: UInt32) {
        guard device == self.device else { return }
        kept.withLock { $0.append(step) }
    }
}
