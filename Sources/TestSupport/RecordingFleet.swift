import Accounting
import DeviceSDK
import Timebase
import Wire

/// A fleet that tells the bodies that it makes.
final class RecordingFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let record: (BodyRecorder.Body) -> Void

    init(_ base: any DeviceFleet, record: @escaping (BodyRecorder.Body) -> Void) {
        self.base = base
        self.record = record
    }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let start = body.count
        let head = base.encode(slot, request: request, at: now, into: &body)
        let bytes = body.withUnsafeBytes { Array($0[start...]) }
        record(BodyRecorder.Body(device: base.globalNumber(of: slot), request: request, bytes: bytes))
        return head
    }
}
