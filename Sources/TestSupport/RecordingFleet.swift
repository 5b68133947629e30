import Accounting
import DeviceSDK
import Timebase
import Wire
import World

/// A fleet that passes everything on to another, and tells the bodies that it makes.
final class RecordingFleet: DeviceFleet {
    private let fleet: any DeviceFleet
    private let record: (BodyRecorder.Body) -> Void

    init(_ fleet: any DeviceFleet, record: @escaping (BodyRecorder.Body) -> Void) {
        self.fleet = fleet
        self.record = record
    }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let start = body.count
        let head = fleet.encode(slot, request: request, at: now, into: &body)
        let bytes = body.withUnsafeBytes { Array($0[start...]) }
        record(BodyRecorder.Body(device: fleet.globalNumber(of: slot), request: request, bytes: bytes))
        return head
    }

    var deviceCount: Int { fleet.deviceCount }
    var populationIndex: Int { fleet.populationIndex }
    var labels: [EventLabel] { fleet.labels }
    var capturedCount: UInt64 { fleet.capturedCount }
    var prefilledCount: UInt64 { fleet.prefilledCount }
    var storedCount: UInt64 { fleet.storedCount }
    var startedCount: Int { fleet.startedCount }
    var foregroundCount: Int { fleet.foregroundCount }
    var planFingerprint: UInt64 { fleet.planFingerprint }

    func globalNumber(of slot: Int) -> UInt32 { fleet.globalNumber(of: slot) }
    func arrival(of slot: Int) -> Instant { fleet.arrival(of: slot) }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        fleet.advance(slot, through: now, effects: &effects)
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        fleet.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        fleet.giveBack(slot, request: request, network: network, at: now, effects: &effects)
    }

    func setNetwork(
        _ kind: NetworkKind, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        fleet.setNetwork(kind, of: slot, at: now, effects: &effects)
    }

    func stopUsers(at now: Instant) { fleet.stopUsers(at: now) }
    func isDraining(_ slot: Int) -> Bool { fleet.isDraining(slot) }
    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        fleet.finish(slots, effects: &effects)
    }
    func capturedCount(of slot: Int) -> UInt32 { fleet.capturedCount(of: slot) }
}
