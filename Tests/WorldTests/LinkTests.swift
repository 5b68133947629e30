import Testing
import Timebase

@testable import World

@Suite("LinkRules")
struct LinkTests {
    private let root = RandomStream(seed: 5, population: 9, index: 0, purpose: .network)

    private func request(
        _ number: UInt64 = 0, bytes: Int = 1000, staysFor: Interval? = nil,
        radio: (inout RadioMoment) -> Void = { _ in }
    ) -> LinkRequest {
        var moment = RadioMoment()
        moment.next = .wifi
        moment.wakesFor = .seconds(2)
        radio(&moment)
        return LinkRequest(stream: root.child(number), bytes: bytes, radio: moment, staysFor: staysFor)
    }

    private func passage(
        _ link: LinkRules, _ request: LinkRequest, _ handover: HandoverRules = HandoverRules()
    ) -> ClientFaultVerdict {
        link.passage(of: request, handover: handover)
    }

    /// 100 ms there and back, 80 kbit/s up (10 bytes a millisecond), 40 kbit/s down.
    private var plain: LinkRules {
        var link = LinkRules()
        link.roundTrip = .constant(100)
        link.up = 80_000
        link.down = 40_000
        return link
    }

    /// Whether a count of successes fits a probability: within four standard deviations.
    private func fits(_ count: Int, of total: Int, _ chance: Double) -> Bool {
        let deviation = (Double(total) * chance * (1 - chance)).squareRoot()
        return abs(Double(count) - Double(total) * chance) <= 4 * deviation
    }

    @Test("a request takes the radio's waking, the connection's round trips, its bytes and half a round trip")
    func time() {
        let cold = passage(plain, request())
        #expect(cold.delay == .milliseconds(2000 + 200 + 100 + 50))
        // The answer's 500 bytes take 100 ms.
        #expect(cold.replyDelay == .milliseconds(50 + 100))
        #expect(cold.fate == .goes && cold.handover == nil)
        let waking = passage(plain, request { $0.wakesFor = .milliseconds(700) })
        #expect(waking.delay == .milliseconds(700 + 200 + 100 + 50))
        let awake = passage(plain, request { $0.wakesFor = .zero })
        #expect(awake.delay == .milliseconds(200 + 100 + 50))
        let warm = passage(
            plain,
            request(bytes: 20_000) {
                $0.wakesFor = .zero
                $0.isConnected = true
            })
        #expect(warm.delay == .milliseconds(2000 + 50))
    }

    @Test("tools that hold up whole requests do it once")
    func wholeRequests() throws {
        let link = try #require(NetworkPresets.rules(named: "devtools-3g")?.links[.cellular3G])
        let verdict = passage(link, request(bytes: 5000) { $0.wakesFor = .zero })
        // 5000 bytes at 400 kbit/s are 100 ms, the answer's 500 are 10.
        #expect(verdict.delay + verdict.replyDelay == .milliseconds(2000 + 100 + 10))
    }

    @Test(
        "the presets of DevTools have its numbers: kilobits and milliseconds, times its factors",
        arguments: [
            ("devtools-3g", [500, 500], 0.8, 400, 5), ("devtools-slow-4g", [1600, 750], 0.9, 150, 3.75),
            ("devtools-fast-4g", [9000, 1500], 0.9, 60, 2.75),
        ])
    func devTools(name: String, rates: [Double], share: Double, latency: Double, times: Double) throws {
        let link = try #require(NetworkPresets.rules(named: name)?.links[.cellular4G])
        #expect([link.down, link.up] == rates.map { $0 * share * 1000 })
        #expect(link.roundTrip == .constant(latency * times) && link.setUpRoundTrips == 0)
    }

    @Test("round trips are as drawn, with a floor: the 95th percentile of 4G is 186 ms")
    func roundTrips() throws {
        var link = try #require(NetworkPresets.link(of: .cellular4G))
        link.loss = 0
        link.up = nil
        link.down = nil
        let times = (0..<4000).map { number in
            passage(
                link,
                request(number) {
                    $0.wakesFor = .zero
                    $0.isConnected = true
                })
        }.map { ($0.delay + $0.replyDelay).fractionalMilliseconds }
        #expect(fits(times.filter { $0 > 186 }.count, of: 4000, 0.05))
        #expect(fits(times.filter { $0 > 50 }.count, of: 4000, 0.5))
        #expect(times.allSatisfy { $0 >= 19.999 })
    }

    @Test("whether packets get lost follows Gilbert's chain in equilibrium", arguments: [1, 2, 10, 40])
    func losses(packets: Int) {
        var link = LinkRules()
        link.loss = 0.02
        link.burst = 4
        let begins = 0.02 / (4 * 0.98)
        var whole = 1 - 0.02
        for _ in 1..<packets { whole *= 1 - begins }
        let counts = (0..<20_000).map { (number: UInt64) in
            var draw = root.child(number)
            return link.losses(in: packets, &draw)
        }
        #expect(fits(counts.filter { $0 == 0 }.count, of: counts.count, whole))
        // A burst begins at the first packet or after one that came through.
        let mean = 0.02 + Double(packets - 1) * 0.98 * begins
        let found = Double(counts.reduce(0, +)) / Double(counts.count)
        #expect(abs(found - mean) < 4 * (mean / Double(counts.count)).squareRoot() + 1e-9)
    }

