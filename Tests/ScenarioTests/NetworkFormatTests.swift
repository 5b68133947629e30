import DeviceSDK
import Testing
import Timebase
import World

@testable import Scenario

@Suite("Networks of scenarios")
struct NetworkFormatTests {
    private func network(_ text: String, named name: String = "net") throws -> NetworkRules {
        try document(
            scenario("\"networks\": \(text)", population: "\"network\": \"\(name)\"")
        ).populations[0].network
    }

    @Test("every preset can be named, and ideal is the default", arguments: NetworkPresets.names)
    func presets(name: String) throws {
        let network = try document(scenario(population: "\"network\": \"\(name)\"")).populations[0].network
        #expect(network == NetworkPresets.rules(named: name))
        #expect(try document(scenario()).populations[0].network == .ideal)
    }

    @Test("numbers of a link hold for every radio")
    func link() throws {
        let rules = try network(
            """
            {"net": {"kind": "3g", "rtt": {"median": "80ms", "sigma": 0.5}, "rttMin": "20ms", "up": "1.5 Mbit/s",
                     "down": "400kbit/s", "loss": {"rate": 0.01, "burst": 3}, "setUp": 3, "promotion": "1s",
                     "tail": "5s", "refused": 0.1, "reset": 0.2, "lostReply": 0.3}}
            """)
        var link = LinkRules()
        link.roundTrip = .lognormal(median: 80, sigma: 0.5)
        link.leastRoundTrip = 20
        (link.up, link.down) = (1_500_000, 400_000)
        (link.loss, link.burst) = (0.01, 3)
        link.setUpRoundTrips = 3
        (link.promotion, link.tail) = (.seconds(1), .seconds(5))
        (link.refused, link.reset, link.lostReply) = (0.1, 0.2, 0.3)
        #expect(rules.kind == .cellular3G && rules.chain == nil)
        for kind in NetworkKind.allCases { #expect(rules.links[kind] == (kind == .none ? nil : link)) }
    }

    @Test("a chain has its stays, its jumps, and links of its own over those of the network")
    func chain() throws {
        let rules = try network(
            """
            {"net": {"rtt": "50ms", "handover": {"failure": 0.25, "gap": {"min": "1s", "max": "2s"}},
                     "chain": {"wifi": {"dwell": "30m", "to": {"none": 1}, "rtt": "10ms"},
                               "none": {"dwell": "1m", "regular": true, "to": {"wifi": 1}}}}}
            """)
        #expect(
            rules.chain
                == RadioChain([
                    .init(.wifi, dwell: .minutes(30), to: [.init(.none, 1)]),
                    .init(.none, dwell: .minutes(1), isRegular: true, to: [.init(.wifi, 1)]),
                ]))
        #expect(rules.handover == HandoverRules(failure: 0.25, gap: .uniform(1000, 2000)))
        #expect(rules.links[.wifi]?.roundTrip == .constant(10))
        #expect(rules.links[.cellular4G]?.roundTrip == .constant(50))
        #expect(rules.links[.none] == nil)
    }

    @Test("a network extends a preset or another network of the scenario")
    func extending() throws {
        let text = """
            {"net": {"extends": "worse", "kind": "2g"}, "worse": {"extends": "mobile-mix", "loss": 0.1}}
            """
        var expected = try #require(NetworkPresets.rules(named: "mobile-mix"))
        for kind in NetworkKind.allCases where kind != .none {
            expected.links[kind]?.loss = 0.1
            expected.links[kind]?.burst = 1
        }
        #expect(try network(text, named: "worse") == expected)
        (expected.kind, expected.chain) = (.cellular2G, nil)
        #expect(try network(text) == expected)
    }

