package import DeviceSDK
package import Timebase
package import Wire

extension CodelessSystem {
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard request.kind == .upload, let open = content(of: request.number, of: device) else { return nil }
        let isNamed = carryRows(in: open.events, of: &device, tagged: plan.tagsEvents, into: &events)
        return isNamed ? endpoints.carried : nil
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        guard request.kind == .upload, content(of: request.number, of: device) != nil else { return nil }
        _ = encode(request, of: &device, at: now, into: &plain)
        return .messages
    }
}
