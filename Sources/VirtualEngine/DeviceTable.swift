import DeviceSDK
import Timebase

/// What the engine keeps of each device, by global number: 12 bytes a device.
struct DeviceTable {
    /// The global number of each fleet's first device, and one past the last.
    private let starts: [Int]
    private var entries: ContiguousArray<Entry>

    /// The two are asked for together, and lie together; in halves, since a whole word would leave gaps between them.
    private struct Entry {
        var low: UInt32
        var high: UInt32
        var sequence: UInt32 = 0

        init(nextWake: Instant) {
            (low, high) = (0, 0)
            self.nextWake = nextWake
        }

        var nextWake: Instant {
            get { Instant(nanoseconds: Int64(bitPattern: UInt64(high) << 32 | UInt64(low))) }
            set {
                let bits = UInt64(bitPattern: newValue.nanoseconds)
                low = UInt32(truncatingIfNeeded: bits)
                high = UInt32(truncatingIfNeeded: bits >> 32)
            }
        }
    }

    init(fleets: [any DeviceFleet]) {
        var starts = [0]
        for fleet in fleets { starts.append(starts[starts.count - 1] + fleet.deviceCount) }
        self.starts = starts
        entries = ContiguousArray(
            repeating: Entry(nextWake: .distantFuture), count: starts[starts.count - 1])
    }

    var count: Int { entries.count }

    /// The fleet and slot of a device. O(populations).
    func location(of device: Int) -> (fleet: Int, slot: Int) {
        var fleet = 0
        while device >= starts[fleet + 1] { fleet += 1 }
        return (fleet, device - starts[fleet])
    }

    /// Asks the processor for what is kept of a device, without waiting for it.
    @inline(__always)
    mutating func prefetch(_ device: Int) { entries.prefetch(device) }

    func nextWake(of device: Int) -> Instant { entries[device].nextWake }

    mutating func setNextWake(_ time: Instant, of device: Int) { entries[device].nextWake = time }

    /// Numbers a device's entries in the queue.
    mutating func nextSequence(of device: Int) -> UInt32 {
        entries[device].sequence &+= 1
        return entries[device].sequence
    }
}
