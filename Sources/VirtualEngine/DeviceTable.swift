import DeviceSDK
import Timebase

/// What the engine keeps of each device, in parallel arrays by global number: 12 bytes a device.
struct DeviceTable {
    /// The global number of each fleet's first device, and one past the last.
    private let starts: [Int]
    private var wakes: ContiguousArray<Instant>
    private var sequences: ContiguousArray<UInt32>

    init(fleets: [any DeviceFleet]) {
        var starts = [0]
        for fleet in fleets { starts.append(starts[starts.count - 1] + fleet.deviceCount) }
        self.starts = starts
        wakes = ContiguousArray(repeating: .distantFuture, count: starts[starts.count - 1])
        sequences = ContiguousArray(repeating: 0, count: starts[starts.count - 1])
    }

    var count: Int { wakes.count }

    /// The fleet and slot of a device. O(populations).
    func location(of device: Int) -> (fleet: Int, slot: Int) {
        var fleet = 0
        while device >= starts[fleet + 1] { fleet += 1 }
        return (fleet, device - starts[fleet])
    }

    func nextWake(of device: Int) -> Instant { wakes[device] }

    mutating func setNextWake(_ time: Instant, of device: Int) { wakes[device] = time }

    /// Numbers a device's entries in the queue.
    mutating func nextSequence(of device: Int) -> UInt32 {
        sequences[device] &+= 1
        return sequences[device]
    }
}
