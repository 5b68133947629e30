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

    @Test("tells what comes next, some entries ahead", arguments: [UInt64(10), 11, 12])
    func upcoming(seed: UInt64) {
        var stream = RandomStream(key: seed)
        var wheel = TimerWheel(origin: Instant(nanoseconds: 0))
        for index in 0..<4000 as Range<UInt32> {
            // Mostly fewer than one for each tick, and all within the lowest level.
            let time = Instant(nanoseconds: Int64(stream.below(4_000_000_000)))
            wheel.insert(Wake(time: time, device: index, sequence: 0))
        }
        var told: [Int: Wake] = [:]
        var known = 0
        for turn in 0..<4000 {
            let wake = wheel.popFirst()
            if let earlier = told.removeValue(forKey: turn) { #expect(earlier == wake, "seed \(seed)") }
            for others in 0..<3 {
                guard let next = wheel.upcoming(after: others) else { break }
                told[turn + 1 + others] = next
                known += 1
            }
            #expect(wheel.upcoming(after: 4000) == nil)
        }
        #expect(told.isEmpty && wheel.popFirst() == nil)
        // Of eight entries that are taken in one go, the last three do not know that many.
        #expect(known > 8000, "seed \(seed)")
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

    @Test("keeps the order of what comes in for the moment that it has reached", arguments: [UInt64(8), 9])
    func burst(seed: UInt64) {
        var stream = RandomStream(key: seed)
        var wheel = TimerWheel(origin: Instant(nanoseconds: 0))
        var heap = MinHeap<Wake>()
        func enter(_ wake: Wake) {
            wheel.insert(wake)
            heap.insert(wake)
        }
        // All within two ticks, and each that is taken comes back a little later, or at once.
        for device in 0..<2000 {
            let time = Instant(nanoseconds: Int64(stream.below(2_000_000)))
            enter(Wake(time: time, device: UInt32(device), sequence: 0))
        }
        for _ in 0..<20_000 {
            guard var wake = heap.popFirst() else { break }
            #expect(wheel.popFirst() == wake, "seed \(seed)")
            wake.time = wake.time + Interval(nanoseconds: Int64(stream.below(400_000)))
            wake.sequence += 1
            if stream.chance(0.95) { enter(wake) }
            #expect(wheel.first() == heap.first, "seed \(seed)")
        }
        #expect(wheel.count > 0)
        while let wake = heap.popFirst() { #expect(wheel.popFirst() == wake, "seed \(seed)") }
        #expect(wheel.first() == nil)
    }

    @Test("gives what lies before the present first")
    func past() {
        var wheel = TimerWheel(origin: Instant(nanoseconds: 0))
        for second in [100, 200] {
            wheel.insert(Wake(time: Instant(milliseconds: Int64(second) * 1000), device: 1, sequence: 0))
        }
        #expect(wheel.popFirst()?.time == Instant(milliseconds: 100_000))
        #expect(wheel.first()?.time == Instant(milliseconds: 200_000))
        for second in [150, 120, 50] {
            wheel.insert(Wake(time: Instant(milliseconds: Int64(second) * 1000), device: 2, sequence: 0))
        }
        var seconds: [Int64] = []
        while let wake = wheel.popFirst() { seconds.append(wake.time.milliseconds / 1000) }
        #expect(seconds == [50, 120, 150, 200])
    }
}
