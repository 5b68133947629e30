import Timebase

/// The devices of a shard by when they next want to be woken: at most one valid entry for each.
///
/// A 4-ary heap of 16-byte entries. The wheel of `Timebase` is for simulated time, where nothing can
/// come before what was looked at; here an answer may ask for an earlier wake than the queue's first.
/// A device's new wake is entered only if it is earlier than the one entered before; a later one waits
/// until that comes up. Entries that were overtaken are dropped when they come up.
struct WakeHeap {
    private struct Entry {
        var time: Int64
        var device: UInt32

        /// Ties by device, so that the order does not depend on how entries came in.
        static func < (left: Entry, right: Entry) -> Bool {
            left.time != right.time ? left.time < right.time : left.device < right.device
        }
    }

    private var entries: ContiguousArray<Entry> = []
    /// What each device wants, and the time of its valid entry; `Int64.max` is never.
    private var wanted: ContiguousArray<Int64>
    private var entered: ContiguousArray<Int64>

    /// Makes a queue in which no device wants to be woken.
    init(deviceCount: Int) {
        wanted = ContiguousArray(repeating: .max, count: deviceCount)
        entered = ContiguousArray(repeating: .max, count: deviceCount)
    }

    /// Entries, stale ones included.
    var count: Int { entries.count }

    /// When the first entry comes up; the wake behind it may be later, or none.
    var next: Instant { Instant(nanoseconds: entries.first?.time ?? .max) }

    /// When a device wants to be woken: ``Instant/distantFuture`` for never.
    func wanted(by device: UInt32) -> Instant { Instant(nanoseconds: wanted[Int(device)]) }

    /// Sets when a device wants to be woken, in place of what it wanted before. O(log n) or O(1).
    mutating func set(_ device: UInt32, _ time: Instant) {
        let index = Int(device)
        wanted[index] = time.nanoseconds
        guard time.nanoseconds < entered[index] else { return }
        entered[index] = time.nanoseconds
        push(Entry(time: time.nanoseconds, device: device))
    }

    /// Takes out the earliest wake that is due.
    mutating func popDue(through now: Instant) -> (device: UInt32, due: Instant)? {
        while let first = entries.first, first.time <= now.nanoseconds {
            popRoot()
            let index = Int(first.device)
            guard entered[index] == first.time else { continue }
            entered[index] = .max
            let time = wanted[index]
            // A wake that was put off is entered anew even if it is due too: others may come before it.
            if time == first.time {
                wanted[index] = .max
                return (first.device, Instant(nanoseconds: time))
            }
            if time != .max {
                entered[index] = time
                push(Entry(time: time, device: first.device))
            }
        }
        return nil
    }

    private mutating func push(_ entry: Entry) {
        var index = entries.count
        entries.append(entry)
        while index > 0 {
            let parent = (index - 1) / 4
            guard entry < entries[parent] else { break }
            entries[index] = entries[parent]
            index = parent
        }
        entries[index] = entry
    }

    private mutating func popRoot() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        var index = 0
        while true {
            let child = index * 4 + 1
            guard child < entries.count else { break }
            var smallest = child
            for other in child + 1..<max(child + 1, min(child + 4, entries.count))
            where entries[other] < entries[smallest] {
                smallest = other
            }
            guard entries[smallest] < last else { break }
            entries[index] = entries[smallest]
            index = smallest
        }
        entries[index] = last
    }
}
