import Testing

@testable import DeviceSDK

@Suite("The log of what was true")
struct EpochLogTests {
    @Test("an entry is kept only if an event refers to it")
    func references() {
        var log = EpochLog(0)
        log.change { $0 = 1 }
        log.change { $0 = 2 }
        #expect(log.count == 1)
        #expect(log.reference() == 0)
        #expect(log[0] == 2)
        log.change { $0 = 3 }
        log.change { $0 = 4 }
        #expect(log.reference() == 1)
        #expect(log.count == 2)
        #expect([log[0], log[1]] == [2, 4])
    }

    @Test("a change to the same state is none")
    func sameState() {
        var log = EpochLog(7)
        _ = log.reference()
        log.change { $0 = 7 }
        #expect(log.reference() == 0)
    }

    @Test("indices stay valid when older entries are trimmed")
    func trimming() {
        var log = EpochLog(0)
        for value in 1...5 {
            _ = log.reference()
            log.change { $0 = value }
        }
        log.trim(before: 3)
        #expect([log[3], log[4], log[5]] == [3, 4, 5])
        #expect(log.count == 3)
        log.trim(before: nil)
        #expect(log.count == 1)
        #expect(log.reference() == 5)
        #expect(log[5] == 5)
    }
}
