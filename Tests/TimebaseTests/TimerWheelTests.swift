import Testing

@testable import Timebase

@Suite("The timer wheel")
struct TimerWheelTests {
    @Test(
        "takes entries out in the total order, whatever the order of insertion",
        arguments: [UInt64(1), 2, 3, 4])
    func order(seed: UInt64) {
        var stream = RandomStream(key: seed)
        // From nanoseconds to years, so that every level and the far list are used.
        var wheel = TimerWheel(origin: Instant(nanoseconds: 1000))
        var model: [Wake] = []
        for index in 0..<5000 {
            let reach = Int64(1) << Int64(stream.below(58))
            let time = Instant(nanoseconds: 1000 + Int64(stream.below(UInt64(reach))))
            let wake = Wake(time: time, device: UInt32(stream.below(50)), sequence: UInt32(index))
            wheel.insert(wake)
            model.append(wake)
        }
        model.sort()
        for expected in model { #expect(wheel.popFirst() == expected, "seed \(seed)") }
        #expect(wheel.popFirst() == nil)
    }

    @Test("keeps the order while entries come in between", arguments: [UInt64(5), 6, 7])
    func interleaved(seed: UInt64) {
        var stream = RandomStream(key: seed)
        var wheel = TimerWheel(origin: Instant(nanoseconds: 0))
        var pending: Set<UInt32> = []
        var now = Instant(nanoseconds: 0)
        var last: Wake?
        var next: UInt32 = 0
        for _ in 0..<30_000 {
            if pending.isEmpty || stream.chance(0.5) {
                let delay = Interval(nanoseconds: Int64(stream.below(1 << stream.below(48))))
                wheel.insert(Wake(time: now + delay, device: UInt32(stream.below(9)), sequence: next))
                pending.insert(next)
                next += 1
            } else if let wake = wheel.popFirst() {
                #expect(wake.time >= now, "seed \(seed)")
                if let last, last.time == wake.time, last.device == wake.device {
                    #expect(last.sequence != wake.sequence)
                }
                #expect(pending.remove(wake.sequence) != nil, "seed \(seed)")
                now = wake.time
                last = wake
            }
        }
        #expect(wheel.count == pending.count, "seed \(seed)")
    }

    @Test("breaks ties by device, then by the device's sequence")
    func ties() {
        var wheel = TimerWheel(origin: Instant(nanoseconds: 0))
        let time = Instant(nanoseconds: 5_000_000_000)
        for (device, sequence) in [(2, 1), (1, 9), (1, 2), (2, 0)] as [(UInt32, UInt32)] {
            wheel.insert(Wake(time: time, device: device, sequence: sequence))
        }
        var order: [String] = []
        while let wake = wheel.popFirst() { order.append("\(wake.device).\(wake.sequence)") }
        #expect(order == ["1.2", "1.9", "2.0", "2.1"])
    }
}
