import DeviceSDK
import SensorsSDK
import Testing
import Timebase
import Wire

@testable import DeviceStorage

/// The store in memory is a model of the one in a file. Both are asked the same at random, on disks
/// that fail, and must answer the same.
@Suite("Both stores alike")
struct StoreEquivalenceTests {
    @Test("whatever is asked, on whatever disk", arguments: UInt64(0)..<40)
    func random(seed: UInt64) {
        let folder = TemporaryFolder()
        let storeWarnings = StoreWarnings()
        var draw = RandomStream(key: seed).child(0xD15C)
        let marksInFile = draw.chance(0.5)
        var pair = Pair(
            memory: SensorsMemoryStore(marksInFile: marksInFile),
            file: SQLiteStore(
                file: DeviceFile(path: folder.file(), layout: marksInFile ? .withStatus : .plain),
                cache: ConnectionCache(capacity: 1, storeWarnings: storeWarnings)))
        for step in 0..<400 {
            let what = pair.step(&draw)
            let problem = pair.difference
            #expect(problem == nil, "seed \(seed), step \(step), after \(what): \(problem ?? "")")
            if problem != nil { return }
        }
        #expect(storeWarnings.warnings.isEmpty, "seed \(seed)")
    }
}

private struct Pair {
    var memory: SensorsMemoryStore
    var file: SQLiteStore
    var nextSequence: UInt32 = 0
    /// What the two answered differently.
    var difference: String?

    init(memory: SensorsMemoryStore, file: SQLiteStore) {
        self.memory = memory
        self.file = file
    }

    private mutating func demand<Value: Equatable>(_ what: String, _ left: Value, _ right: Value) {
        if left != right { difference = difference ?? "\(what): memory \(left), file \(right)" }
    }

    mutating func step(_ draw: inout RandomStream) -> String {
        let choice = draw.below(100)
        let what = act(choice, &draw)
        compare()
        return what
    }

    private mutating func act(_ choice: UInt64, _ draw: inout RandomStream) -> String {
        switch choice {
        case ..<8:
            demand("open", memory.open(), file.open())
            return "open"
        case ..<12:
            memory.close()
            file.close()
            return "close"
        case ..<50:
            let sequence = nextSequence
            nextSequence += 1 + UInt32(draw.below(2))
            demand("append", memory.add(sequence), file.add(sequence, length: Int(draw.below(900))))
            return "append \(sequence)"
        case ..<65: return mark(&draw)
        case ..<85: return delete(&draw)
        case ..<98:
            let condition = [DiskCondition.sound, .sound, .full, .readOnly][Int(draw.below(4))]
            memory.setDisk(condition)
            file.setDisk(condition)
            return "disk \(condition)"
        default:
            guard draw.chance(0.2) else { return "nothing" }
            var lost: ([UInt32], [UInt32]) = ([], [])
            memory.damage { lost.0.append($0.sequence) }
            file.damage { lost.1.append($0.sequence) }
            demand("damage", lost.0, lost.1)
            return "damage"
        }
    }

    /// Some of the rows that are there, and some that are not.
    private func rows(_ draw: inout RandomStream) -> ContiguousArray<EventRecord> {
        var rows: ContiguousArray<EventRecord> = []
        let share = draw.uniform()
        for sequence in 0..<nextSequence where draw.chance(share * 0.3) { rows.append(.test(sequence)) }
        return rows
    }

    private mutating func mark(_ draw: inout RandomStream) -> String {
        let rows = rows(&draw)
        let mark = [true, true, false, nil][Int(draw.below(4))]
        memory.update(rows, mark: mark) { $0.attempts += 1 }
        file.update(rows, mark: mark) { $0.attempts += 1 }
        return "mark \(rows.map(\.sequence)) \(String(describing: mark))"
    }

    private mutating func delete(_ draw: inout RandomStream) -> String {
        var gone: ([UInt32], [UInt32]) = ([], [])
        defer { demand("deleted", gone.0, gone.1) }
        if draw.chance(0.5) {
            let rows = rows(&draw)
            demand(
                "delete", memory.delete(rows) { gone.0.append($0.sequence) },
                file.delete(rows) { gone.1.append($0.sequence) })
            return "delete \(rows.map(\.sequence))"
        }
        let limit = Int(draw.below(6))
        let idleOnly = draw.chance(0.5)
        demand(
            "deleteOldest", memory.deleteOldest(limit, idleOnly: idleOnly) { gone.0.append($0.sequence) },
            file.deleteOldest(limit, idleOnly: idleOnly) { gone.1.append($0.sequence) })
        return "delete the oldest \(limit), idle only \(idleOnly)"
    }

    private mutating func compare() {
        demand("count", memory.count, file.count)
        demand("idle", memory.idleCount, file.idleCount)
        demand("isOpen", memory.isOpen, file.isOpen)
        demand("oldest", memory.oldest(4).sequences, file.oldest(4).sequences)
        demand("newest", memory.oldest(4, from: .newest).sequences, file.oldest(4, from: .newest).sequences)
        for kind in [SensorsRowKind.instant, .normal] {
            let found = memory.oldest(4, of: kind).sequences
            demand("oldest of a kind", found, file.oldest(4, of: kind).sequences)
            if !found.allSatisfy({ ($0 % 3 == 0) == (kind == .instant) }) {
                difference = difference ?? "\(kind): \(found)"
            }
        }
        demand(
            "all", memory.oldest(1000, idleOnly: false).sequences,
            file.oldest(1000, idleOnly: false).sequences)
        var left: [[Int]] = []
        var right: [[Int]] = []
        memory.rows.forEach { left.append([Int($0.sequence), Int($0.attempts), Int($0.status)]) }
        file.rows.forEach { right.append([Int($0.sequence), Int($0.attempts), Int($0.status)]) }
        demand("notes", left, right)
        let texts = file.oldest(1000, idleOnly: false)
        for (sequence, text) in zip(texts.sequences, texts.texts)
        where !text.hasPrefix("{\"event\":\"e\(sequence)\"") {
            difference = difference ?? "content of \(sequence): \(text)"
        }
    }
}
