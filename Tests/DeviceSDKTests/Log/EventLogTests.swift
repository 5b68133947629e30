import Testing
import Timebase

@testable import DeviceSDK

@Suite("The store in memory")
struct EventLogTests {
    private func record(_ sequence: UInt32) -> EventRecord {
        EventRecord(
            capturedAt: Instant(milliseconds: Int64(sequence)), sequence: sequence, epoch: 0, template: 0)
    }

    private func log(_ count: Int) -> EventLog {
        var log = EventLog()
        for sequence in 0..<UInt32(count) { _ = log.append(record(sequence)) }
        return log
    }

    @Test("a row takes 32 bytes, a stored event at most 36, an empty store none")
    func memory() {
        #expect(MemoryLayout<EventRecord>.stride == 32)
        #expect(MemoryLayout<EventLog>.size == 28)
        #expect(EventLog().allocatedBytes == 0)
        var log = log(10_000)
        #expect(log.allocatedBytes <= 36 * 10_000)
        _ = log.deleteOldest(9000, idleOnly: false) { _ in }
        #expect(log.allocatedBytes <= 40 * 1000 + 4096)
        _ = log.deleteOldest(5000, idleOnly: false) { _ in }
        #expect(log.allocatedBytes == 0)
    }

    @Test("memory follows the rows where deletions leave holes")
    func holes() {
        var log = log(10_000)
        var keep: UInt32 = 0
        var batch: ContiguousArray<EventRecord> = []
        log.forEach { row in
            if row.sequence == keep { keep += 10 } else { batch.append(row) }
        }
        for start in stride(from: 0, to: batch.count, by: 50) {
            _ = log.delete(ContiguousArray(batch[start..<min(start + 50, batch.count)])) { _ in }
        }
        #expect(log.sequences == Array(stride(from: 0, to: 10_000, by: 10)))
        #expect(log.allocatedBytes <= 80 * 1000)
    }

    @Test("the oldest rows that are idle come first; marked ones are passed over")
    func marks() {
        var log = log(300)
        var batch: ContiguousArray<EventRecord> = []
        log.copyOldest(130, idleOnly: true, into: &batch)
        log.update(batch) { $0.isUploading = true }
        #expect(log.idleCount == 170)
        var next: ContiguousArray<EventRecord> = []
        log.copyOldest(50, idleOnly: true, into: &next)
        #expect(next.map(\.sequence) == Array(130..<180))
        _ = log.deleteOldest(20, idleOnly: true) { _ in }
        #expect(log.sequences == Array(0..<130) + Array(150..<300))
        log.updateAll { $0.isUploading = false }
        #expect(log.idleCount == 280)
    }

    @Test("behaves like an array of rows under random operations")
    func randomOperations() {
        for seed in 0..<200 {
            var random = RandomStream(key: UInt64(seed))
            var log = EventLog()
            var model: [EventRecord] = []
            var sequence: UInt32 = 0
            for _ in 0..<150 {
                apply(&random, &log, &model, &sequence)
                #expect(log.sequences == model.map(\.sequence), "seed \(seed)")
                #expect(log.count == model.count)
                #expect(log.idleCount == model.count { !$0.isUploading }, "seed \(seed)")
                #expect(log.first?.sequence == model.first?.sequence)
                let sizes = (0..<log.chunks.count).map { log.chunks.rows(of: $0).count }
                #expect(sizes.allSatisfy { (1...EventChunks.size).contains($0) }, "seed \(seed)")
            }
        }
        print("random stores: seeds 0 to 199")
    }

    private func apply(
        _ random: inout RandomStream, _ log: inout EventLog, _ model: inout [EventRecord],
        _ sequence: inout UInt32
    ) {
        var chosen: ContiguousArray<EventRecord> = []
        let share = random.uniform()
        switch random.below(6) {
        case 0, 1:
            for _ in 0..<random.below(120) {
                sequence += 1 + UInt32(random.below(2))
                _ = log.append(record(sequence))
                model.append(record(sequence))
            }
        case 2:
            for row in model where random.chance(share) { chosen.append(row) }
            // Rows that are not there are passed over.
            chosen.append(record(sequence + 1))
            var gone: [UInt32] = []
            let isDone = log.delete(chosen) { gone.append($0.sequence) }
            #expect(isDone)
            #expect(gone == chosen.dropLast().map(\.sequence))
            let names = Set(gone)
            model.removeAll { names.contains($0.sequence) }
        case 3:
            for row in model where random.chance(share) { chosen.append(row) }
            let names = Set(chosen.map(\.sequence))
            log.update(chosen) { $0.isUploading.toggle() }
            for index in model.indices where names.contains(model[index].sequence) {
                model[index].isUploading.toggle()
            }
        case 4:
            let limit = Int(random.below(200))
            let idleOnly = random.chance(0.5)
            var gone: [UInt32] = []
            _ = log.deleteOldest(limit, idleOnly: idleOnly) { gone.append($0.sequence) }
            let names = Set(
                model.filter { !idleOnly || !$0.isUploading }.prefix(limit).map(\.sequence))
            #expect(Set(gone) == names && gone == gone.sorted())
            model.removeAll { names.contains($0.sequence) }
        default:
            log.copyOldest(Int(share * 300), idleOnly: true, into: &chosen)
            #expect(
                chosen.map(\.sequence)
                    == model.filter { !$0.isUploading }.prefix(Int(share * 300)).map(\.sequence))
        }
    }
}