    @Test("a loss costs a time-out, that doubles with each retransmission that is lost too")
    func timeouts() {
        var link = LinkRules()
        link.loss = 0.3
        let costs = (0..<10_000).map { (number: UInt64) in
            var draw = root.child(number)
            return link.delay(ofLosses: 1, timeout: 200, &draw)
        }
        #expect(fits(costs.filter { $0 == 200 }.count, of: costs.count, 0.7))
        #expect(fits(costs.filter { $0 == 600 }.count, of: costs.count, 0.21))
        #expect(fits(costs.filter { $0 == 1400 }.count, of: costs.count, 0.063))
        link.roundTrip = .lognormal(median: 200, sigma: 0.5)
        // Its deviation is 120.8 ms (mean 226.6 ms, times the root of e^0.25 - 1).
        #expect(abs(link.retransmissionTimeout(roundTrip: 250) - (250 + 4 * 120.77)) < 0.2)
        #expect(LinkRules().retransmissionTimeout(roundTrip: 3) == 200)
    }

    @Test("bad ends come as often as they should, each in its own way")
    func badEnds() {
        var link = plain
        link.refused = 0.1
        link.reset = 0.2
        link.lostReply = 0.3
        let verdicts = (0..<5000).map { passage(link, request($0)) }
        #expect(fits(verdicts.filter { $0.fate == .refused }.count, of: 5000, 0.1))
        #expect(fits(verdicts.filter { $0.fate == .reset(.half) }.count, of: 5000, 0.2))
        #expect(fits(verdicts.filter { $0.fate == .lostReply(.timeout) }.count, of: 5000, 0.3))
        for verdict in verdicts {
            switch verdict.fate {
            case .refused: #expect(verdict.delay == .milliseconds(2100))
            case .reset: #expect(verdict.delay == .milliseconds(2300))
            default: #expect(verdict.delay == .milliseconds(2350))
            }
        }
    }

    /// The course of a request that begins at 0.
    private func course(_ verdict: ClientFaultVerdict) -> RequestCourse {
        RequestCourse(verdict, limit: .seconds(60), hasNetwork: true, at: Instant(milliseconds: 0))
    }

    /// When the collector answers.
    private let answered = Instant(milliseconds: 2351)

    @Test("a change of the radio breaks a request at that moment, before the collector has it or after")
    func breaking() {
        let always = HandoverRules(failure: 1, gap: .constant(700))
        let early = passage(plain, request(staysFor: .milliseconds(2200)), always)
        #expect(early == ClientFaultVerdict(delay: .milliseconds(2200), fate: .reset(.half)))
        let late = passage(plain, request(staysFor: .milliseconds(2400)), always)
        #expect(late.fate == .goes && late.delay == .milliseconds(2350))
        #expect(course(late).breaksAt == Instant(milliseconds: 2400))
        // The answer leaves at once, and is under way for 150 ms.
        var reply = course(late).arrival(ofAnswerAt: answered)
        #expect(reply.isLost && reply.at == Instant(milliseconds: 2400))
        let never = passage(plain, request(staysFor: .milliseconds(2600)), always)
        reply = course(never).arrival(ofAnswerAt: answered)
        #expect(!reply.isLost && reply.at == Instant(milliseconds: 2501))
    }

    @Test("a request that survives a change of the radio is held up, unless no radio follows")
    func surviving() {
        let gap = HandoverRules(failure: 0, gap: .constant(700))
        #expect(passage(plain, request(staysFor: .milliseconds(5)), gap).delay == .milliseconds(3050))
        let late = passage(plain, request(staysFor: .milliseconds(2400)), gap)
        let reply = course(late).arrival(ofAnswerAt: answered)
        #expect(!reply.isLost && reply.at == Instant(milliseconds: 2501 + 700))
        let gone = passage(plain, request(staysFor: .milliseconds(5)) { $0.next = .none }, gap)
        #expect(gone.fate == .reset(.half) && gone.delay == .milliseconds(5))
    }

    @Test("what the plan lets a request come to is not overruled, and all delays add up")
    func planned() {
        let link = passage(
            plain, request(staysFor: .milliseconds(2400)), HandoverRules(failure: 1, gap: .constant(0)))
        let delayed = ClientFaultVerdict(delay: .milliseconds(30), fate: .goes).followed(by: link)
        #expect(delayed.delay == .milliseconds(2380))
        #expect(course(delayed).breaksAt == Instant(milliseconds: 2430))
        let lost = ClientFaultVerdict(fate: .lostReply(.reset)).followed(by: link)
        #expect(lost.fate == .lostReply(.reset) && course(lost).breaksAt == nil)
        #expect(lost.replyDelay == link.replyDelay)
    }

    @Test("every preset is sound: its links fit together, and its chain, if it has one, exists")
    func presets() {
        #expect(Set(NetworkPresets.names).count == NetworkPresets.names.count)
        for (name, rules) in NetworkPresets.all where name != "ideal" {
            #expect(!rules.isIdeal, "\(name)")
            #expect(rules.links[.none] == nil)
            for kind in NetworkKind.allCases where kind != .none {
                #expect(rules.links[kind] != nil, "\(name)")
            }
        }
        for name in ["mobile-mix", "commuter", "emerging-market", "subway", "captive-portal"] {
            #expect(NetworkPresets.rules(named: name)?.chain != nil, "\(name)")
        }
        #expect(NetworkPresets.rules(named: "ideal")?.isIdeal == true)
    }
}
