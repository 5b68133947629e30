package import Timebase

/// What a simulated network does to connections, in real time of the run.
package struct NetworkConditions: Hashable, Sendable {
    /// What a segment, a connect or a refusal takes one way; drawn for each, and never out of order within a
    /// direction of a connection.
    package var latency = Interval.microseconds(50)...Interval.microseconds(50)
    /// What the answer to a question for a host's addresses takes.
    package var lookup = Interval.microseconds(200)...Interval.microseconds(200)
    /// Bytes of a segment, 1 or more: how reads are cut.
    package var segment = 65_536...65_536
    /// Bytes that a direction holds before its sender has to wait, 1 or more.
    package var window = 262_144
    /// The share of connections that nobody accepts, of those whose connect is never answered, of those that are reset,
    /// ended in order, or fall silent after some bytes; 0…1 each, and 1 in sum at most.
    package var refused = 0.0
    package var unanswered = 0.0
    package var reset = 0.0
    package var ended = 0.0
    package var stalled = 0.0
    /// After how many bytes of one direction, drawn for each such connection, it happens.
    package var faultAfter = 0...4_000

    /// A network on which nothing goes wrong, and everything takes as long as on one machine.
    package init() {}
}

/// What becomes of one connection.
enum ConnectionFate: Hashable {
    case sound, refused, unanswered
    /// After so many bytes of one direction.
    case broken(Breakage, after: Int, upward: Bool)

    enum Breakage: Hashable { case reset, ended, stalled }

    /// Draws what becomes of a connection; always the same number of draws.
    init(_ conditions: NetworkConditions, from random: inout RandomStream) {
        let kind = random.uniform()
        let span = UInt64(conditions.faultAfter.count)
        let bytes = conditions.faultAfter.lowerBound + Int(random.below(span))
        let upward = random.chance(0.5)
        var bound = conditions.refused
        if kind < bound { self = .refused; return }
        bound += conditions.unanswered
        if kind < bound { self = .unanswered; return }
        for (share, breakage) in [
            (conditions.reset, Breakage.reset), (conditions.ended, .ended), (conditions.stalled, .stalled),
        ] {
            bound += share
            if kind < bound { self = .broken(breakage, after: bytes, upward: upward); return }
        }
        self = .sound
    }
}

extension RandomStream {
    /// A length of time within a range, each nanosecond as likely.
    mutating func interval(in range: ClosedRange<Interval>) -> Interval {
        let width = UInt64(range.upperBound.nanoseconds - range.lowerBound.nanoseconds)
        return range.lowerBound + Interval(nanoseconds: Int64(below(width + 1)))
    }
}
