import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK

/// Drives one device of any system, whose user, network and collector are the test itself.
///
/// Every step says when it happens, in seconds since the run's start; timers due before are fired first.
/// What the device asks for is collected: open requests in order, and the fates of events, each of which may
/// be sealed once only. What else is worth keeping of a request, a subclass notes in ``began(_:)``.
class DeviceDriver<System: TrackingSystem> {
    static var number: UInt32 { 17 }

    let start: Instant
    var system: System
    var device: System.Device
    private var disks: DiskTimers
    private(set) var open: [OutgoingRequest] = []
    /// All requests that the device began.
    private(set) var requests: [OutgoingRequest] = []
    private(set) var fates: [UInt32: SealedEvent] = [:]
    private(set) var deaths = 0
    private(set) var now: Instant

    init(_ plan: PopulationPlan, _ make: (PopulationPlan) -> System) {
        start = plan.start
        now = plan.start
        disks = DiskTimers(plan: plan, share: .whole, count: 1)
        system = make(plan)
        device = system.makeDevice(index: 0, slot: 0, number: Self.number)
        step { system.arrive(&device, effects: &$0) }
    }

    /// The device has begun a request, which is open now.
    func began(_ request: OutgoingRequest) {}

    func time(_ seconds: Double) -> Instant {
        start + Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Fires what is due up to and with a moment.
    func run(to seconds: Double) {
        let end = time(seconds)
        while min(device.nextDue, disks[0]) <= end {
            let isDisk = disks[0] <= device.nextDue
            now = isDisk ? disks[0] : device.nextDue
            if isDisk { changeDisk() } else { step { system.fireTimer(of: &device, at: now, effects: &$0) } }
        }
        now = max(now, end)
    }

    /// What happens to the disk comes before everything else of its moment.
    private func changeDisk() {
        for change in disks.takeChanges(of: 0, through: now) {
            step { system.changeDisk(of: &device, change, effects: &$0) }
        }
    }

    /// Lets things happen at a moment, in order: what the app does comes out of the action before it. Timers
    /// due at that very moment come after.
    func act(_ seconds: Double, _ actions: UserAction...) {
        let moment = time(seconds)
        if moment > now { run(to: seconds - 1e-9) }
        now = moment
        changeDisk()
        for (index, action) in actions.enumerated() {
            let next = index + 1 < actions.count ? actions[index + 1] : nil
            let planned = PlannedAction(at: now, action: action, isAnswered: next?.isOfApp ?? false)
            step { system.perform(planned, on: &device, effects: &$0) }
        }
    }

    /// The app is deleted. Should it be installed again, its next start is that of another installation.
    func uninstall(at seconds: Double) {
        run(to: seconds)
        step {
            system.uninstall(&device, index: 0, slot: 0, number: Self.number, at: now, effects: &$0)
        }
    }

    func setNetwork(_ kind: NetworkKind, at seconds: Double) {
        run(to: seconds)
        step { system.setNetwork(kind, of: &device, at: now, effects: &$0) }
    }

    /// Answers the oldest open upload, or the one with the given number.
    func answer(_ status: UInt16, at seconds: Double, upload: UInt32? = nil) {
        end(.upload, upload, with: .answered(status: status, body: []), at: seconds)
    }

    func fail(_ failure: RequestFailure, at seconds: Double, upload: UInt32? = nil) {
        end(.upload, upload, with: .failed(failure), at: seconds)
    }

    func answerFetch(_ status: UInt16, _ body: String = "", at seconds: Double) {
        end(.config, nil, with: .answered(status: status, body: Array(body.utf8)), at: seconds)
    }

    func end(
        _ kind: RequestNumber.Kind, _ number: UInt32?, with outcome: RequestOutcome, at seconds: Double
    ) {
        end(with: outcome, at: seconds) {
            $0.number.kind == kind && (number == nil || $0.number.number == number)
        }
    }

    /// Ends the oldest open request of those meant.
    func end(with outcome: RequestOutcome, at seconds: Double, where isMeant: (OutgoingRequest) -> Bool) {
        run(to: seconds)
        guard let index = open.firstIndex(where: isMeant) else {
            Issue.record("no such request is open")
            return
        }
        let request = open.remove(at: index)
        step { system.complete(request.number, of: &device, outcome: outcome, at: now, effects: &$0) }
    }

    /// The head and the body of an open request, as they would leave now.
    func encoded(_ request: OutgoingRequest) -> (head: RequestHead, body: WireBuffer) {
        var body = WireBuffer()
        let head = system.encode(request.number, of: &device, at: now, into: &body)
        return (head, body)
    }

    func finish() { step { system.finish(&device, effects: &$0) } }

    private func step(_ body: (inout DeviceEffects) -> Void) {
        var effects = DeviceEffects()
        body(&effects)
        for slot in effects.died {
            #expect(slot == 0)
            deaths += 1
            open = []
        }
        for event in effects.sealed {
            #expect(event.id.device == Self.number)
            #expect(fates[event.id.sequence] == nil, "event \(event.id.sequence) is sealed twice")
            fates[event.id.sequence] = event
        }
        for request in effects.requests {
            open.append(request)
            requests.append(request)
            began(request)
        }
    }
}

extension DeviceDriver {
    var openUploads: [UInt32] { open.filter { $0.number.kind == .upload }.map(\.number.number) }

    func fate(_ sequence: UInt32) -> Disposition? { fates[sequence]?.disposition }

    /// The sequences that ended in a way.
    func sequences(_ disposition: Disposition) -> [UInt32] {
        fates.values.filter { $0.disposition == disposition }.map(\.id.sequence).sorted()
    }

    /// Names of the events that ended in a way, in their order.
    func names(_ disposition: Disposition) -> [String] { labels(disposition).map(\.name) }

    /// Their types.
    func types(_ disposition: Disposition) -> [String] { labels(disposition).map(\.type) }

    private func labels(_ disposition: Disposition) -> [EventLabel] {
        sequences(disposition).compactMap { fates[$0] }.map { system.labels[Int($0.label)] }
    }

    /// Seconds since the start at which the uploads were planned.
    var plannedSeconds: [Double] {
        requests.filter { $0.number.kind == .upload }.map { ($0.plannedAt - start).fractionalSeconds }
    }
}

extension UserAction {
    /// Whether the app's own code does it, and not its user or the system.
    fileprivate var isOfApp: Bool {
        switch self {
        case .business, .web, .profile, .item, .beginTimed, .registerSuperProperties: true
        default: false
        }
    }
}
