import Testing
import Timebase

@testable import Accounting

@Suite("Audit")
struct AuditTests {
    /// One device with 10 captured events, numbered 0…9.
    private func beliefs(delivered: [UInt32]) -> DeviceBeliefs {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [10]
        for sequence in delivered { beliefs.note(delivered: EventID(device: 0, sequence: sequence)) }
        return beliefs
    }

    private func event(_ sequence: UInt32, of device: UInt32 = 0) -> EventID {
        EventID(device: device, sequence: sequence)
    }

    @Test("puts every delivered event into exactly one class")
    func deliveredClasses() {
        var receipts = Receipts()
        _ = receipts.record(event(0))
        _ = receipts.record(event(0))
        receipts.noteSwallowed(event(0))
        receipts.noteSwallowed(event(1))
        receipts.noteDryRun(event(1))
        receipts.noteDryRun(event(2))
        let audit = Audit.compare(beliefs: beliefs(delivered: [0, 1, 2, 3]), receipts: receipts)
        #expect(audit.confirmed == 1)
        #expect(audit.swallowed == 1)
        #expect(audit.dryRun == 1)
        #expect(audit.ackedNotFound == 1)
        #expect(audit.delivered == 4)
        #expect(audit.received == 2)
        #expect(audit.duplicates == 1)
        #expect(audit.failed)
    }

    @Test("tells recovered events from events that nobody made")
    func heldClasses() {
        var receipts = Receipts()
        for id in [event(4), event(10), event(0, of: 1), event(0, of: .max)] { _ = receipts.record(id) }
        receipts.undecodable = 2
        let audit = Audit.compare(beliefs: beliefs(delivered: []), receipts: receipts)
        #expect(audit.recovered == 1)
        #expect(audit.unexpected == 3)
        #expect(audit.undecodable == 2)
        #expect(audit.failed)
    }

    @Test("natural keys are confirmed, recovered or unexpected like ids")
    func naturalKeys() {
        var beliefs = DeviceBeliefs()
        var receipts = Receipts()
        let keys = (0..<5).map { NaturalKey(high: 7, low: UInt64($0)) }
        beliefs.note(delivered: keys[0])
        beliefs.note(undelivered: keys[1], .lost(.killed))
        beliefs.note(delivered: keys[2])
        for key in [keys[0], keys[1], keys[4]] { _ = receipts.recordNatural(high: key.high, low: key.low) }
        let audit = Audit.compare(beliefs: beliefs, receipts: receipts)
        #expect(audit.confirmed == 1)
        #expect(audit.recovered == 1)
        #expect(audit.ackedNotFound == 1)
        #expect(audit.unexpected == 1)
    }

    @Test("an honest collector passes")
    func honest() {
        var receipts = Receipts()
        for sequence in 0..<5 { _ = receipts.record(event(UInt32(sequence))) }
        let audit = Audit.compare(beliefs: beliefs(delivered: [0, 1, 2, 3]), receipts: receipts)
        #expect(!audit.failed)
        #expect(audit.recovered == 1)
    }

    @Test("both sums hold for random sides")
    func sums() {
        let seed: UInt64 = 0xA0D1
        var draw = RandomStream(seed: seed, population: 0, index: 0, purpose: .test)
        for round in 0..<50 {
            var beliefs = DeviceBeliefs()
            beliefs.capturedCounts = (0..<4).map { _ in UInt32(draw.below(40)) }
            var receipts = Receipts()
            for _ in 0..<150 {
                let id = EventID(device: UInt32(draw.below(5)), sequence: UInt32(draw.below(45)))
                if draw.chance(0.5) { _ = receipts.record(id) }
                if draw.chance(0.1) { receipts.noteSwallowed(id) }
                if draw.chance(0.1) { receipts.noteDryRun(id) }
                if beliefs.made(id), draw.chance(0.5) { beliefs.note(delivered: id) }
            }
            let audit = Audit.compare(beliefs: beliefs, receipts: receipts)
            #expect(audit.imbalances.isEmpty, "seed \(seed), round \(round)")
            #expect(audit.delivered == UInt64(beliefs.delivered.count), "seed \(seed), round \(round)")
        }
    }

    @Test("events that nobody can tell apart are counted each, and told")
    func alike() {
        let (one, other, lost) = (
            NaturalKey(high: 1, low: 1), NaturalKey(high: 2, low: 2), NaturalKey(high: 3, low: 3)
        )
        var beliefs = DeviceBeliefs()
        for key in [one, one, other, lost, lost] { beliefs.note(delivered: key) }
        var more = DeviceBeliefs()
        for key in [one, one, other] { more.note(delivered: key) }
        beliefs.merge(more)
        var receipts = Receipts()
        for key in [one, one, one, other] { _ = receipts.recordNatural(high: key.high, low: key.low) }
        let audit = Audit.compare(beliefs: beliefs, receipts: receipts)
        #expect(audit.confirmed == 6 && audit.alike == 4 && audit.ackedNotFound == 2)
        #expect(audit.delivered == 8 && audit.missingNatural == [lost])
        #expect(audit.unique == 2 && audit.imbalances.isEmpty)
    }

