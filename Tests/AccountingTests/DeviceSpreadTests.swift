import Testing

@testable import Accounting

@Suite("Spread over devices")
struct DeviceSpreadTests {
    @Test("means and errors are those of the textbook")
    func textbook() throws {
        // By hand: mean 5, deviations -3 -1 1 3, variance 20/3, standard error √(20/3 / 4).
        let spread = try #require(DeviceSpread(captured: [2, 4, 6, 8], gone: [1, 0, 1, 2]))
        #expect(spread.captured.mean == 5)
        #expect(abs(spread.captured.standardError - 1.2909944487) < 1e-9)
        // Share 4/20; deviations 0.6 -0.8 -0.2 0.4, squares 1.2, √(1.2 / 3 · 4) / 20.
        let gone = try #require(spread.gone)
        #expect(gone.mean == 0.2)
        #expect(abs(gone.standardError - 0.0632455532) < 1e-9)
    }

    @Test("a single device, and devices that captured nothing, tell nothing")
    func nothing() {
        #expect(DeviceSpread(captured: [5], gone: [1]) == nil)
        #expect(DeviceSpread(captured: [0, 0, 0], gone: [0, 0, 0]) == nil)
    }

    @Test("populations have their own devices' events, with gone by fate")
    func populations() throws {
        var beliefs = DeviceBeliefs()
        beliefs.capturedCounts = [3, 1, 4, 2]
        func note(_ device: UInt32, _ sequence: UInt32, _ disposition: Disposition) {
            let id = EventID(device: device, sequence: sequence)
            if disposition == .delivered {
                beliefs.note(delivered: id)
            } else {
                beliefs.note(undelivered: id, disposition)
            }
        }
        note(0, 0, .delivered)
        note(0, 1, .evicted(.storageLimit))
        note(0, 2, .pending(.stored))
        note(1, 0, .delivered)
        for sequence in 0..<4 { note(2, UInt32(sequence), .lost(.killed)) }
        note(3, 0, .rejected(status: 400))
        note(3, 1, .delivered)
        var first = Ledger()
        first.captured = 4
        first.seal(.delivered, times: 2)
        first.seal(.evicted(.storageLimit), times: 1)
        first.seal(.pending(.stored), times: 1)
        var second = Ledger()
        second.captured = 6
        second.seal(.lost(.killed), times: 4)
        second.seal(.rejected(status: 400), times: 1)
        second.seal(.delivered, times: 1)
        let spreads = beliefs.spreads(of: [(0..<2, first), (2..<4, second)])
        #expect(spreads[0] == DeviceSpread(captured: [3, 1], gone: [1, 0]))
        #expect(spreads[1] == DeviceSpread(captured: [4, 2], gone: [4, 1]))

        // An event of which no device is known is in the books alone.
        second.captured += 1
        second.seal(.lost(.killed), times: 1)
        #expect(beliefs.spreads(of: [(2..<4, second)]) == [nil])
        beliefs.capturedCounts[3] += 1
        let known = try #require(beliefs.spreads(of: [(2..<4, second)])[0])
        #expect(known.captured.mean == 3.5 && known.gone == nil)
        #expect(beliefs.spreads(of: [(2..<5, second)]) == [nil])
    }
}
