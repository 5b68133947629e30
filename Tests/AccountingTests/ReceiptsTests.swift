import Testing
import Timebase

@testable import Accounting

@Suite("Receipts")
struct ReceiptsTests {
    private let id = EventID(device: 2, sequence: 9)

    @Test("numbers the copies of an event")
    func copies() {
        var receipts = Receipts()
        #expect(receipts.record(id) == 0)
        #expect(receipts.record(id) == 1)
        #expect(receipts.record(id) == 2)
        #expect(receipts.recordNatural(high: 1, low: 2) == 0)
        #expect(receipts.recordNatural(high: 1, low: 2) == 1)
        #expect(receipts.received == 5)
        #expect(receipts.unique == 2)
        #expect(receipts.duplicates == 3)
    }

    @Test("withdrawing undoes recording, the last copy first")
    func withdraw() {
        var receipts = Receipts()
        let key = NaturalKey(high: 5, low: 6)
        for _ in 0..<3 {
            _ = receipts.record(id)
            _ = receipts.recordNatural(high: key.high, low: key.low)
        }
        receipts.withdraw(id)
        receipts.withdraw(key)
        #expect(receipts.duplicates == 2)
        #expect(receipts.record(id) == 2)
        for _ in 0..<3 { receipts.withdraw(id) }
        for _ in 0..<2 { receipts.withdraw(key) }
        #expect(receipts == Receipts())
        receipts.withdraw(id)
        #expect(receipts == Receipts())
    }

    @Test("merging counts what both hold as copies")
    func merge() {
        var left = Receipts()
        var right = Receipts()
        for _ in 0..<2 { _ = left.record(id) }
        for _ in 0..<3 { _ = right.record(id) }
        _ = right.recordNatural(high: 1, low: 1)
        _ = left.recordNatural(high: 1, low: 1)
        right.noteSwallowed(EventID(device: 0, sequence: 0))
        right.noteDryRun(EventID(device: 0, sequence: 1))
        right.undecodable = 4
        left.merge(right)
        #expect(left.received == 7)
        #expect(left.unique == 2)
        #expect(left.duplicates == 5)
        #expect(left.record(id) == 5)
        #expect(left.undecodable == 4)
        #expect(left.swallowed.contains(EventID(device: 0, sequence: 0)))
        #expect(left.dryRun.contains(EventID(device: 0, sequence: 1)))
    }

    @Test("a natural key's text is 32 digits and reads back")
    func naturalText() {
        let key = NaturalKey(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(key.text == "0123456789abcdeffedcba9876543210")
        #expect(NaturalKey(text: Array(key.text.utf8)) == key)
        #expect(NaturalKey(text: Array(key.text.uppercased().utf8)) == key)
        #expect(NaturalKey(text: Array(key.text.utf8).dropLast()) == nil)
        #expect(NaturalKey(text: Array("0123456789abcdeffedcba987654321g".utf8)) == nil)
    }
}
