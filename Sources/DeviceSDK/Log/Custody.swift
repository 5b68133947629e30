package import Accounting
package import Timebase
package import Wire

/// A system whose events it answers for: each has one fate, told once.
///
/// A positive answer beats every other fate; otherwise the first final one holds, and it is final once no
/// request carries the event any more.
///
/// An event is *sealed* when its fate is told to the engine. A row is *settled*
/// (``EventRecord/isSettled``) when its fate is decided: an acknowledged one that is still on the device may
/// travel again, how often is known when it has left, and it is never counted again.
extension TrackingSystem {
    /// Tells of an event's fate.
    ///
    /// - Parameters:
    ///   - key: By which a collector knows the event; `nil` if the event says its id, or was never built.
    ///   - ackedAt: When a delivered event was acknowledged first.
    package func seal(
        _ record: EventRecord, _ disposition: Disposition, key: NaturalKey?, on device: borrowing Device,
        ackedAt: Instant = .distantFuture, effects: inout DeviceEffects
    ) {
        effects.sealed.append(
            record.sealed(disposition, device: device.number, ackedAt: ackedAt, naturalKey: key))
    }

    /// Takes back requests that the engine has not seen yet: they were asked for in the very call in which the
    /// process dies, and never left.
    package mutating func revokeUnsentRequests(of device: inout Device, effects: inout DeviceEffects) {
        guard !effects.requests.isEmpty else { return }
        for outgoing in effects.revokeRequests(of: device.slot) {
            takeBack(outgoing.number, isCounted: true, of: &device)
        }
    }
}

/// A system that can tell an event's key from its record and its device.
package protocol Custodian: TrackingSystem {
    /// The key by which a collector knows an event that carries no `bs_id`; `nil` for all others.
    func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey?

    /// Appends what an upload with this event alone would have in its body before it is packed, without what only an attempt
    /// adds to the event.
    ///
    /// - Returns: what was appended; `nil` for nothing.
    func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody?
}

extension Custodian {
    package func seal(
        _ record: EventRecord, _ disposition: Disposition, on device: borrowing Device,
        ackedAt: Instant = .distantFuture, effects: inout DeviceEffects
    ) {
        let key = effects.needsKeys ? naturalKey(of: record, disposition, on: device) : nil
        if effects.bodies.wants(disposition),
            let form = encodeAlone(record, on: device, into: &effects.bodies.bytes)
        {
            effects.bodies.end(form, event: effects.sealed.count)
        }
        seal(record, disposition, key: key, on: device, ackedAt: ackedAt, effects: &effects)
    }
}

// MARK: - Rows that leave as neighbours

/// A device whose events are neighbours in one log, whatever the SDK makes of them.
package protocol LogDevice: TrackedDevice {
    var log: EventLog { get set }
}

extension Custodian where Device: LogDevice {
    /// Settles the rows of a range, and seals those that were not.
    package mutating func sealRows(
        in range: Range<UInt32>, as disposition: Disposition, ackedAt: Instant = .distantFuture,
        of device: inout Device, effects: inout DeviceEffects
    ) {
        for row in device.log.settle(in: range) {
            seal(row, disposition, on: device, ackedAt: ackedAt, effects: &effects)
        }
    }

    /// Hands over the rows of a range, by the harness's ids or by natural keys.
    ///
    /// - Returns: whether each of them has a name.
    package func carryRows(
        in range: Range<UInt32>, of device: inout Device, tagged: Bool, into events: inout CarriedEvents
    ) -> Bool {
        let number = device.number
        guard events.needsKeys, !tagged else {
            device.log.forEach(in: range) { events.add($0, device: number) }
            return true
        }
        var rows = ContiguousArray<EventRecord>()
        device.log.forEach(in: range) { rows.append($0) }
        for row in rows {
            guard let key = naturalKey(of: row, .delivered, on: device) else { return false }
            events.add(row, key: .natural(key))
        }
        return true
    }
}
