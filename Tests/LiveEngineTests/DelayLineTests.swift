import Testing
import Timebase

@testable import LiveEngine

@Suite("DelayLine")
struct DelayLineTests {
    private func key(_ index: Int) -> RequestKey { RequestKey(index: Int32(index), generation: 1) }

    @Test("gives out what is due, earliest first, equals in the order of entry")
    func order() {
        var line = DelayLine()
        #expect(line.next == .distantFuture)
        let times: [Int64] = [30, 10, 20, 10, 40, 10]
        for (index, time) in times.enumerated() { line.insert(key(index), at: Instant(milliseconds: time)) }
        #expect(line.next == Instant(milliseconds: 10))
        var found: [Int32] = []
        while let next = line.popDue(through: Instant(milliseconds: 30)) { found.append(next.index) }
        #expect(found == [1, 3, 5, 2, 0])
        #expect(line.next == Instant(milliseconds: 40))
    }

    @Test("keeps the order of a thousand entries drawn by seed", arguments: UInt64(1)...3)
    func random(seed: UInt64) {
        var draw = RandomStream(key: seed)
        var line = DelayLine()
        let times = (0..<1000).map { _ in Int64(draw.below(300)) }
        for (index, time) in times.enumerated() { line.insert(key(index), at: Instant(milliseconds: time)) }
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        let found = expected.indices.compactMap { _ in
            line.popDue(through: .distantFuture).map { Int($0.index) }
        }
        #expect(found == expected, "seed \(seed)")
    }
}
