import Accounting
package import DeviceSDK
package import Timebase
package import Wire

extension KitSystem {
    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard let open = device.request, open.number == request.number else { return nil }
        let number = device.number
        device.forEachRow { row, day, line in
            guard row.sequence < open.end else { return }
            // Each day has a file of its own.
            guard !events.needsKeys || encoder.saysID(row) else {
                let key = encoder.naturalKey(day: day, line: line, of: device)
                return events.add(row, key: .natural(key), part: day)
            }
            events.add(row, device: number, part: day)
        }
        return encoder.carriedHead
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        guard let open = device.request, open.number == request.number else { return nil }
        encoder.appendLogs(of: device, until: open.end, to: &plain)
        return .logs
    }
}
