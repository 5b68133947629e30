/// One entry of the event queue.
///
/// Entries are ordered by time, then device, then the device's own sequence: a total order, so a
/// run does not depend on how entries came into the queue.

package struct Wake: Comparable, Sendable {
    package var time: Instant
    package var device: UInt32
    /// Counts a device's entries up; breaks ties at one instant.
    package var sequence: UInt32
    /// What the owner of the queue wants to know when the entry comes up.
    package var payload: UInt64

    /// Makes an entry.
    @inlinable
    package init(time: Instant, device: UInt32, sequence: UInt32, payload: UInt64 = 0) {
        self.time = time
        self.device = device
        self.sequence = sequence
        self.payload = payload
    }

    @inlinable
    package static func < (left: Wake, right: Wake) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.device != right.device { return left.device < right.device }
        return left.sequence < right.sequence
    }
}

/// A priority queue of ``Wake``s for simulated time: a hierarchical timer wheel whose slots are
/// sorted when their turn comes.
///
/// Three levels of 4096 slots, of 1.05 ms, 4.3 s and 4.9 h each; later entries wait in a list.
/// Insertion is O(1), except into the slot being emptied, where it is a binary insertion.
package struct TimerWheel {
    private static let slotBits = 12
    private static let slotCount = 1 << slotBits
    private static let tickBits = 20

    private let origin: Int64
    /// The tick (1.05 ms) whose slot is being emptied.
    private var currentTick: Int64 = 0
    /// The entries of the current tick in order; those before `head` are gone.
    private var current: ContiguousArray<Wake> = []
    private var head = 0
    private var lastTaken: Instant
    private var levels: [WheelLevel]
    private var far: ContiguousArray<Wake> = []

    /// The number of entries in the queue.
    package private(set) var count = 0

    /// Makes an empty queue.
    ///
    /// - Parameter origin: No entry may be earlier.
    package init(origin: Instant) {
        self.origin = origin.nanoseconds
        lastTaken = origin
        levels = (0..<3).map { _ in WheelLevel(slotCount: TimerWheel.slotCount) }
    }

    /// Adds an entry.
    ///
    /// - Precondition: it is not earlier than the last entry that was taken.
    package mutating func insert(_ wake: Wake) {
        let tick = (wake.time.nanoseconds - origin) >> Int64(TimerWheel.tickBits)
        precondition(wake.time >= lastTaken, "an entry lies in the past of the queue")
        count += 1
        // Looking at the first entry moves the present ahead of what was taken; an entry between the
        // two belongs before everything that the slots hold.
        if tick <= currentTick {
            insertIntoCurrent(wake)
        } else {
            insert(wake, tick: tick)
        }
    }

    /// The earliest entry, or `nil` if the queue is empty.
    package mutating func first() -> Wake? {
        guard count > 0 else { return nil }
        while head == current.count { advance() }
        return current[head]
    }

    /// Takes out the earliest entry.
    package mutating func popFirst() -> Wake? {
        guard let wake = first() else { return nil }
        head += 1
        count -= 1
        lastTaken = wake.time
        return wake
    }

    private mutating func insertIntoCurrent(_ wake: Wake) {
        var low = head
        var high = current.count
        while low < high {
            let middle = (low + high) / 2
            if current[middle] < wake { low = middle + 1 } else { high = middle }
        }
        current.insert(wake, at: low)
    }

    private mutating func insert(_ wake: Wake, tick: Int64) {
        for level in 0..<3 {
            let shift = Int64(level * TimerWheel.slotBits)
            // A slot of a level is used only while it lies in the same turn as the present.
            if (tick >> shift) >> Int64(TimerWheel.slotBits)
                == (currentTick >> shift) >> Int64(TimerWheel.slotBits)
            {
                levels[level].append(wake, slot: Int(tick >> shift) & (TimerWheel.slotCount - 1))
                return
            }
        }
        far.append(wake)
    }

    /// Moves the present to the next slot that holds anything.
    private mutating func advance() {
        if !current.isEmpty { current.removeAll(keepingCapacity: true) }
        head = 0
        let mask = TimerWheel.slotCount - 1
        if let slot = levels[0].next(after: Int(currentTick) & mask) {
            currentTick = currentTick & ~Int64(mask) | Int64(slot)
            levels[0].takeAll(slot: slot, into: &current)
            if current.count > 1 { current.sort() }
            return
        }
        for level in 1..<3 {
            let shift = Int64(level * TimerWheel.slotBits)
            let position = currentTick >> shift
            guard let slot = levels[level].next(after: Int(position) & mask) else { continue }
            currentTick = (position & ~Int64(mask) | Int64(slot)) << shift
            var moved: ContiguousArray<Wake> = []
            levels[level].takeAll(slot: slot, into: &moved)
            redistribute(moved)
            return
        }
        refillFromFar()
    }

    private mutating func redistribute(_ entries: ContiguousArray<Wake>) {
        for wake in entries {
            let tick = (wake.time.nanoseconds - origin) >> Int64(TimerWheel.tickBits)
            if tick == currentTick { current.append(wake) } else { insert(wake, tick: tick) }
        }
        current.sort()
    }

    private mutating func refillFromFar() {
        guard let earliest = far.min() else {
            preconditionFailure("the queue counts entries it does not hold")
        }
        currentTick = (earliest.time.nanoseconds - origin) >> Int64(TimerWheel.tickBits)
        let entries = far
        far.removeAll()
        redistribute(entries)
    }
}

/// One level of the wheel: its slots and a bit for each slot that holds something.
struct WheelLevel {
    private var slots: [ContiguousArray<Wake>]
    private var occupied: [UInt64]

    init(slotCount: Int) {
        slots = Array(repeating: [], count: slotCount)
        occupied = Array(repeating: 0, count: slotCount / 64)
    }

    mutating func append(_ wake: Wake, slot: Int) {
        slots[slot].append(wake)
        occupied[slot >> 6] |= 1 << UInt64(slot & 63)
    }

    /// The first slot above `slot` that holds anything.
    func next(after slot: Int) -> Int? {
        var index = slot + 1
        guard index < slots.count else { return nil }
        var word = (occupied[index >> 6] >> UInt64(index & 63)) << UInt64(index & 63)
        while word == 0 {
            index = (index | 63) + 1
            guard index < slots.count else { return nil }
            word = occupied[index >> 6]
        }
        return index & ~63 | word.trailingZeroBitCount
    }

    /// Moves a slot's entries to `destination` and frees the slot's memory if it is large.
    mutating func takeAll(slot: Int, into destination: inout ContiguousArray<Wake>) {
        if destination.isEmpty && slots[slot].capacity <= 64 && destination.capacity <= 64 {
            // Small ones change places: nothing is copied, and the slot keeps memory for its next turn.
            swap(&destination, &slots[slot])
        } else {
            destination.append(contentsOf: slots[slot])
            slots[slot].removeAll(keepingCapacity: slots[slot].capacity <= 64)
        }
        occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
    }
}
