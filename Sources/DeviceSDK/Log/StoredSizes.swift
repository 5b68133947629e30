/// The bytes that stored events take on their devices, for stores with a bound of bytes: told from an event once, and
/// kept as long as it is stored. Four bytes an event, for all devices of a fleet in one place, so that devices without
/// such a bound have nothing of it.
package struct StoredSizes: Sendable {
    /// Sizes from a sequence on; 0 for what was not asked for yet.
    private struct Known: Sendable {
        var first: UInt32
        var bytes: ContiguousArray<UInt32> = []

        /// Forgets what is older than a sequence, and makes room for it where it is older than all that is known.
        mutating func begin(at sequence: UInt32) {
            if sequence < first {
                bytes.insert(contentsOf: repeatElement(0, count: Int(first - sequence)), at: 0)
            } else {
                bytes.removeFirst(min(bytes.count, Int(sequence - first)))
            }
            first = sequence
        }

        mutating func bytes(of record: EventRecord, _ measure: (EventRecord) -> Int) -> Int {
            let index = Int(record.sequence - first)
            if index >= bytes.count {
                bytes.append(contentsOf: repeatElement(0, count: index + 1 - bytes.count))
            }
            if bytes[index] == 0 { bytes[index] = UInt32(clamping: measure(record)) }
            return Int(bytes[index])
        }
    }

    private var stores: [UInt64: Known] = [:]

    package init() {}

    /// The bytes of each of a store's events. O(events), but for those that are measured.
    ///
    /// - Parameters:
    ///   - rows: By ascending sequences. What is older is forgotten.
    ///   - store: Of several stores of a device.
    ///   - measure: The bytes of one event; asked for what is new.
    package mutating func bytes(
        of rows: ContiguousArray<EventRecord>, slot: UInt32, store: UInt32 = 0,
        _ measure: (EventRecord) -> Int
    ) -> ContiguousArray<Int> {
        let key = UInt64(slot) << 32 | UInt64(store)
        guard let first = rows.first?.sequence else {
            stores[key] = nil
            return []
        }
        var known = stores.removeValue(forKey: key) ?? Known(first: first)
        known.begin(at: first)
        var sizes = ContiguousArray<Int>()
        sizes.reserveCapacity(rows.count)
        for row in rows { sizes.append(known.bytes(of: row, measure)) }
        stores[key] = known
        return sizes
    }
}

extension ContiguousArray<Int> {
    /// How many from the beginning must go until the rest adds up to no more than a limit.
    package func countToDrop(above limit: Int) -> Int {
        var sum = reduce(0, +)
        var count = 0
        while sum > limit, count < self.count {
            sum -= self[count]
            count += 1
        }
        return count
    }
}
