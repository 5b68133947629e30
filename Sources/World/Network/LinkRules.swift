package import Timebase

/// What a request meets on one radio, between the device and the collector.
///
/// Packets matter only through requests. A request of `n` packets (of ``packetBytes`` each) that finds a
/// connection open reaches the collector after
///
///     what is left of the radio's waking + RTT / 2 + bytes · 8 / up + time lost by losses,
///
/// one that has to open it ``setUpRoundTrips`` round trips later; the answer takes RTT / 2, its own bytes at ``down``
/// and its own losses. Not modelled: slow start (most batches fit the first ten packets), queues of the device's
/// own traffic, and the name's look-up.
package struct LinkRules: Hashable, Sendable {
    /// Of one request, in milliseconds; all of its round trips take the same.
    package var roundTrip = Distribution.constant(0)
    /// The least that is drawn counts as this; milliseconds.
    package var leastRoundTrip = 0.0
    /// Bits per second; `nil` for no limit.
    package var up: Double?
    package var down: Double?
    /// Share of packets that get lost, 0..<1, in each direction.
    package var loss = 0.0
    /// Mean number of packets that get lost in a row, 1 or more: the bad state of Gilbert's model loses all.
    package var burst = 1.0
    /// Round trips before a new connection carries a request.
    package var setUpRoundTrips = LinkRules.tcpAndTLS
    /// How long the radio takes to wake, and stays awake after the last byte.
    package var promotion = Interval.zero
    package var tail = Interval.zero
    /// Shares of requests that come to a bad end by themselves, 0…1: the connection is refused, breaks in
    /// mid-body, or goes silent when the collector has the request.
    package var refused = 0.0
    package var reset = 0.0
    package var lostReply = 0.0

    package init() {}

    /// TCP's handshake and TLS 1.3's (RFC 8446): one round trip each.
    package static let tcpAndTLS = 2
    /// What a packet carries: an Ethernet frame less the headers of IPv6 and TCP with options, rounded down.
    package static let packetBytes = 1400
    /// The size of answers as links see them: a head and a few words (an assumption).
    package static let answerBytes = 500
    /// How long an idle connection stays open (an assumption; servers give from 15 to 75 s).
    package static let keepAlive = Interval.seconds(30)
    /// The first time-out of a connection that is being opened (RFC 6298, 2.1).
    static let firstTimeout = 1000.0
    /// The least time-out of one that is open (Linux, TCP_RTO_MIN); milliseconds.
    static let leastTimeout = 200.0

    /// Whether requests that begin at one instant may end at one instant, and chance says what becomes of each.
    package var drawsAmongEqual: Bool {
        (roundTrip.deviation == 0 || leastRoundTrip > roundTrip.mean)
            && [loss, refused, reset, lostReply].contains { $0 > 0 && $0 < 1 }
    }

    /// Whether the size of a request matters here.
    package var needsSize: Bool { up != nil || loss > 0 }

    /// TCP's retransmission time-out (RFC 6298): the round trip and four of its deviations; milliseconds.
    func retransmissionTimeout(roundTrip: Double) -> Double {
        max(LinkRules.leastTimeout, roundTrip + 4 * self.roundTrip.deviation)
    }
}

extension LinkRules {
    /// The losses that a run of packets meets, each of one or more packets in a row.
    ///
    /// The first packet finds the chain in equilibrium. A whole burst costs one time-out: by then the chain
    /// has forgotten its state.
    ///
    /// - Returns: how many; 0 with the probability (1 - loss) · (1 - p)^(packets - 1), where
    ///   p = loss / (burst · (1 - loss)) is how likely a burst begins after a packet that came through.
    func losses(in packets: Int, _ draw: inout RandomStream) -> Int {
        guard loss > 0 else { return 0 }
        let begins = min(1, loss / (burst * (1 - loss)))
        var count = 0
        var left = packets
        var isLosing = draw.chance(loss)
        while left > 0 {
            if isLosing { count += 1 }
            left -= LinkRules.run(endingWith: isLosing ? 1 / burst : begins, &draw)
            isLosing.toggle()
        }
        return count
    }

    /// The length of a run, 1 or more, that ends after each packet with a probability.
    private static func run(endingWith chance: Double, _ draw: inout RandomStream) -> Int {
        let quantile = draw.uniform()
        guard chance < 1 else { return 1 }
        let length = DeterministicMath.log(1 - quantile) / DeterministicMath.log(1 - chance)
        return length < 1e9 ? 1 + Int(length) : 1_000_000_000
    }

    /// The time that losses cost: each a time-out, which doubles as often as the retransmission is lost as well.
    func delay(ofLosses count: Int, timeout: Double, _ draw: inout RandomStream) -> Double {
        var sum = 0.0
        for _ in 0..<count {
            var wait = timeout
            sum += wait
            // Beyond this no SDK waits.
            while wait < 86_400_000, draw.chance(loss) {
                wait *= 2
                sum += wait
            }
        }
        return sum
    }
}
