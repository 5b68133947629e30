import Foundation
import Reporting
import Testing

@testable import Beaconswarm

@Suite("Which targets need their user's word")
struct TargetHostTests {
    @Test(
        "this machine and private addresses need none, however they are written",
        arguments: [
            "127.0.0.1", "127.255.255.254", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "::1", "[::1]",
            "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::FFFF:7f00:1", "localhost", "LOCALHOST", "localhost.",
            "LocalHost.", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0",
            "192.168.255.255", "169.254.0.1", "fc00::1", "fdff:ffff::", "fe80::1", "febf::ffff",
            "::ffff:10.1.2.3", "0xa000001", "012.0.0.1",
        ])
    func harmless(_ text: String) {
        #expect(TargetHost(text).isHarmless)
    }

    @Test(
        "everything else does",
        arguments: [
            "8.8.8.8", "134744072", "010.0.0.1", "0x08080808", "9.255.255.255", "11.0.0.0", "172.15.255.255",
            "172.32.0.0", "192.167.255.255", "192.169.0.0", "169.253.0.1", "126.255.255.255", "128.0.0.1",
            "0.0.0.0",
            "0", "255.255.255.255", "224.0.0.1", "100.64.0.1", "::", "::2", "::127.0.0.1", "::ffff:8.8.8.8",
            "2001:db8::1", "fbff::1", "fe00::1", "fe7f::1", "fec0::1", "64:ff9b::7f00:1", "2002:7f00:1::",
            "collector.test", "localhost.test", "my.localhost", "localhost..", "127.0.0.1.test", "127.0.0.1.",
            "256.0.0.1", "127.0.0.0.1", "localhost6", "",
        ])
    func listed(_ text: String) {
        #expect(!TargetHost(text).isHarmless)
    }

    @Test("a host is the same in every way to write it, and no other's")
    func sameness() {
        #expect(TargetHost("Collector.TEST.") == TargetHost("collector.test"))
        #expect(TargetHost("0x08.0x8.2056") == TargetHost("8.8.8.8"))
        #expect(TargetHost("[2001:DB8:0::1]") == TargetHost("2001:db8::1"))
        #expect(TargetHost("::ffff:8.8.8.8") == TargetHost("8.8.8.8"))
        #expect(TargetHost("a.collector.test") != TargetHost("collector.test"))
        #expect(TargetHost("::8.8.8.8") != TargetHost("8.8.8.8"))
    }
}

@Suite("The list of hosts that are one's own")
struct OwnedHostsTests {
    private func hosts(_ text: String) throws(CommandFailure) -> Set<TargetHost> {
        try OwnedHosts.hosts(in: Array(text.utf8), of: "list")
    }

    @Test("one host a line; comments, blanks and the ends of lines of other systems are no part of it")
    func lines() throws {
        let read = try hosts("# ours\r\n\n  collector.test  # staging\r\n\tA_b.test.\n[2001:db8::1]\n8.8.8.8")
        #expect(read == Set(["collector.test", "a_b.test", "2001:db8::1", "8.8.8.8"].map { TargetHost($0) }))
        #expect(try hosts("").isEmpty)
    }

    @Test(
        "what is no host is named with its line",
        arguments: [
            "https://b.test", "b.test:80", "b.test/sa", "*.b.test", "b.test c.test", "u@b.test", "é.test",
            ".",
            "10.0.0.0/8",
        ])
    func problems(_ line: String) async throws {
        let failed = try await failure { try hosts("a.test\n\(line)\n") }
        #expect(failed.code == .usage)
        #expect(
            failed.message.hasPrefix("list:2: found \"\(line)\", allowed is a host's name or address alone"))
    }

    @Test("an option that names no host, and a list that is not there, are wrong usage")
    func options() async throws {
        let scratch = try Scratch()
        let named = try await failure { try OwnedHosts(named: ["http://a.test"], file: nil) }
        #expect(named.code == .usage && named.message.hasPrefix("--i-own: found \"http://a.test\""))
        let missing = try await failure { try OwnedHosts(named: [], file: scratch.file("none")) }
        #expect(missing.code == .usage && missing.message.contains("none"))
        let endless = try await failure { try OwnedHosts(named: [], file: "/dev/zero") }
        #expect(endless.code == .usage && endless.message.contains("more than"))
    }
}

@Suite("The gate that targets go through")
struct TargetGateTests {
    private static let shared = #""target": {"url": "http://shared.test/sa"},"#
    private static let own =
        #", "target": {"urls": ["http://127.0.0.1:1/sa", "http://one.test/sa", "http://ONE.test:8/sa", "https://two.test/sa"]}"#

    private func refusal(
        _ text: String, _ change: (inout RunOptions) throws -> Void = { _ in }
    ) async throws -> String? {
        let bench = try ScenarioBench()
        var options = try bench.options(text)
        try change(&options)
        let document = try LoadedScenario(options.source).document
        do throws(CommandFailure) {
            try TargetGate.check(document, options: options)
            return nil
        } catch {
            #expect(error.code == .usage)
            return error.message
        }
    }

    @Test("the shared target, a population's addresses and what options put in their place all go through it")
    func origins() async throws {
        let shared = try #require(try await refusal(ScenarioBench.text(Self.shared)))
        #expect(shared.contains("the target shared.test:") && shared.contains("--i-own shared.test"))
        let own = try #require(try await refusal(ScenarioBench.text(Self.shared, population: Self.own)))
        #expect(own.contains("the targets one.test, two.test:") && own.contains(OwnedHosts.fileName))
        let asked = try await refusal(ScenarioBench.text()) { $0.source.target = "http://option.test/sa" }
        #expect(try #require(asked).contains("option.test"))
        let set = try await refusal(ScenarioBench.text()) {
            $0.source.overrides = ["target.url=http://set.test/sa"]
        }
        #expect(try #require(set).contains("set.test"))
        #expect(try await refusal(ScenarioBench.text()) == nil)
    }

    @Test("an option or the list lets a host through, and no other")
    func permission() async throws {
        let text = ScenarioBench.text(population: Self.own)
        #expect(try await refusal(text) { $0.ownedHosts = ["One.Test", "two.test."] } == nil)
        let half = try await refusal(text) { $0.ownedHosts = ["one.test"] }
        #expect(try #require(half).contains("the target two.test:"))
        let scratch = try Scratch()
        try Data("one.test\ntwo.test # both\n".utf8).write(to: URL(fileURLWithPath: scratch.file("mine")))
        #expect(try await refusal(text) { $0.targetsFile = scratch.file("mine") } == nil)
        let other = try await refusal(ScenarioBench.text(Self.shared)) {
            $0.targetsFile = scratch.file("mine")
        }
        #expect(try #require(other).hasSuffix("or with a line in \(scratch.file("mine"))"))
    }
}