    @Test(
        "what is wrong with a network is told where it is",
        arguments: [
            (#"{"n": {"loss": 0.6}}"#, "/networks/n/loss"),
            (#"{"n": {"loss": {"burst": 2}}}"#, "/networks/n/loss"),
            (#"{"n": {"up": "10"}}"#, "/networks/n/up"),
            (#"{"n": {"up": "0 kbit/s"}}"#, "/networks/n/up"),
            (#"{"n": {"rtt": 50}}"#, "/networks/n/rtt"),
            (#"{"n": {"refused": 0.6, "reset": 0.6}}"#, "/networks/n"),
            (#"{"n": {"extends": "wify"}}"#, "/networks/n/extends"),
            (#"{"n": {"extends": "n"}}"#, "/networks/n/extends"),
            (#"{"n": {"extends": "m"}, "m": {"extends": "n"}}"#, "/networks/m/extends"),
            (#"{"n": {"rrt": "50ms"}}"#, "/networks/n/rrt"),
            (#"{"wifi": {}}"#, "/networks/wifi"),
            (
                #"{"n": {"kind": "4g", "chain": {"wifi": {"dwell": "1s", "to": {"none": 1}}, "none": {"dwell": "1s", "to": {"wifi": 1}}}}}"#,
                "/networks/n/chain"
            ),
            (#"{"n": {"chain": {"wifi": {"dwell": "1s", "to": {"none": 1}}}}}"#, "/networks/n/chain/wifi"),
            (
                #"{"n": {"chain": {"wifi": {"dwell": "1s", "to": {"none": 1}}, "none": {"dwell": "1s", "to": {"wifi": 0}}}}}"#,
                "/networks/n/chain"
            ),
            (
                #"{"n": {"chain": {"wifi": {"dwell": "1s", "to": {"none": 1}}, "none": {"dwell": "1s", "to": {"wifi": 1}, "rtt": "1s"}}}}"#,
                "/networks/n/chain/none"
            ),
            (#"{"n": {"chain": {"lte": {}}}}"#, "/networks/n/chain/lte"),
        ])
    func problems(text: String, pointer: String) {
        let found = ScenarioTests.problems(scenario("\"networks\": \(text)"))
        #expect(found.map(\.pointer).contains(pointer), "\(found)")
        #expect(!found.isEmpty && Set(found).count == found.count)
    }

    @Test(
        "what changes nothing is told",
        arguments: [
            (#"{"net": {"kind": "4g", "handover": {"failure": 1}}}"#, ["/networks/net/handover"]),
            (#"{"net": {"extends": "mobile-mix", "handover": {"failure": 1}}}"#, []),
            (#"{"net": {"kind": "4g", "rtt": "100ms", "rttMin": "200ms"}}"#, ["/networks/net/rtt"]),
            (#"{"net": {"kind": "4g", "rtt": "200ms", "rttMin": "200ms"}}"#, []),
            (#"{"net": {"kind": "4g", "rttMin": "200ms"}}"#, []),
        ] as [(String, [String])])
    func withoutEffect(networks: String, pointers: [String]) throws {
        let found = try document(
            scenario("\"networks\": \(networks)", population: "\"network\": \"net\""))
        #expect(found.warnings.map(\.pointer) == pointers)
    }

    @Test("a handover for the chains of networks that extend it is none of these")
    func handoverForOthers() throws {
        let networks = """
            {"base": {"handover": {"failure": 1}},
             "net": {"extends": "base", "chain": {"wifi": {"dwell": "1s", "to": {"none": 1}},
                                                  "none": {"dwell": "1s", "to": {"wifi": 1}}}}}
            """
        let found = try document(
            scenario("\"networks\": \(networks)", population: "\"network\": \"net\""))
        #expect(!found.warnings.map(\.pointer).contains("/networks/base/handover"))
    }

    @Test("entries of the timeline have names of their own, and regions the same devices")
    func entries() throws {
        let timeline = """
            "timeline": [{"at": "1s", "for": "1s", "name": "tunnel", "share": 0.5, "region": "east", "device": {"network": "none"}},
                         {"at": "9s", "for": "1s", "share": 0.5, "region": "east", "device": {"network": "2g"}},
                         {"at": "20s", "for": "1s", "share": 0.5, "device": {"network": "2g"}}]
            """
        let document = try document(scenario(timeline, devices: 200))
        #expect(document.timeline.map(\.name) == ["tunnel", nil, nil])
        #expect(document.timeline[0].text == "network: none, 50 % of devices in region east, for 1s")
        let plans = document.plans(start: ScenarioDocument.virtualStart)
        let concerned = plans.schedule.deviceEntries.enumerated().map { number, entry in
            (0..<200).filter {
                entry.concerns(
                    population: 0, stream: plans.populations[0].stream(.network, index: $0), entry: number)
            }
        }
        #expect(concerned[0] == concerned[1])
        #expect(concerned[0] != concerned[2])
        #expect((70...130).contains(concerned[0].count))
    }

    @Test(
        "names twice, and regions that mean nothing, are problems",
        arguments: [
            (
                #"{"at": "1s", "name": "a", "push": {}}, {"at": "2s", "name": "a", "push": {}}"#,
                "/timeline/1/name"
            ),
            (#"{"at": "1s", "region": "east", "push": {}}"#, "/timeline/0/region"),
            (#"{"at": "1s", "region": "east", "device": {"network": "none"}}"#, "/timeline/0/region"),
            (
                #"{"at": "1s", "region": "east", "share": 0.1, "device": {"disk": "full"}}"#,
                "/timeline/0/region"
            ),
        ])
    func entryProblems(entries: String, pointer: String) {
        let found = ScenarioTests.problems(scenario("\"timeline\": [\(entries)]"))
        #expect(found.map(\.pointer) == [pointer])
    }
}
