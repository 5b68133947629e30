import Testing
import Timebase

@testable import LiveEngine

@Suite("The parts of a request's time")
struct CarrierPhasesTests {
    private func times(written: UInt64, firstByte: UInt64) -> Carrier.Times {
        var times = Carrier.Times()
        (times.writeBegan, times.written) = (100, written)
        (times.firstByte, times.lastByte) = (firstByte, 400)
        return times
    }

    @Test("add up to first byte sent → last byte of the answer, whenever the answer begins")
    func sum() {
        for (written, firstByte) in [(200, 300), (200, 200), (300, 200), (390, 110)] as [(UInt64, UInt64)] {
            let times = times(written: written, firstByte: firstByte)
            let parts = times.sending + times.waiting + times.receiving
            #expect(parts == Interval(nanoseconds: 300), "written at \(written), answered from \(firstByte)")
        }
    }

    @Test("an answer that begins before the request is sent is received from the request's end on")
    func early() {
        let times = times(written: 300, firstByte: 200)
        #expect(times.sending == Interval(nanoseconds: 200))
        #expect(times.waiting == .zero && times.receiving == Interval(nanoseconds: 100))
    }
}
