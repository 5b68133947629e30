/// What the devices of a run believe: what each captured, and what they take as delivered.
package struct DeviceBeliefs: Sendable, Equatable {
    /// Ids of events whose fate is delivered.
    package private(set) var delivered = EventBitmap()
    /// Natural keys of delivered events that carry no id.
    package private(set) var deliveredNatural: Set<NaturalKey> = []
    /// Natural keys of captured events that carry no id and were not delivered, where the run kept them.
    package private(set) var capturedNatural: Set<NaturalKey> = []
    /// How many events each device captured, by the device's number; set at the end of the run.
    package var capturedCounts: [UInt32] = []

    /// Makes the beliefs of a fleet that captured nothing.
    package init() {}

    /// Notes that an event with an id was acknowledged.
    package mutating func note(delivered id: EventID) { _ = delivered.insert(id) }

    /// Notes that an event without an id was acknowledged.
    package mutating func note(delivered key: NaturalKey) { deliveredNatural.insert(key) }

    /// Notes that an event without an id exists, so that an audit does not take it for a stranger.
    package mutating func note(captured key: NaturalKey) { capturedNatural.insert(key) }

    /// Adds the beliefs of another part of the fleet: the counts of a device that both know add up,
    /// so each device's count belongs in one part only.
    package mutating func merge(_ other: DeviceBeliefs) {
        delivered.formUnion(other.delivered)
        deliveredNatural.formUnion(other.deliveredNatural)
        capturedNatural.formUnion(other.capturedNatural)
        if capturedCounts.count < other.capturedCounts.count {
            let missing = other.capturedCounts.count - capturedCounts.count
            capturedCounts.append(contentsOf: repeatElement(0, count: missing))
        }
        for (device, count) in other.capturedCounts.enumerated() { capturedCounts[device] += count }
    }

    /// Whether a device of the run made the event.
    func made(_ id: EventID) -> Bool {
        id.device < UInt32(clamping: capturedCounts.count) && id.sequence < capturedCounts[Int(id.device)]
    }

    /// Whether a device of the run made the event with this natural key.
    func made(_ key: NaturalKey) -> Bool {
        deliveredNatural.contains(key) || capturedNatural.contains(key)
    }
}
