import DeviceSDK
import Testing
import Timebase

@testable import LiveEngine

@Suite("A server's clock")
struct ServerClockTests {
    private static let noon = Instant(milliseconds: 1_800_000_000_000)

    /// Answers of a server whose clock is ahead so much, each 5 ms after it was asked for.
    private func told(ahead: Interval, every: Interval, for length: Interval) -> ServerClock {
        var clock = ServerClock()
        var sent = Self.noon
        while sent < Self.noon + length {
            let shows = (sent + .milliseconds(3) + ahead).nanoseconds
            clock.note(
                date: Instant(nanoseconds: shows - shows % 1_000_000_000), sent: sent,
                received: sent + .milliseconds(5))
            sent = sent + every
        }
        return clock
    }

    @Test(
        "is known to some milliseconds by whole seconds, if there are many",
        arguments: [-2_345, -7, 0, 40, 12_000])
    func bounds(milliseconds: Int64) throws {
        let ahead = Interval.milliseconds(milliseconds)
        let clock = told(ahead: ahead, every: .milliseconds(97), for: .seconds(60))
        let bounds = try #require(clock.bounds)
        #expect(bounds.least <= ahead && ahead <= bounds.most)
        #expect(bounds.most - bounds.least < .milliseconds(25))
        #expect(clock.answers > 600)
    }

    @Test("is not known by answers that contradict each other")
    func contradiction() {
        var clock = told(ahead: .zero, every: .milliseconds(97), for: .seconds(10))
        #expect(clock.bounds != nil)
        clock.note(
            date: Self.noon + .seconds(20), sent: Self.noon + .seconds(10), received: Self.noon + .seconds(10)
        )
        #expect(clock.bounds == nil)
    }

    @Test("may drift from minute to minute")
    func drift() throws {
        var clock = ServerClock()
        for second in 0..<600 {
            // 200 µs a second.
            let sent = Self.noon + .seconds(Int64(second)) + .milliseconds(Int64(second * 37 % 1000))
            let shows = (sent + .microseconds(Int64(second) * 200)).nanoseconds
            clock.note(
                date: Instant(nanoseconds: shows - shows % 1_000_000_000), sent: sent,
                received: sent + .milliseconds(1))
        }
        let bounds = try #require(clock.bounds)
        #expect(bounds.most - bounds.least < .milliseconds(60))
    }

    @Test("is told by a field of the head, where it is asked for")
    func field() {
        let answer = Array(
            "HTTP/1.1 200 OK\r\nDate: Fri, 15 Jan 2027 08:00:00 GMT\r\nContent-Length: 0\r\n\r\n".utf8)
        var parser = ResponseParser()
        for isWanted in [true, false, true] {
            parser.begin(keepsBody: false, keepsSample: false, keepsDate: isWanted)
            let used = answer.withUnsafeBytes { parser.consume($0) }
            #expect(used == answer.count && parser.state == .complete)
            #expect(parser.date == (isWanted ? Self.noon : nil))
        }
    }
}

@Suite("Shares of a run")
struct ShareTests {
    @Test("are divided among event loops so that each device has one place")
    func parts() {
        var seen: [Int] = []
        for part in 0..<3 {
            let share = ShardShare(index: part, count: 3)
            for loop in 0..<4 {
                let own = share.part(loop, of: 4)
                for slot in 0..<own.deviceCount(of: 50) {
                    #expect(own.populationIndex(ofSlot: slot) % 3 == part)
                    seen.append(own.populationIndex(ofSlot: slot))
                }
            }
        }
        #expect(seen.sorted() == Array(0..<50))
    }
}
