/// A priority queue of ``Wake``s for simulated time: a hierarchical timer wheel whose slots are
/// sorted when their turn comes.
///
/// Three levels of 4096 slots, of 1.05 ms, 4.3 s and 4.9 h each; later entries wait in a list.
/// Insertion is O(1), except for the slot being emptied and what came before it, where it is O(log n) in the
/// number of entries that came in so late.
package struct TimerWheel {
    private static let slotBits = 12
    private static let slotCount = 1 << slotBits
    private static let levelCount = 3
    private static let tickBits: Int64 = 20
    /// Entries that are taken from slots in one go, if the lowest level has as many: so that those which come next are
    /// known (``upcoming(after:)``).
    private static let batch = 8

    private let origin: Int64
    /// The tick (1.05 ms) whose slot is being emptied, or the last of several.
    private var currentTick: Int64 = 0
    /// The entries up to the current tick in order, the earliest last.
    private var current: ContiguousArray<Wake> = []
    /// What came in for the current tick, or for before it, once that had begun.
    private var late = MinHeap<Wake>()
    private var slots = WheelSlots(count: levelCount * slotCount)
    private var far: ContiguousArray<Wake> = []
    /// What is taken from a slot to be spread anew.
    private var moved: ContiguousArray<Wake> = []

    /// The number of entries in the queue.
    package private(set) var count = 0

    /// Makes an empty queue.
    ///
    /// - Parameter origin: No entry may be earlier.
    package init(origin: Instant) {
        self.origin = origin.nanoseconds
    }

    /// Adds an entry. One that is earlier than what was taken comes next.
    package mutating func insert(_ wake: Wake) {
        count += 1
        // Looking at the first entry moves the present ahead of what was taken.
        let tick = tick(of: wake)
        if tick <= currentTick { late.insert(wake) } else { put(wake, tick: tick) }
    }

    /// The earliest entry, or `nil` if the queue is empty.
    package mutating func first() -> Wake? {
        guard count > 0 else { return nil }
        moveToEntries()
        return isLateNext ? late.first : current.last
    }

    /// Takes out the earliest entry.
    package mutating func popFirst() -> Wake? {
        guard count > 0 else { return nil }
        moveToEntries()
        count -= 1
        guard !isLateNext else { return late.popFirst() }
        let taken = current.removeLast()
        return taken
    }

    /// The entry that comes after so many others, if it is known yet and nothing comes in before.
    @inline(__always)
    package func upcoming(after others: Int) -> Wake? {
        others < current.count ? current[current.count - 1 - others] : nil
    }

    /// Whether the earliest entry is one that came in late.
    private var isLateNext: Bool {
        guard !late.isEmpty, let other = late.first else { return false }
        guard let regular = current.last else { return true }
        return other < regular
    }

    private func tick(of wake: Wake) -> Int64 {
        (wake.time.nanoseconds - origin) >> TimerWheel.tickBits
    }

    /// Puts an entry into its slot: in the lowest level whose present turn reaches as far.
    private mutating func put(_ wake: Wake, tick: Int64) {
        let highestDifference = Int64.bitWidth - 1 - (tick ^ currentTick).leadingZeroBitCount
        let level = highestDifference / TimerWheel.slotBits
        guard level < TimerWheel.levelCount else { return far.append(wake) }
        let position = Int(truncatingIfNeeded: tick >> Int64(level * TimerWheel.slotBits))
        slots.append(wake, slot: level * TimerWheel.slotCount + position & (TimerWheel.slotCount - 1))
    }

    /// Moves the present to the next tick that holds anything, if this one does no more.
    private mutating func moveToEntries() {
        while current.isEmpty && late.isEmpty { advance() }
    }

    private mutating func advance() {
        let mask = Int64(TimerWheel.slotCount - 1)
        for level in 0..<TimerWheel.levelCount {
            let shift = Int64(level * TimerWheel.slotBits)
            let position = currentTick >> shift
            let base = level * TimerWheel.slotCount
            let later = base + Int(position & mask) + 1..<base + TimerWheel.slotCount
            guard let slot = slots.firstOccupied(in: later) else { continue }
            currentTick = (position & ~mask | Int64(slot - base)) << shift
            if level == 0 {
                slots.empty(slot, into: &current)
                fillBatch()
                return current.sortEarliestLast()
            }
            slots.empty(slot, into: &moved)
            return spread()
        }
        refillFromFar()
    }

    /// Takes the following slots of the lowest level as well, until there are enough entries.
    private mutating func fillBatch() {
        let mask = Int64(TimerWheel.slotCount - 1)
        while current.count < TimerWheel.batch {
            let later = Int(currentTick & mask) + 1..<TimerWheel.slotCount
            guard let slot = slots.firstOccupied(in: later) else { return }
            currentTick = currentTick & ~mask | Int64(slot)
            slots.empty(slot, into: &current)
        }
    }

    /// Gives what was taken from a slot its places in lower levels.
    private mutating func spread() {
        for wake in moved {
            let tick = tick(of: wake)
            if tick == currentTick { current.append(wake) } else { put(wake, tick: tick) }
        }
        moved.removeAll(keepingCapacity: moved.capacity <= TimerWheel.slotCount)
        current.sortEarliestLast()
    }

    private mutating func refillFromFar() {
        guard let earliest = far.min() else {
            preconditionFailure("the queue counts entries it does not hold")
        }
        currentTick = tick(of: earliest)
        swap(&moved, &far)
        spread()
    }
}

extension ContiguousArray<Wake> {
    /// Sorts entries, the earliest last. Few, as a slot mostly has, are inserted one by one.
    fileprivate mutating func sortEarliestLast() {
        guard count <= 32 else { return sort(by: >) }
        withUnsafeMutableBufferPointer { entries in
            for index in entries.indices.dropFirst() {
                let entry = entries[index]
                var target = index
                while target > 0, entries[target - 1] < entry {
                    entries[target] = entries[target - 1]
                    target -= 1
                }
                entries[target] = entry
            }
        }
    }
}