    @Test("a sum that does not hold is told with its figures")
    func imbalances() {
        var audit = Audit()
        (audit.received, audit.unique, audit.duplicates) = (9, 7, 2)
        (audit.confirmed, audit.alike, audit.recovered, audit.unexpected, audit.ofMissingParts) = (
            5, 2, 1, 1, 2
        )
        #expect(audit.imbalances.isEmpty)
        audit.received += 1
        #expect(audit.imbalances == ["received 10 is not unique 7 + duplicates 2 + of missing parts 0"])
        for count in [\Audit.confirmed, \.alike, \.recovered, \.unexpected, \.ofMissingParts] {
            var other = audit
            other.received -= 1
            other[keyPath: count] += 1
            #expect(other.imbalances.count == 1 && other.imbalances[0].hasPrefix("unique 7 is not"))
        }
    }

    @Test("what devices of missing parts left behind is counted apart, copies included")
    func missingParts() {
        var beliefs = beliefs(delivered: [0])
        let (known, foreign) = (NaturalKey(high: 1, low: 1), NaturalKey(high: 2, low: 2))
        beliefs.note(delivered: known)
        var receipts = Receipts()
        for id in [event(0), event(0), event(0, of: 1), event(0, of: 1), event(0, of: 1), event(1, of: 1)] {
            _ = receipts.record(id)
        }
        for id in [event(0, of: 2), event(0, of: 2)] { _ = receipts.record(id) }
        for key in [known, known, known, foreign, foreign] {
            _ = receipts.recordNatural(high: key.high, low: key.low)
        }
        let audit = Audit.compare(beliefs: beliefs, receipts: receipts) { $0 == 1 }
        #expect(audit.received == 13 && audit.unique == 6 && audit.imbalances.isEmpty)
        #expect(audit.confirmed == 2 && audit.unexpected == 1)
        #expect(audit.ofMissingParts == 3 && audit.duplicatesOfMissingParts == 3)
        // One of a device that is there, one of nobody's, two that are known by their natural key.
        #expect(audit.duplicates == 4)
        let whole = Audit.compare(beliefs: beliefs, receipts: receipts)
        #expect(whole.duplicates == 7 && whole.duplicatesOfMissingParts == 0 && whole.imbalances.isEmpty)
    }

    @Test("beliefs of two parts of a fleet add up")
    func mergedBeliefs() {
        var left = beliefs(delivered: [1])
        var right = DeviceBeliefs()
        right.capturedCounts = [0, 6]
        right.note(delivered: event(5, of: 1))
        left.merge(right)
        #expect(left.capturedCounts == [10, 6])
        #expect(left.made(event(5, of: 1)))
        #expect(!left.made(event(6, of: 1)))
        #expect(left.delivered.count == 2)
    }

    @Test("tells by fate what was recovered, and names what is missing")
    func fates() {
        var beliefs = beliefs(delivered: [0, 1, 2])
        beliefs.note(undelivered: event(3), .lost(.killed))
        beliefs.note(undelivered: event(4), .lost(.killed))
        beliefs.note(undelivered: event(5), .pending(.inFlight))
        beliefs.note(undelivered: event(6), .suppressed(.invalid))
        var receipts = Receipts()
        for sequence in [0, 4, 5, 6] { _ = receipts.record(event(UInt32(sequence))) }
        let audit = Audit.compare(beliefs: beliefs, receipts: receipts)
        #expect(audit.recovered == 3)
        #expect(
            audit.recoveredFates == [
                Disposition.lost(.killed).code: 1, Disposition.pending(.inFlight).code: 1,
            ])
        #expect(audit.recoveredSuppressed == 1)
        #expect(audit.missing == [event(1), event(2)])
    }

    @Test("fates in runs are those that were noted, in any order", arguments: [UInt64(11), 12, 13])
    func runs(seed: UInt64) {
        var draw = RandomStream(seed: seed, population: 0, index: 0, purpose: .test)
        let fates: [Disposition] = [
            .lost(.killed), .evicted(.storageLimit), .rejected(status: 413), .pending(.stored),
        ]
        var noted: [EventID: Disposition] = [:]
        var left = UndeliveredFates()
        var right = UndeliveredFates()
        for _ in 0..<6000 {
            let id = EventID(device: UInt32(draw.below(7)), sequence: UInt32(draw.below(900)))
            guard noted[id] == nil else { continue }
            let fate = fates[Int(draw.below(UInt64(fates.count)))]
            noted[id] = fate
            if draw.chance(0.5) { left.note(id, fate) } else { right.note(id, fate) }
        }
        left.merge(right)
        let sorted = left.sorted
        for device in 0..<UInt32(8) {
            for sequence in 0..<UInt32(902) {
                let id = EventID(device: device, sequence: sequence)
                #expect(sorted.code(of: id) == noted[id]?.code, "seed \(seed), \(id.text)")
            }
        }
        let events = sorted.runs.reduce(0) { $0 + Int($1.last - $1.first) + 1 }
        #expect(events == noted.count, "seed \(seed)")
        for fate in fates { #expect(Disposition(code: fate.code) == fate) }
    }

    @Test("neighbours with one fate are one run however they come")
    func neighbours() {
        var fates = UndeliveredFates()
        for sequence in stride(from: UInt32(5000), to: 0, by: -1) {
            fates.note(event(sequence - 1), .pending(.stored))
        }
        #expect(fates.sorted.runs.count == 1)
        var forward = UndeliveredFates()
        for sequence in UInt32(0)..<5000 { forward.note(event(sequence), .pending(.stored)) }
        #expect(forward == fates)
    }
}
