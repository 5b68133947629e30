package import Timebase

/// What the devices of a run believe: what each captured, what they take as delivered, and where the
/// rest ended.
package struct DeviceBeliefs: Sendable, Equatable {
    /// Ids of events whose fate is delivered.
    package private(set) var delivered = EventBitmap()
    /// Where events with an id ended that were not delivered.
    package private(set) var undelivered = UndeliveredFates()
    /// Natural keys of delivered events that carry no id.
    package private(set) var deliveredNatural: Set<NaturalKey> = []
    /// For keys of several delivered events, which a collector cannot tell apart: how many there are beyond the first.
    package private(set) var deliveredAlike: [NaturalKey: UInt32] = [:]
    /// Natural keys of captured events that carry no id and were not delivered, each with the
    /// ``Disposition/code`` of its fate, where the run kept them.
    package private(set) var undeliveredNatural: [NaturalKey: UInt32] = [:]
    /// How many events each device captured, by the device's number; set at the end of the run.
    package var capturedCounts: [UInt32] = []
    /// The first and the last planned time of capture; `nil` where nothing was sealed.
    package var captureTimes: ClosedRange<Instant>?

    /// Makes the beliefs of a fleet that captured nothing.
    package init() {}

    /// Notes sealed events that ended alike.
    package mutating func note(_ events: ArraySlice<SealedEvent>, endedAs disposition: Disposition) {
        guard let first = events.first else { return }
        let times = captureTimes ?? first.capturedAt...first.capturedAt
        var (earliest, latest) = (times.lowerBound, times.upperBound)
        for event in events {
            earliest = min(earliest, event.capturedAt)
            latest = max(latest, event.capturedAt)
            switch (event.naturalKey, disposition) {
            case (let key?, .delivered): note(delivered: key)
            case (nil, .delivered): note(delivered: event.id)
            case (let key?, _): note(undelivered: key, disposition)
            case (nil, _): note(undelivered: event.id, disposition)
            }
        }
        captureTimes = earliest...latest
    }

    /// Notes that an event with an id was acknowledged.
    package mutating func note(delivered id: EventID) { _ = delivered.insert(id) }

    /// Notes that an event without an id was acknowledged.
    package mutating func note(delivered key: NaturalKey) {
        if !deliveredNatural.insert(key).inserted { deliveredAlike[key, default: 0] += 1 }
    }

    /// Notes where an event with an id ended.
    package mutating func note(undelivered id: EventID, _ disposition: Disposition) {
        undelivered.note(id, disposition)
    }

    /// Notes where neighbours ended.
    package mutating func note(undelivered run: UndeliveredFates.Run) { undelivered.note(run) }

    /// Notes where an event without an id ended, so that an audit does not take it for a stranger.
    package mutating func note(undelivered key: NaturalKey, _ disposition: Disposition) {
        undeliveredNatural[key] = disposition.code
    }

    /// Adds the beliefs of another part of the fleet: the counts of a device that both know add up,
    /// so each device's count belongs in one part only.
    package mutating func merge(_ other: DeviceBeliefs) {
        delivered.formUnion(other.delivered)
        undelivered.merge(other.undelivered)
        for key in other.deliveredNatural { note(delivered: key) }
        deliveredAlike.merge(other.deliveredAlike, uniquingKeysWith: +)
        undeliveredNatural.merge(other.undeliveredNatural) { mine, _ in mine }
        if let theirs = other.captureTimes {
            captureTimes =
                captureTimes.map {
                    min($0.lowerBound, theirs.lowerBound)...max($0.upperBound, theirs.upperBound)
                } ?? theirs
        }
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
        deliveredNatural.contains(key) || undeliveredNatural[key] != nil
    }
}
