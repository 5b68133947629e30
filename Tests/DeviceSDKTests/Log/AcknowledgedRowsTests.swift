import Testing
import Timebase

@testable import DeviceSDK

@Suite("AcknowledgedRows")
struct AcknowledgedRowsTests {
    private static func key(_ row: EventRecord, _ slot: UInt32) -> UInt64 {
        UInt64(slot) << 32 | UInt64(row.sequence)
    }

    private static func row(_ sequence: UInt32) -> EventRecord {
        EventRecord(capturedAt: Instant(nanoseconds: 0), sequence: sequence, epoch: 0, template: 0)
    }

    @Test("each row has the time of its first acknowledgement, once, in whatever order it is asked for")
    func order() {
        for seed in UInt64(1)...200 {
            var stream = RandomStream(key: seed)
            var rows = AcknowledgedRows()
            // What it promises, without its list.
            var times: [UInt64: Instant] = [:]
            for step in 0..<60 {
                let slot = UInt32(stream.below(3))
                let first = UInt32(stream.below(20))
                let batch = (first..<first + UInt32(stream.below(8))).map { Self.row($0) }
                let now = Instant(nanoseconds: Int64(step))
                if stream.chance(0.5) {
                    for row in batch {
                        rows.note(row, slot: slot, at: now)
                        let key = Self.key(row, slot)
                        if times[key] == nil { times[key] = now }
                    }
                }
                // At once and in order, as after an answer; or others, later, or backwards.
                let taken = stream.chance(0.3) ? Array(batch.reversed()) : batch
                for row in taken where stream.chance(0.9) {
                    let expected = times.removeValue(forKey: Self.key(row, slot))
                    let at = rows.take(row, slot: slot)
                    #expect(at == expected, "seed \(seed), step \(step)")
                }
            }
            for slot in UInt32(0)..<3 {
                for sequence in UInt32(0)..<40 {
                    let row = Self.row(sequence)
                    let at = rows.take(row, slot: slot)
                    #expect(at == times[Self.key(row, slot)], "seed \(seed)")
                }
            }
        }
    }
}
