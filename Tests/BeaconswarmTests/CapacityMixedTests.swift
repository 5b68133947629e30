import Reporting
import Testing
import Timebase

@testable import Beaconswarm

@Suite("A search for a capacity, where steps disagree")
struct CapacityMixedTests {
    typealias Search = CapacitySearch

    let settings = Search.Settings(from: 25, floor: 1, maximum: 1e6, quantum: 1)

    /// Plays a search to its end, within the trials that it announces.
    func play(_ judge: (Double) -> Search.Outcome) -> (ending: Search.Ending, search: Search) {
        var search = Search(settings)
        for _ in 0...settings.trialLimit {
            guard case .play(let load, _) = search.next else { break }
            search.note(judge(load))
        }
        guard case .end(let ending) = search.next else {
            Issue.record("no end after \(search.trials.count) trials")
            return (.unsettled(holds: nil, breaks: nil), search)
        }
        #expect(search.trials.count <= settings.trialLimit)
        return (ending, search)
    }

    /// Whether some load was played after its trials had disagreed.
    func asksAgain(_ trials: [Search.Trial]) -> Bool {
        Dictionary(grouping: trials, by: \.load).values
            .contains { Set($0.dropLast().map(\.outcome)).count > 1 }
    }

    @Test("a load that holds and breaks by turns is taken for not holding", arguments: [false, true])
    func byTurns(holdsFirst: Bool) {
        var holds = holdsFirst
        let (ending, search) = play { load in
            guard load == 204 else { return load < 204 ? .held : .broke }
            defer { holds.toggle() }
            return holds ? .held : .broke
        }
        #expect(ending == .knee(holds: 202, breaks: 204))
        #expect(search.trials.filter { $0.load == 204 }.count == 2)
        #expect(search.tallies.filter(\.isMixed).map(\.load) == [204])
    }

    @Test(
        "comes to an answer where every load within a twentieth of the limit is chance",
        arguments: [204.0, 3000])
    func chance(limit: Double) {
        var mixed = 0
        for seed in UInt64(1)..<500 {
            var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            let (ending, search) = play { load in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                if abs(load - limit) > limit / 20 { return load < limit ? .held : .broke }
                return state >> 63 == 0 ? .held : .broke
            }
            guard case .knee(let holds, let breaks) = ending else {
                Issue.record("seed \(seed) ended with \(ending)")
                continue
            }
            #expect(holds <= limit * 1.05 && breaks >= limit * 0.95, "seed \(seed)")
            #expect(breaks > holds && breaks <= max(holds * 1.02, holds + 1), "seed \(seed)")
            #expect(!asksAgain(search.trials), "seed \(seed)")
            mixed += search.tallies.contains(where: \.isMixed) ? 1 : 0
        }
        #expect(mixed > 100)
    }

    @Test("a target without any order in it ends within the announced trials, too")
    func disorder() {
        for seed in UInt64(1)..<500 {
            var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            let (_, search) = play { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return [.held, .broke, .held, .generatorLimited][Int(state >> 62)]
            }
            #expect(search.trials.count > 1, "seed \(seed)")
        }
    }

    @Test("ends unsettled where no load holds twice")
    func unsettled() {
        var held: Set<Double> = []
        let (ending, search) = play { $0 <= 5000 && held.insert($0).inserted ? .held : .broke }
        guard case .unsettled(let holds?, let breaks?) = ending else {
            Issue.record("ended with \(ending)")
            return
        }
        #expect(search.trials.count == settings.trialLimit)
        #expect(holds < breaks && breaks < 5000)
    }

    @Test("a load that broke once is not called the one that breaks when the time is up")
    func brokeOnce() throws {
        let failed = try CapacityScenario.threshold("http_req_failed", "rate<0.01")
        var session = try CapacitySessionTests().session([failed])
        var steps = 0
        while session.finished(wallSeconds: 1).breaks == nil, let plan = session.next() {
            _ = try session.note(FakeTarget(capacity: 300).measure(plan), of: plan)
            steps += 1
        }
        let report = session.finished(wallSeconds: 1, timeIsUp: true)
        let said = try #require(report.reasons.first)
        #expect(report.ending == .time && report.breaks?.trials == 1 && steps > 1)
        #expect(
            said.hasPrefix("Holds at ") && said.contains("before it was known whether more does"), "\(said)")
        #expect(said.contains("broke once") && !said.contains("breaks at"), "\(said)")
    }

    @Test("the result tells mixed verdicts, and the estimate the number of steps that is never passed")
    func told() throws {
        let failed = try CapacityScenario.threshold("http_req_failed", "rate<0.01")
        var session = try CapacitySessionTests().session([failed])
        let most = Search.Settings(from: 10, floor: 1, maximum: 10_000, quantum: 1).trialLimit
        #expect(session.estimate(limit: .minutes(5)).contains("or \(most) steps"))
        #expect(session.estimate(limit: .minutes(7)).contains("after 7m at the latest"))
        #expect(session.estimate(limit: .minutes(7)).contains("; at most "))
        #expect(session.estimate(limit: .seconds(40)).contains("; at most 1 fits in: "))
        while let plan = session.next() {
            let holdsAfterAll = plan.load == 305 && plan.purpose == .recheck
            _ = try session.note(FakeTarget(capacity: holdsAfterAll ? 400 : 300).measure(plan), of: plan)
        }
        let report = session.finished(wallSeconds: 1)
        #expect(report.ending == .knee && report.holds?.load == 300 && report.breaks?.load == 305)
        #expect(
            report.reasons.contains(
                "Mixed verdicts, taken for not holding: 305 devices (held in 1 of 2 trials)."))
    }
}
