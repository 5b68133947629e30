import Testing
import Timebase

@testable import LiveEngine

@Suite("Queues of a shard")
struct WakeHeapTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    @Test("gives each device's latest wish, in order of time and device")
    func latestWish() {
        var heap = WakeHeap(deviceCount: 4)
        heap.set(0, at(50))
        heap.set(1, at(20))
        heap.set(2, at(20))
        heap.set(3, at(10))
        heap.set(3, .distantFuture)
        heap.set(0, at(5))
        heap.set(1, at(30))
        var order: [UInt32] = []
        while let wake = heap.popDue(through: at(100)) { order.append(wake.device) }
        #expect(order == [0, 2, 1])
        #expect(heap.next == .distantFuture)
    }

    @Test("keeps what is not due")
    func notDue() {
        var heap = WakeHeap(deviceCount: 1)
        heap.set(0, at(10))
        heap.set(0, at(40))
        #expect(heap.popDue(through: at(39)) == nil)
        #expect(heap.next == at(40))
        #expect(heap.popDue(through: at(40))?.due == at(40))
    }

    @Test("agrees with a plain search over random wishes")
    func random() {
        let seed: UInt64 = 0x5EED_0001
        var stream = RandomStream(key: seed)
        let count = 50
        var heap = WakeHeap(deviceCount: count)
        var model = [Int64](repeating: .max, count: count)
        var now: Int64 = 0
        for _ in 0..<5000 {
            let device = Int(stream.below(UInt64(count)))
            let time = stream.chance(0.1) ? Int64.max : now + Int64(stream.below(100))
            model[device] = time
            heap.set(UInt32(device), Instant(nanoseconds: time))
            now += Int64(stream.below(3))
            while let wake = heap.popDue(through: Instant(nanoseconds: now)) {
                let expected = model.min() ?? .max
                #expect(wake.due.nanoseconds == expected, "seed \(seed)")
                #expect(model[Int(wake.device)] == expected, "seed \(seed)")
                model[Int(wake.device)] = .max
            }
            #expect((model.min() ?? .max) > now, "seed \(seed)")
        }
    }

    @Test("queues first in, first out over many turns of the ring")
    func ring() {
        var ring = RingQueue<Int>()
        var model: [Int] = []
        var stream = RandomStream(key: 0x5EED_0002)
        for number in 0..<3000 {
            switch stream.below(5) {
            case 0, 1:
                ring.append(number)
                model.append(number)
            case 2:
                ring.prepend(number)
                model.insert(number, at: 0)
            default:
                #expect(ring.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(ring.count == model.count)
            #expect(ring.first == model.first)
        }
    }

    @Test("forgets limits of requests that ended, and gives the others in order")
    func deadlines() {
        var table = RequestTable(deviceCount: 3)
        var queue = DeadlineQueue()
        func open(_ device: UInt32) -> RequestKey {
            var request = OpenRequest()
            request.device = device
            return table.open(request)
        }
        let first = open(0)
        let second = open(1)
        let third = open(2)
        queue.append(first, limit: .seconds(10), now: at(0))
        queue.append(second, limit: .seconds(1), now: at(0))
        queue.append(third, limit: .seconds(1), now: at(5))
        #expect(queue.next(in: table) == at(1000))
        table.close(second.index)
        let reused = open(1)
        #expect(reused.index == second.index)
        #expect(!table.isOpen(second))
        #expect(queue.next(in: table) == at(1005))
        #expect(queue.popDue(through: at(1004)) == nil)
        #expect(queue.popDue(through: at(1005)) == third)
        #expect(queue.next(in: table) == at(10_000))
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
