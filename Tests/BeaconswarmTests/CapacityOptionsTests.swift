import Testing

@testable import Beaconswarm

@Suite("The options of a capacity search")
struct CapacityOptionsTests {
    /// What a search in virtual time, or a live one, says of options that are about a target; `nil` for nothing.
    func refusal(
        isVirtual: Bool = true, environment: [String: String] = [:],
        _ change: (inout RunOptions) -> Void = { _ in }
    ) -> String? {
        var options = CapacityOptions(run: RunOptions(source: ScenarioSource(path: "peak.json")))
        options.isVirtual = isVirtual
        change(&options.run)
        do {
            try options.refuseUnsent(environment)
            return nil
        } catch {
            #expect(error.code == .usage)
            return error.message
        }
    }

    @Test("a search in virtual time refuses what is about a target, whoever says it")
    func unsent() throws {
        let rest = " has no meaning with --virtual: a search in virtual time sends nothing"
        #expect(refusal() == nil)
        #expect(refusal { $0.source.target = "http://127.0.0.1:9" } == "--target" + rest)
        #expect(refusal { $0.source.insecure = true } == "--insecure" + rest)
        #expect(refusal { $0.scrape = "http://127.0.0.1:9" } == "--scrape" + rest)
        #expect(refusal { $0.scrapeOnly = "up" } == "--scrape-only" + rest)
        #expect(refusal(environment: ["BEACONSWARM_TARGET": "http://127.0.0.1:9"]) == "--target" + rest)
    }

    @Test("a live search takes it")
    func sent() {
        let environment = ["BEACONSWARM_TARGET": "http://127.0.0.1:9"]
        #expect(refusal(isVirtual: false, environment: environment) { $0.source.insecure = true } == nil)
    }
}
