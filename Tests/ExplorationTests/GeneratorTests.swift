import Scenario
import Testing
import Wire

@testable import Exploration

@Suite("Random scenarios")
struct GeneratorTests {
    @Test("the same seed gives the same scenario, another one another")
    func isDeterministic() throws {
        let generator = ScenarioGenerator()
        for seed in UInt64(1)...5 {
            let scenario = try #require(generator.scenario(seed: seed), "seed \(seed)")
            #expect(generator.scenario(seed: seed) == scenario, "seed \(seed)")
            #expect(generator.scenario(seed: seed + 1) != scenario, "seed \(seed)")
        }
    }

    @Test("the loader takes each of them")
    func isSound() throws {
        for seed in UInt64(100)..<110 {
            let scenario = try #require(ScenarioGenerator().scenario(seed: seed), "seed \(seed)")
            if case .failure(let problems) = ScenarioPruner.load(scenario) {
                Issue.record("seed \(seed): \(problems.problems.map(\.pointer))")
            }
        }
    }

    @Test("every invariant holds in the first worlds")
    func holds() {
        // A few of those that `make explore` plays.
        let explorer = Explorer(world: VirtualWorld(wakeLimit: 2000))
        for seed in UInt64(1)...6 {
            #expect(explorer.explore(seed: seed).violations == [], "seed \(seed)")
        }
    }

    @Test("what is refused is taken out, and what lacks a key with its object")
    func prunes() throws {
        let drawn = try JSONReader.read(
            Array(
                """
                {"duration": "1m", "nonsense": 1, "drain": "-3s",
                 "populations": [{"name": "a", "devices": 1, "system": "sensors"}, {"name": "b", "devices": 1}],
                 "timeline": [{"at": "1s", "collector": {"fault": "latency"}}, {"at": "1s", "push": {}}]}
                """.utf8)
        ).0
        let sound = try #require(ScenarioPruner.sound(drawn))
        #expect(sound["nonsense"] == nil)
        #expect(sound["drain"] == nil)
        #expect(sound["populations"]?.elements?.count == 1)
        #expect(sound["timeline"]?.elements?.compactMap { $0["push"] }.count == 1)
    }

    @Test("what fits together with little is drawn in its turn")
    func drawsWhatIsRare() {
        let rare = [
            "sdk-declared.config", "sdk-declared.request.framing", "sdk-declared.storage.seal.at",
            "sdk-declared.storage.seal.together", "sdk-action.before",
        ]
        // What answers turn draws itself, and has no turn.
        func isRare(_ name: String) -> Bool {
            rare.contains(where: name.hasPrefix) && !name.contains(".apply.")
        }
        var coverage = Coverage()
        for turn in UInt64(0)..<6 {
            for wish in Wish.all where isRare(wish.name) && !coverage.has(wish.name) {
                coverage.merge(Explorer().draw(seed: wish.seed + turn * Wish.period).coverage)
            }
        }
        #expect(coverage.worlds > 0)
        #expect(coverage.missing.filter(isRare) == [])
    }

    @Test("each place of the format that does not draw itself has its turn")
    func takesTurns() {
        #expect(Set(Wish.all.map(\.name)).count == Wish.all.count)
        let classes = FormatWalk(format: .current).classes
        #expect(Wish.all.allSatisfy { classes.contains($0.name) })
        #expect(Wish.all.count > classes.count * 3 / 4)
        #expect(
            Wish.all.allSatisfy { wish in
                Wish.of(seed: wish.seed + Wish.period).contains { $0.name == wish.name }
            })
    }

    @Test("coverage names what was not met")
    func namesWhatIsMissing() throws {
        var coverage = Coverage()
        let nothing = coverage.missing
        #expect(nothing.contains("sdk-sensors.storage.vacuum=true"))
        #expect(nothing.contains("collector outage"))
        let scenario = try JSONReader.read(
            Array(
                """
                {"duration": "1m", "timeline": [{"at": "1s", "collector": {"fault": "outage"}}],
                 "populations": [{"name": "a", "devices": 1, "system": "sensors", "version": "4.9.1",
                                  "sdk": {"storage": {"vacuum": true}}}]}
                """.utf8)
        ).0
        coverage.note(scenario, try ScenarioPruner.load(scenario).get())
        let left = Set(coverage.missing)
        #expect(!left.contains("sdk-sensors.storage.vacuum=true"))
        #expect(left.contains("sdk-sensors.storage.vacuum=false"))
        #expect(!left.contains("collector outage"))
        #expect(!left.contains("sensors 4.9.1"))
    }
}

@Suite("Shrinking")
struct ShrinkerTests {
    @Test("only what the failure needs stays")
    func keepsWhatMatters() async throws {
        let scenario = try JSONReader.read(
            Array(
                """
                {"seed": 9, "duration": "10m", "description": "x",
                 "populations": [{"name": "a", "devices": 12, "system": "sensors"},
                                 {"name": "b", "devices": 40, "system": "kit"}],
                 "timeline": [{"at": "1s", "push": {}}, {"at": "1s", "collector": {"fault": "outage"}}]}
                """.utf8)
        ).0
        var shrinker = Shrinker { candidate in
            candidate["populations"]?.elements?.contains { $0["system"]?.string == "kit" } ?? false
        }
        let small = await shrinker.shrunk(scenario)
        #expect(small["timeline"] == nil)
        #expect(small["populations"]?.elements?.count == 1)
        #expect(small["seed"]?.digits == "9")
        #expect(shrinker.tried < 600)
    }
}
