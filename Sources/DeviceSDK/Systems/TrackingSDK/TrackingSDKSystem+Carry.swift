package import DeviceSDK
package import Timebase
package import Wire

extension TrackingSDKSystem {
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard let index = device.requests.firstIndex(where: { $0.number == request.number }) else {
            return nil
        }
        let open = device.requests[index]
        let isNamed = carryRows(in: open.events, of: &device, tagged: plan.tagsEvents, into: &events)
        // Uploads overlap: what has started since this one did is counted already, and carries all of these events
        // that were in the file by then.
        for later in open.overtakers { events.takeBackUpload(from: later) }
        for later in device.requests[(index + 1)...].prefix(while: \.isStarted) where later.isCounted {
            events.takeBackUpload(from: later.events.lowerBound)
        }
        return isNamed ? head : nil
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        _ = encode(request, of: &device, at: now, into: &plain)
        return .list
    }
}
