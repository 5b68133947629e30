import Testing

@testable import Beaconswarm

@Suite("The search for a capacity")
struct CapacitySearchTests {
    typealias Search = CapacitySearch

    func settings(from: Double = 10, maximum: Double = 1e6, precision: Double = 0.02) -> Search.Settings {
        Search.Settings(from: from, floor: 1, maximum: maximum, quantum: 1, precision: precision)
    }

    /// Plays a search to its end against a target that `judge` stands for.
    func play(
        _ settings: Search.Settings, _ judge: (Double) -> Search.Outcome
    ) throws -> (ending: Search.Ending, trials: [Search.Trial]) {
        var search = Search(settings)
        for _ in 0...settings.trialLimit + 2 {
            switch search.next {
            case .play(let load, _):
                #expect(load >= settings.floor && load <= settings.maximum)
                #expect(settings.multiple((load / settings.quantum).rounded()) == load)
                search.note(judge(load))
            case .end(let ending): return (ending, search.trials)
            }
        }
        Issue.record("no end after \(search.trials.count) trials")
        return (.unsettled(holds: nil, breaks: nil), search.trials)
    }

    @Test("grows fourfold, halves the gap, and plays both ends again")
    func transcript() throws {
        let (ending, trials) = try play(settings(from: 10, precision: 0.1)) { $0 <= 100 ? .held : .broke }
        #expect(
            trials.map { "\($0.purpose) \(Int($0.load))" } == [
                "climb 10", "climb 40", "climb 160", "bisect 100", "bisect 130", "bisect 115", "bisect 108",
                "recheck 108", "confirm 100", "confirm 100",
            ])
        #expect(ending == .knee(holds: 100, breaks: 108))
    }

    @Test(
        "finds any limit within the precision, or to the device", arguments: [0.005, 0.02, 0.1])
    func exact(precision: Double) throws {
        for limit in [1.0, 2, 3, 7, 10, 11, 99, 100, 101, 4999, 123_456, 999_998] {
            let (ending, trials) = try play(settings(precision: precision)) { $0 <= limit ? .held : .broke }
            guard case .knee(let holds, let breaks) = ending else {
                Issue.record("limit \(limit) ended with \(ending)")
                continue
            }
            #expect(holds <= limit && breaks > limit, "limit \(limit)")
            #expect(breaks <= max(holds * (1 + precision), holds + 1), "limit \(limit)")
            #expect(trials.count <= settings(precision: precision).trialLimit - settings().spareTrials)
        }
    }

    /// A target that breaks with a probability that rises from 0 to 1 over a tenth around the limit, and
    /// that breaks or holds besides for no reason at all once in a while.
    func noisy(limit: Double, chance: Double, seed: UInt64) -> (Double) -> Search.Outcome {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func uniform() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) / 0x1p53
        }
        return { load in
            let slope = min(1, max(0, (load / limit - 0.95) / 0.1))
            let breaks = uniform() < slope
            return (uniform() < chance ? !breaks : breaks) ? .broke : .held
        }
    }

    // Two false breaks of one load in a row mislead it: a chance of 0.03² for each of some fifteen loads.
    @Test("comes to the limit of a noisy target, and never runs for ever")
    func noise() throws {
        var far: [UInt64] = []
        let seeds: Range<UInt64> = 1..<500
        for seed in seeds {
            let (ending, _) = try play(settings(), noisy(limit: 3000, chance: 0.03, seed: seed))
            guard case .knee(let holds, _) = ending, (2760...3240).contains(holds) else {
                far.append(seed)
                continue
            }
        }
        #expect(far.count <= 15, "seeds that missed: \(far)")
    }

    @Test("one step that breaks far below the limit does not decide")
    func hiccup() throws {
        var plays = 0
        let (ending, trials) = try play(settings()) { load in
            plays += 1
            return plays == 4 ? .broke : load <= 1000 ? .held : .broke
        }
        guard case .knee(let holds, _) = ending else {
            Issue.record("ended with \(ending)")
            return
        }
        #expect((980...1000).contains(holds))
        #expect(trials.contains { $0.purpose == .recheck })
    }

    @Test("a load that held by chance steps down when it is to be confirmed")
    func luck() throws {
        var lucky = true
        let (ending, _) = try play(settings()) { load in
            if load > 1000, load < 1030, lucky {
                lucky = false
                return .held
            }
            return load <= 1000 ? .held : .broke
        }
        guard case .knee(let holds, let breaks) = ending else {
            Issue.record("ended with \(ending)")
            return
        }
        #expect((980...1000).contains(holds) && breaks > 1000)
    }

    @Test("a maximum that holds is confirmed and is the end")
    func maximum() throws {
        let (ending, trials) = try play(settings(maximum: 70)) { _ in .held }
        #expect(ending == .holdsAtMaximum(70))
        #expect(trials.suffix(3).map(\.load) == [70, 70, 70])
    }

    @Test("goes down where the first load breaks, to the smallest if need be")
    func down() throws {
        let (ending, _) = try play(settings(from: 640)) { $0 <= 33 ? .held : .broke }
        #expect(ending == .knee(holds: 33, breaks: 34))
        let (nothing, trials) = try play(settings(from: 64)) { _ in .broke }
        #expect(nothing == .breaksAtFloor(1))
        #expect(trials.suffix(2).map(\.load) == [1, 1])
    }

    @Test("stops where the generator cannot follow, after one more try, and claims nothing of the target")
    func generator() throws {
        let (ending, trials) = try play(settings()) { $0 <= 200 ? .held : .generatorLimited }
        #expect(ending == .generatorLimit(at: 205, holds: 190, breaks: nil))
        #expect(trials.suffix(2).map(\.outcome) == [.generatorLimited, .generatorLimited])
        let (nothing, _) = try play(settings()) { _ in .generatorLimited }
        #expect(nothing == .generatorLimit(at: 1, holds: nil, breaks: nil))
        var disturbed = true
        let (other, _) = try play(settings()) { load in
            if load == 40, disturbed {
                disturbed = false
                return .generatorLimited
            }
            return load <= 100 ? .held : .broke
        }
        guard case .knee(let holds, _) = other else {
            Issue.record("ended with \(other)")
            return
        }
        #expect((98...100).contains(holds))
    }

    @Test("finds a knee below what the generator cannot offer")
    func belowGenerator() throws {
        let (ending, _) = try play(settings()) { $0 <= 300 ? .held : $0 <= 400 ? .broke : .generatorLimited }
        guard case .knee(let holds, let breaks) = ending else {
            Issue.record("ended with \(ending)")
            return
        }
        #expect(holds <= 300 && breaks > 300 && breaks <= holds * 1.02 + 1)
    }

    @Test("loads that are factors are rounded to the quantum")
    func factors() throws {
        let settings = Search.Settings(
            from: 0.125, floor: 0.001, maximum: 1000, quantum: 0.001, precision: 0.02)
        let (ending, _) = try play(settings) { $0 <= 1.77 ? .held : .broke }
        guard case .knee(let holds, let breaks) = ending else {
            Issue.record("ended with \(ending)")
            return
        }
        #expect(holds <= 1.77 && breaks > 1.77 && breaks <= holds * 1.0201)
        // No rest in the last digits: a load that is written down and asked for again is the same load.
        for load in [holds, breaks] { #expect(load == (load * 1000).rounded() / 1000, "\(load)") }
    }

    @Test("looks next to what was served of a load that broke")
    func estimates() {
        var search = Search(settings(from: 100))
        var loads: [Double] = []
        while case .play(let load, _) = search.next {
            loads.append(load)
            search.note(load <= 300 ? .held : .broke, estimate: load <= 300 ? nil : 301)
        }
        #expect(Array(loads.prefix(6)) == [100, 400, 292, 310, 301, 297])
        #expect(search.next == .end(.knee(holds: 297, breaks: 301)))
        #expect(loads.count <= 11)
    }

    @Test("an estimate that misleads costs two steps, no more", arguments: [5.0, 120, 390, 1e9])
    func wrongEstimates(estimate: Double) {
        var search = Search(settings(from: 100))
        while case .play(let load, _) = search.next {
            search.note(load <= 300 ? .held : .broke, estimate: load <= 300 ? nil : estimate)
        }
        guard case .end(.knee(let holds, let breaks)) = search.next else {
            Issue.record("ended with \(search.next)")
            return
        }
        #expect(holds <= 300 && breaks > 300 && breaks <= holds * 1.02 + 1)
        #expect(search.trials.count <= search.settings.trialLimit - search.settings.spareTrials)
    }

    @Test("a load that held by little is none that holds, where there is a limit")
    func close() {
        var search = Search(settings(from: 100))
        while case .play(let load, _) = search.next {
            search.note(load <= 300 ? .held : .broke, isClose: load > 250)
        }
        guard case .end(.knee(let holds, let breaks)) = search.next else {
            Issue.record("ended with \(search.next)")
            return
        }
        #expect((245...250).contains(holds) && (301...306).contains(breaks))
        var free = Search(settings(from: 100, maximum: 500))
        while case .play = free.next { free.note(.held, isClose: true) }
        #expect(free.next == .end(.holdsAtMaximum(500)))
    }

    @Test("gives the last steps that fit to the load that holds, and ends when none does")
    func time() {
        var search = Search(settings(from: 100))
        func play(_ limit: Double) {
            guard case .play(let load, _) = search.next else { return }
            search.note(load <= limit ? .held : .broke, estimate: load <= limit ? nil : limit)
        }
        #expect(search.next(steps: 0) == .end(.timeIsUp(holds: nil, breaks: nil)))
        for _ in 0..<3 { play(300) }
        #expect(search.trials.map(\.load) == [100, 400, 291])
        // Between 291 and 400 the gap is too wide to stop.
        #expect(search.next(steps: 1) == .play(309, .bisect))
        play(300)
        #expect(search.next(steps: 2) == .play(291, .confirm))
        #expect(search.next(steps: 5) == .play(300, .bisect))
        #expect(search.next(steps: 0) == .end(.timeIsUp(holds: 291, breaks: 309)))
    }
}
