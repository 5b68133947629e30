import Testing
import Timebase

@testable import Accounting

@Suite("The ledger")
struct LedgerTests {
    static let all: [Disposition] =
        [.delivered, .rejected(status: 400), .rejected(status: 413)]
        + Disposition.Suppression.allCases.map(Disposition.suppressed)
        + Disposition.Eviction.allCases.map(Disposition.evicted)
        + Disposition.Loss.allCases.map(Disposition.lost)
        + Disposition.Pending.allCases.map(Disposition.pending)

    @Test("balances exactly when every captured event has one fate")
    func balance() {
        var ledger = Ledger()
        for (index, disposition) in Self.all.enumerated() {
            ledger.seal(disposition, times: UInt64(index + 1))
        }
        let total = UInt64(Self.all.count * (Self.all.count + 1) / 2)
        ledger.captured = total
        #expect(ledger.balance == 0)
        ledger.captured = total + 1
        #expect(ledger.balance == 1)
        ledger.seal(.delivered)
        ledger.seal(.lost(.killed))
        #expect(ledger.balance == -1)
    }

    @Test("keeps each cause apart under the name that reports use")
    func causes() {
        var ledger = Ledger()
        for (index, disposition) in Self.all.enumerated() {
            ledger.seal(disposition, times: UInt64(index + 1))
        }
        for (index, disposition) in Self.all.enumerated() {
            let causes = ledger.causes(of: disposition.fate)
            guard let name = disposition.cause else {
                #expect(causes.isEmpty && ledger.delivered == UInt64(index + 1))
                continue
            }
            #expect(causes.filter { $0.name == name }.map(\.count) == [UInt64(index + 1)])
        }
    }

    @Test("merges to what one ledger would hold, statuses in order whatever came first")
    func merge() {
        var stream = RandomStream(key: 31)
        var whole = Ledger()
        var parts = [Ledger(), Ledger(), Ledger()]
        for index in 0..<3000 {
            let disposition: Disposition =
                stream.chance(0.5)
                ? .rejected(status: UInt16(300 + stream.below(40)))
                : Self.all[Int(stream.below(UInt64(Self.all.count)))]
            whole.seal(disposition)
            parts[index % 3].seal(disposition)
        }
        var merged = parts[2]
        merged.merge(parts[0])
        merged.merge(parts[1])
        #expect(merged == whole, "key 31")
        #expect(
            merged.lostInAnyWay == merged.count(of: .evicted) + merged.count(of: .rejected)
                + merged.count(of: .lost))
    }

    @Test("knows every disposition by a code of its own")
    func codes() {
        #expect(Set(Self.all.map(\.code)).count == Self.all.count)
    }
}
