import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK

/// One device of any system, whose user, network and collector are the test itself.
///
/// Every step says when it happens, in seconds since the run's start; timers due before are fired first.
/// What the device asks for is collected: open requests in order, with the bytes that they would send at
/// once, and the fates of events, each of which may be sealed once only.
final class ManualDevice<System: TrackingSystem> {
    /// An upload as it left the device.
    struct Upload {
        var request: OutgoingRequest
        var head: RequestHead
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    static var number: UInt32 { 17 }

    let start: Instant
    var system: System
    var device: System.Device
    private(set) var open: [OutgoingRequest] = []
    private(set) var fates: [UInt32: SealedEvent] = [:]
    private(set) var deaths = 0
    private(set) var uploads: [Upload] = []
    private(set) var fetches: [Upload] = []
    private(set) var now: Instant

    init(_ plan: PopulationPlan, _ make: (PopulationPlan) -> System) {
        start = plan.start
        now = plan.start
        system = make(plan)
        device = system.makeDevice(index: 0, slot: 0, number: Self.number)
        step { system.arrive(&device, effects: &$0) }
    }

    func time(_ seconds: Double) -> Instant {
        start + Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Fires what is due up to and with a moment.
    func run(to seconds: Double) {
        let end = time(seconds)
        while device.nextDue <= end {
            now = device.nextDue
            step { system.fireTimer(of: &device, at: now, effects: &$0) }
        }
        now = end
    }

    /// Lets things happen at a moment, in order. Timers due at that very moment come after.
    func act(_ seconds: Double, _ actions: UserAction...) {
        let moment = time(seconds)
        if moment > now { run(to: seconds - 1e-9) }
        now = moment
        for action in actions {
            step { system.perform(action, on: &device, at: now, effects: &$0) }
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
        run(to: seconds)
        guard
            let place = open.firstIndex(where: {
                $0.number.kind == kind && (number == nil || $0.number.number == number)
            })
        else {
            Issue.record("no such request is open")
            return
        }
        let request = open.remove(at: place)
        step { system.complete(request.number, of: &device, outcome: outcome, at: now, effects: &$0) }
    }

    /// The head and the body of an open request, as they would leave now.
    func encode(_ request: OutgoingRequest) -> Upload {
        var body = WireBuffer()
        let head = system.encode(request.number, of: &device, at: now, into: &body)
        return Upload(request: request, head: head, body: body.bytes)
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
            let upload = encode(request)
            if request.number.kind == .config { fetches.append(upload) } else { uploads.append(upload) }
        }
    }
}

extension ManualDevice {
    var openUploads: [UInt32] { open.filter { $0.number.kind == .upload }.map(\.number.number) }

    func fate(_ sequence: UInt32) -> Disposition? { fates[sequence]?.disposition }

    /// The sequences that ended in a way.
    func sequences(_ disposition: Disposition) -> [UInt32] {
        fates.values.filter { $0.disposition == disposition }.map(\.id.sequence).sorted()
    }

    /// Seconds since the start at which the uploads were planned.
    var plannedSeconds: [Double] {
        uploads.map { ($0.request.plannedAt - start).fractionalSeconds }
    }
}
