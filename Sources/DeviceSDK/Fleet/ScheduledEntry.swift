package import Timebase

/// Something that holds for a share of the devices for a while.
package struct ScheduledEntry<Value: Hashable & Sendable>: Hashable, Sendable {
    package var from: Instant
    /// Exclusive.
    package var until: Instant
    package var value: Value
    /// Share of the devices, 0 to 1, drawn by seed per entry and device.
    package var share: Double
    /// The entry's number among all of the scenario's, which the draws belong to.
    package var number: Int

    package init(from: Instant, until: Instant, _ value: Value, share: Double, number: Int) {
        self.from = from
        self.until = until
        self.value = value
        self.share = share
        self.number = number
    }

    /// Whether the entry concerns a device.
    ///
    /// - Parameter stream: One of the device's own, whose other draws are below 1 << 34.
    func concerns(_ stream: RandomStream) -> Bool {
        var draw = stream.child(1 << 34 | UInt64(number))
        return draw.chance(share)
    }
}

extension Array {
    /// Of the entries that hold at a moment and concern a device, the one that began last, the later one at a tie.
    ///
    /// - Complexity: O(entries).
    func latest<Value>(at moment: Instant, _ stream: RandomStream) -> Element?
    where Element == ScheduledEntry<Value> {
        var latest: Element?
        for entry in self where entry.from <= moment && moment < entry.until {
            if entry.from >= latest?.from ?? entry.from, entry.concerns(stream) { latest = entry }
        }
        return latest
    }
}
