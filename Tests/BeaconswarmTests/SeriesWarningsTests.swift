import Scenario
import Testing

@testable import Beaconswarm

@Suite("The warnings of several runs")
struct SeriesWarningsTests {
    /// Of a scenario that has a warning itself.
    private func warnings(calling noun: String) throws -> SeriesWarnings {
        let late = #""timeline": [{"at": "9s", "device": {"network": "none"}}],"#
        let bench = try ScenarioBench()
        let text = ScenarioBench.text(late)
        // Without the machine's own variables, of which it may be warned as well.
        let scenario = try LoadedScenario(bench.source(text), content: Array(text.utf8), environment: [:])
        try #require(scenario.document.warnings.count == 1)
        return SeriesWarnings(of: scenario.document, calling: noun)
    }

    @Test("each text is told once: the scenario's as it is, others with the first run that has them")
    func once() throws {
        var warnings = try warnings(calling: "variant")
        let own = try #require(warnings.lines.first)
        #expect(own.hasPrefix("/timeline/0/at: "))
        warnings.add([own, "/a: odd", "/a: odd"], of: "x")
        warnings.add(["/b: even"], of: "y")
        #expect(warnings.lines == [own, "variant x: /a: odd", "variant y: /b: even"])
        warnings.add([own, "/b: even", "/a: odd"], of: "z")
        warnings.addOwn(["/c: all", own])
        warnings.add(["/c: all", "/a: odd"], of: "w")
        #expect(
            warnings.lines == [
                own, "/c: all", "variant x and 2 more variants: /a: odd",
                "variant y and 1 more variant: /b: even",
            ])
    }

    @Test("what comes from the environment is in no warning of a condition")
    func secrets() throws {
        let text = ScenarioBench.text(#""thresholds": {"events_lost": ["rate<${LIMIT}"]},"#)
        let bench = try ScenarioBench()
        let source = try bench.source(text)
        let scenario = try LoadedScenario(
            source, content: Array(text.utf8), environment: ["LIMIT": "73572357"])
        let told = scenario.document.warnings.map(\.placedText)
        #expect(told.count == 1 && told[0].contains("\"rate<[redacted]\" always holds"), "\(told)")
    }

    @Test("thousands of points with texts of their own do not fill a report")
    func bounded() throws {
        var warnings = try warnings(calling: "point")
        for point in 0..<2000 { warnings.add(["/a: \(point)", "/b: same"], of: "a=\(point)") }
        let lines = warnings.lines
        #expect(lines.count == 1 + SeriesWarnings.limit + 1)
        #expect(lines[1] == "point a=0: /a: 0" && lines[2] == "point a=0 and 1999 more points: /b: same")
        #expect(lines.last == "points: \(2001 - SeriesWarnings.limit) more such warnings")
    }
}
