package import Accounting

/// What an upload carries, handed over in the place of its bytes.
///
/// Filled by a fleet and emptied by its engine, which keeps the memory: see
/// ``DeviceFleet/carry(_:request:at:into:)``.
package struct CarriedEvents: Sendable {
    /// What names each event in a collector's store, in the order in which the body would have them.
    package private(set) var keys: ContiguousArray<EventKey> = []
    /// What each event is: an index into the system's table of templates.
    package private(set) var templates: ContiguousArray<UInt16> = []
    /// Each event's sequence on its device.
    package private(set) var sequences: ContiguousArray<UInt32> = []
    /// How many uploads have carried each event, this one counted.
    package private(set) var attempts: ContiguousArray<UInt16> = []
    /// How often the state of the device changes from one event to the next, the first counted: what a body tells
    /// anew each time.
    package private(set) var states = 0
    private var lastState = Int64.min

    /// Whether ``keys`` are what the body tells; else each is the harness's id, whether the event bears it or not.
    package var needsKeys = true

    /// Whether the upload leaves with them. Else only its size is asked for, and the device stays as it is.
    package var areSent = true

    package init() {}

    package var count: Int { keys.count }

    /// Adds the next event.
    ///
    /// - Parameters:
    ///   - part: What the event's neighbours in the body have in common with it beyond their states.
    ///   - isCounted: Whether the record counts this upload already.
    @inline(__always)
    package mutating func add(
        _ record: EventRecord, key: EventKey, part: Int64 = 0, isCounted: Bool = true
    ) {
        keys.append(key)
        sequences.append(record.sequence)
        attempts.append(isCounted ? record.attempts : record.attempts &+ (record.attempts < .max ? 1 : 0))
        templates.append(record.template)
        let state = Int64(record.epoch) ^ part << 32
        if state != lastState || templates.count == 1 {
            states += 1
            lastState = state
        }
    }

    /// Adds the next event of a device whose events carry ids of the harness.
    @inline(__always)
    package mutating func add(
        _ record: EventRecord, device: UInt32, part: Int64 = 0, isCounted: Bool = true
    ) {
        let key = EventKey.harness(EventID(device: device, sequence: record.sequence))
        add(record, key: key, part: part, isCounted: isCounted)
    }

    /// Takes an upload off the counts that began after this one, and carries the same events from a sequence on.
    ///
    /// - Precondition: the events are in the order of their sequences.
    package mutating func takeBackUpload(from sequence: UInt32) {
        var index = attempts.endIndex
        while index > 0, sequences[index - 1] >= sequence {
            index -= 1
            if attempts[index] > 1 { attempts[index] -= 1 }
        }
    }

    /// Empties everything and keeps the memory.
    package mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        templates.removeAll(keepingCapacity: true)
        sequences.removeAll(keepingCapacity: true)
        attempts.removeAll(keepingCapacity: true)
        states = 0
    }
}
