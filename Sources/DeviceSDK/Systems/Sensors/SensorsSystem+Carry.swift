import Accounting
package import DeviceSDK
package import Timebase
package import Wire

extension SensorsSystem {
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard request.kind == .upload, let open = device.requests.firstIndex(where: { $0.number == request })
        else { return nil }
        let number = device.number
        if plan.tagsEvents || !events.needsKeys {
            for row in device.requests[open].rows { events.add(row, device: number, isCounted: false) }
        } else {
            let index = Int(device.index)
            let traits = SensorsTraits(plan: plan, index: index)
            for row in device.requests[open].rows {
                let key = encoder.naturalKey(
                    row, epoch: device.epochs[row.epoch], traits: traits, index: index, device: number)
                events.add(
                    row, key: .natural(NaturalKey(high: key.high, low: key.low)), isCounted: false)
            }
        }
        return device.requests[open].isDebug ? endpoints.debug : endpoints.upload
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        guard let open = device.requests.firstIndex(where: { $0.number == request }) else { return nil }
        let index = Int(device.index)
        if device.requests[open].contents.isEmpty {
            encoder.encodeList(
                device.requests[open].rows, index: index, number: device.number, epochs: device.epochs,
                at: now, into: &plain)
        } else {
            encoder.encodeList(
                stored: device.requests[open].contents, index: index, at: now, into: &plain)
        }
        return .list
    }
}
