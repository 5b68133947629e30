import Testing
import Timebase

@testable import DeviceSDK

@Suite("The clocks of timed events")
struct EventTimersTests {
    private func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }

    @Test("a clock is stopped once, and an event without one has none")
    func once() {
        var timers = EventTimers()
        timers.begin(3, at: at(1))
        #expect(timers.end(4, at: at(2)) == nil)
        #expect(timers.end(3, at: at(6)) == .seconds(5))
        #expect(timers.end(3, at: at(7)) == nil)
    }

    @Test(
        "events whose numbers share a mark have clocks of their own",
        arguments: [[0, 8], [8, 0], [7, 15], [65535, 7]])
    func sharedMarks(events: [UInt16]) {
        var timers = EventTimers()
        timers.begin(events[0], at: at(1))
        #expect(timers.end(events[1], at: at(2)) == nil)
        timers.begin(events[1], at: at(3))
        #expect(timers.end(events[0], at: at(4)) == .seconds(3))
        #expect(timers.end(events[1], at: at(5)) == .seconds(2))
    }

    @Test("a clock that runs begins anew, others go on")
    func anew() {
        var timers = EventTimers()
        timers.begin(1, at: at(0))
        timers.begin(2, at: at(0))
        timers.begin(1, at: at(10))
        #expect(timers.end(1, at: at(12)) == .seconds(2))
        #expect(timers.end(2, at: at(12)) == .seconds(12))
    }

    @Test("the background does not count")
    func background() {
        var timers = EventTimers()
        timers.begin(1, at: at(0))
        timers.pause(at: at(4))
        timers.resume(at: at(100))
        #expect(timers.end(1, at: at(103)) == .seconds(7))
    }
}
