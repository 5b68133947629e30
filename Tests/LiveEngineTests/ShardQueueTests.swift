import Testing
import Timebase

@testable import LiveEngine

@Suite("Queues of a shard")
struct ShardQueueTests {
    @Test("queues first in, first out over many turns of the ring")
    func ring() {
        var ring = RingQueue<Int>()
        var model: [Int] = []
        var stream = RandomStream(key: 0x5EED_0002)
        for number in 0..<3000 {
            if stream.below(5) < 3 {
                ring.append(number)
                model.append(number)
            } else {
                #expect(ring.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(ring.count == model.count)
            #expect(ring.first == model.first)
        }
    }

    @Test("tells a request from another in its place")
    func reuse() {
        var table = RequestTable(deviceCount: 1)
        let first = table.open(OpenRequest())
        table.close(first.index)
        let second = table.open(OpenRequest())
        #expect(second.index == first.index)
        #expect(table.isOpen(second) && !table.isOpen(first))
    }

    @Test("lists a device's open requests")
    func requestsOfDevice() {
        var table = RequestTable(deviceCount: 1)
        let keys = (0..<3).map { _ in table.open(OpenRequest()) }
        table.close(keys[1].index)
        var found: [Int32] = []
        var index = table.first(of: 0)
        while index >= 0 {
            found.append(index)
            index = table[index].nextOfDevice
        }
        #expect(found == [keys[2].index, keys[0].index])
        #expect(table.count == 2)
    }
}
