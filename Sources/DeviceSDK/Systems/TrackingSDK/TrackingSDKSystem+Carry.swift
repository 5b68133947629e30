package import DeviceSDK
package import Timebase
package import Wire

extension TrackingSDKSystem {
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard let open = device.requests.first(where: { $0.number == request.number }) else { return nil }
        let isNamed = carryRows(in: open.events, of: &device, tagged: plan.tagsEvents, into: &events)
        return isNamed ? head : nil
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        _ = encode(request, of: &device, at: now, into: &plain)
        return .list
    }
}
