import Accounting
package import DeviceSDK
package import Timebase
package import Wire

extension GrowingSystem {
    /// Interceptors and services of an app's own may change every byte of a request, so theirs are written.
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard interceptors.isEmpty, plan.plugins == nil,
            let open = device.requests.firstIndex(where: { $0.number == request })
        else { return nil }
        // The budget of a day counts bytes, and a device acts on it.
        if device.requests[open].countsBytes, events.areSent {
            var body = WireBuffer()
            swap(&body, &unsent)
            body.removeAll()
            _ = encode(request, of: &device, at: now, into: &body)
            swap(&body, &unsent)
        }
        let channel = Int(device.requests[open].channel)
        let form = form(of: channel)
        for row in device.requests[open].rows {
            guard events.needsKeys, !plan.tagsEvents else {
                events.add(row, device: device.number, isCounted: false)
                continue
            }
            let key = encoder.naturalKey(event(row, of: device), as: form)
            events.add(row, key: .natural(NaturalKey(high: key.high, low: key.low)), isCounted: false)
        }
        return carriedHeads[channel]
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        guard let open = device.requests.firstIndex(where: { $0.number == request }) else { return nil }
        let form = form(of: Int(device.requests[open].channel))
        append(device.requests[open].rows, of: device, as: form, to: &plain)
        return form == .json ? .list : .messages
    }
}
