import Testing
import Timebase

@testable import Accounting

@Suite("EventBitmap")
struct EventBitmapTests {
    @Test("inserts each id once")
    func insertsOnce() {
        var set = EventBitmap()
        #expect(set.insert(EventID(device: 3, sequence: 64)) == true)
        #expect(set.insert(EventID(device: 3, sequence: 64)) == false)
        #expect(set.contains(EventID(device: 3, sequence: 64)))
        #expect(!set.contains(EventID(device: 3, sequence: 63)))
        #expect(!set.contains(EventID(device: 2, sequence: 64)))
        #expect(set.count == 1)
    }

    @Test("agrees with a set of ids, hostile ones included, and lists them in order")
    func agreesWithSet() {
        let seed: UInt64 = 0x5EED
        var draw = RandomStream(seed: seed, population: 0, index: 0, purpose: .test)
        var set = EventBitmap()
        var reference: Set<EventID> = []
        for _ in 0..<20_000 {
            let wild = draw.chance(0.05)
            let id = EventID(
                device: UInt32(draw.below(wild ? 1 << 32 : 200)),
                sequence: UInt32(draw.below(wild ? 1 << 32 : 300)))
            if draw.chance(0.1) {
                #expect(set.remove(id) == (reference.remove(id) != nil), "seed \(seed), id \(id.text)")
            } else {
                #expect(set.insert(id) == reference.insert(id).inserted, "seed \(seed), id \(id.text)")
            }
        }
        var listed: [EventID] = []
        set.forEach { listed.append($0) }
        #expect(listed == reference.sorted(), "seed \(seed)")
        #expect(set.count == reference.count, "seed \(seed)")
    }

    @Test("keeps ids beyond the budget in the sparse set", arguments: [0, 7, UInt32.max])
    func hostileIDs(device: UInt32) {
        var set = EventBitmap()
        let far = EventID(device: device, sequence: .max)
        #expect(set.insert(far) == true)
        #expect(set.insert(EventID(device: device, sequence: 0)) == true)
        #expect(set.insert(far) == false)
        #expect(set.usedWords < 1000)
        #expect(set.count == 2)
    }

    @Test("an id from the sparse set stays known when its device's bitmap grows past it")
    func sparseThenDense() {
        var set = EventBitmap()
        let far = EventID(device: 0, sequence: 300_000_000)
        #expect(set.insert(far) == true)
        for sequence in 0..<60_000 { _ = set.insert(EventID(device: 0, sequence: UInt32(sequence))) }
        #expect(set.insert(EventID(device: 0, sequence: 310_000_000)) == true)
        #expect(set.insert(far) == false)
        var last: [EventID] = []
        set.forEach { if $0.sequence >= 60_000 { last.append($0) } }
        #expect(last.map(\.sequence) == [300_000_000, 310_000_000])
    }

    @Test("a union holds both, and equality looks at ids alone")
    func unionAndEquality() {
        var left = EventBitmap()
        var right = EventBitmap()
        for sequence in 0..<100 {
            _ = left.insert(EventID(device: 1, sequence: UInt32(sequence)))
            _ = right.insert(EventID(device: 4_000_000_000, sequence: UInt32(99 - sequence)))
        }
        #expect(left != right)
        var one = left
        one.formUnion(right)
        var other = right
        other.formUnion(left)
        #expect(one == other)
        #expect(one.count == 200)
    }
}

@Suite("EventID")
struct EventIDTests {
    @Test("reads what it writes", arguments: [(0, 0), (17, 4), (UInt32.max, UInt32.max)])
    func roundTrip(device: UInt32, sequence: UInt32) {
        let id = EventID(device: device, sequence: sequence)
        #expect(EventID(text: Array(id.text.utf8)) == id)
    }

    @Test(
        "takes no mangled text for an id",
        arguments: [
            "", "-", "1", "1-", "-1", "01-1", "1-01", "1--1", "1-1-1", "+1-1", "1-1 ", "4294967296-0",
            "0-4294967296", "99999999999999999999999-1", "a-1", "1-٣",
        ])
    func mangled(text: String) {
        #expect(EventID(text: Array(text.utf8)) == nil)
    }
}
