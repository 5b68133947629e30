import Testing
import Timebase

@testable import LiveEngine

@Suite("Agenda")
struct AgendaTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    /// Takes out what is due, earliest first.
    private func due(_ agenda: inout Agenda, _ milliseconds: Int64) -> [Agenda.Entry] {
        var found: [Agenda.Entry] = []
        while let entry = agenda.popDue(through: at(milliseconds)) { found.append(entry) }
        return found
    }

    @Test("gives each device's latest wish, in order of time and device")
    func latestWish() {
        var agenda = Agenda(deviceCount: 4)
        for (device, time) in [(0, 50), (1, 20), (2, 20), (3, 10)] {
            agenda.setWake(of: UInt32(device), at: at(Int64(time)))
        }
        agenda.setWake(of: 3, at: .distantFuture)
        agenda.setWake(of: 0, at: at(20))
        agenda.setWake(of: 1, at: at(30))
        #expect(agenda.wake(of: 1) == at(30))
        #expect(due(&agenda, 25) == [.wake(0, due: at(20)), .wake(2, due: at(20))])
        #expect(agenda.next == at(30))
        #expect(due(&agenda, 100) == [.wake(1, due: at(30))])
        #expect(agenda.next == .distantFuture)
        #expect(agenda.wake(of: 1) == .distantFuture)
    }

    @Test("gives chores and wakes in order of time, and at one moment chores in theirs first")
    func order() {
        var agenda = Agenda(deviceCount: 1)
        agenda.setWake(of: 0, at: at(10))
        agenda.set(.phase, at: at(10))
        agenda.set(.note, at: at(10))
        agenda.set(.networks, at: at(40))
        agenda.set(.idle, at: at(5))
        agenda.set(.networks, at: at(10))
        agenda.set(.idle, at: at(20))
        #expect(agenda[.idle] == at(20))
        #expect(
            due(&agenda, 19) == [
                .chore(.networks, due: at(10)), .chore(.note, due: at(10)), .chore(.phase, due: at(10)),
                .wake(0, due: at(10)),
            ])
        #expect(agenda.next == at(20))
        agenda.set(.idle, at: .distantFuture)
        #expect(agenda.next == .distantFuture)
    }

    @Test("gives a request once, at its latest moment, after chores and before wakes")
    func requests() {
        var agenda = Agenda(deviceCount: 1)
        agenda.setWake(of: 0, at: at(10))
        for slot in [5, 2, 0] { agenda.setRequest(Int32(slot), at: at(10)) }
        agenda.setRequest(2, at: at(30))
        agenda.setRequest(2, at: at(10))
        // Setting the same moment again changes no order.
        agenda.setRequest(5, at: at(10))
        agenda.set(.note, at: at(10))
        agenda.setRequest(0, at: .distantFuture)
        agenda.setRequest(9, at: .distantFuture)
        #expect(
            due(&agenda, 10) == [
                .chore(.note, due: at(10)), .request(5), .request(2), .wake(0, due: at(10)),
            ])
        #expect(agenda.next == .distantFuture)
    }

    @Test("gives a thousand requests in order of time, and of entry", arguments: UInt64(1)...3)
    func manyRequests(seed: UInt64) {
        var draw = RandomStream(key: seed)
        var agenda = Agenda(deviceCount: 0)
        let times = (0..<1000).map { _ in Int64(draw.below(300)) }
        for (slot, time) in times.enumerated() { agenda.setRequest(Int32(slot), at: at(time)) }
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        #expect(due(&agenda, 300) == expected.map { .request(Int32($0)) }, "seed \(seed)")
    }

    @Test("lets nothing wait behind wakes that are not taken")
    func backlog() {
        var agenda = Agenda(deviceCount: 2)
        agenda.setWake(of: 0, at: at(1))
        agenda.setWake(of: 1, at: at(2))
        agenda.set(.note, at: at(3))
        #expect(agenda.popDue(through: at(3)) == .wake(0, due: at(1)))
        #expect(agenda.popDue(through: at(3), takesWakes: false) == .chore(.note, due: at(3)))
        #expect(agenda.popDue(through: at(3), takesWakes: false) == nil)
        #expect(agenda.next == at(2))
        agenda.endWakes()
        #expect(agenda.next == .distantFuture)
        #expect(agenda.popDue(through: at(3)) == nil)
        #expect(agenda.wake(of: 1) == at(2))
    }

    @Test("agrees with a plain search over random wishes", arguments: UInt64(1)...3)
    func random(seed: UInt64) {
        var stream = RandomStream(key: seed)
        let count = 50
        var agenda = Agenda(deviceCount: count)
        var model = [Instant](repeating: .distantFuture, count: count)
        var now: Int64 = 0
        for _ in 0..<5000 {
            let device = Int(stream.below(UInt64(count)))
            model[device] =
                stream.chance(0.1)
                ? .distantFuture : Instant(nanoseconds: now + Int64(stream.below(100)))
            agenda.setWake(of: UInt32(device), at: model[device])
            now += Int64(stream.below(3))
            while let earliest = model.min(), earliest.nanoseconds <= now {
                // Ties by device.
                let device = model.firstIndex(of: earliest) ?? -1
                #expect(agenda.next == earliest, "seed \(seed)")
                #expect(
                    agenda.popDue(through: Instant(nanoseconds: now)) == .wake(UInt32(device), due: earliest),
                    "seed \(seed)")
                model[device] = .distantFuture
            }
            #expect(agenda.popDue(through: Instant(nanoseconds: now)) == nil, "seed \(seed)")
            #expect(agenda.next == model.min(), "seed \(seed)")
        }
    }
}

@Suite("IndexedHeap")
struct IndexedHeapTests {
    @Test("gives items by key and number, wherever they were moved or taken out", arguments: UInt64(1)...3)
    func random(seed: UInt64) {
        var stream = RandomStream(key: seed)
        var heap = IndexedHeap<Int64>(itemCount: 0)
        var model: [UInt32: Int64] = [:]
        for step in 0..<4000 {
            let size = UInt64(10 + step / 10)
            heap.reserve(itemCount: Int(size))
            let item = UInt32(stream.below(size))
            if stream.chance(0.3) {
                heap.remove(item)
                model[item] = nil
            } else {
                let key = Int64(stream.below(60))
                heap.set(item, key)
                model[item] = key
            }
            #expect(heap.count == model.count, "seed \(seed)")
            #expect(heap[item] == model[item], "seed \(seed)")
            let least = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
            #expect(heap.first?.item == least?.key, "seed \(seed)")
            #expect(heap.first?.key == least?.value, "seed \(seed)")
        }
        for (item, key) in model.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            #expect(heap.first?.item == item && heap.first?.key == key, "seed \(seed)")
            heap.remove(item)
        }
        #expect(heap.first == nil)
    }
}
