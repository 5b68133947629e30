/// The slots of a ``TimerWheel``, all levels in one row: each a chain of chunks of 8 entries, and a bit for each
/// slot that holds something.
///
/// Chunks come from one store and go back to it, so the wheel allocates nothing once it has held the most that it
/// ever holds, and needs no more than 7 cells beyond its entries for each slot in use.
struct WheelSlots {
    /// What one slot holds.
    private struct Slot {
        /// The chunk that was begun last; its followers are full.
        var chunk: Int32 = -1
        var count: Int32 = 0
    }

    private static let chunkSize = 8

    private var slots: ContiguousArray<Slot>
    private var occupied: ContiguousArray<UInt64>
    private var entries: ContiguousArray<Wake> = []
    /// Of each chunk the next one of its slot, or of the free ones.
    private var following: ContiguousArray<Int32> = []
    private var free: Int32 = -1

    /// - Parameter count: A multiple of 64.
    init(count: Int) {
        slots = ContiguousArray(repeating: Slot(), count: count)
        occupied = ContiguousArray(repeating: 0, count: count / 64)
    }

    /// Adds an entry to a slot. O(1).
    mutating func append(_ wake: Wake, slot index: Int) {
        var slot = slots[index]
        let offset = Int(slot.count) & (WheelSlots.chunkSize - 1)
        if offset == 0 {
            occupied[index >> 6] |= 1 << UInt64(index & 63)
            let chunk = takeFreeChunk()
            following[Int(chunk)] = slot.chunk
            slot.chunk = chunk
        }
        entries[Int(slot.chunk) &* WheelSlots.chunkSize &+ offset] = wake
        slot.count &+= 1
        slots[index] = slot
    }

    private mutating func takeFreeChunk() -> Int32 {
        if free >= 0 {
            let chunk = free
            free = following[Int(chunk)]
            return chunk
        }
        let blank = Wake(time: .distantFuture, device: 0, sequence: 0)
        entries.append(contentsOf: repeatElement(blank, count: WheelSlots.chunkSize))
        following.append(-1)
        return Int32(following.count - 1)
    }

    /// The first slot of a range that holds anything.
    func firstOccupied(in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        guard index < range.upperBound else { return nil }
        var word = (occupied[index >> 6] >> UInt64(index & 63)) << UInt64(index & 63)
        while word == 0 {
            index = (index | 63) + 1
            guard index < range.upperBound else { return nil }
            word = occupied[index >> 6]
        }
        return index & ~63 | word.trailingZeroBitCount
    }

    /// Moves the entries of a slot to the end of `destination`, in no particular order.
    mutating func empty(_ index: Int, into destination: inout ContiguousArray<Wake>) {
        let slot = slots[index]
        slots[index] = Slot()
        occupied[index >> 6] &= ~(1 << UInt64(index & 63))
        destination.reserveCapacity(destination.count + Int(slot.count))
        var chunk = slot.chunk
        var used = (Int(slot.count) - 1) & (WheelSlots.chunkSize - 1) + 1
        while chunk >= 0 {
            let begin = Int(chunk) * WheelSlots.chunkSize
            for position in begin..<begin + used { destination.append(entries[position]) }
            used = WheelSlots.chunkSize
            let next = following[Int(chunk)]
            following[Int(chunk)] = free
            free = chunk
            chunk = next
        }
    }
}
