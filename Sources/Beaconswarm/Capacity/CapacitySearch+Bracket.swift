extension CapacitySearch {
    /// The trials of one load.
    struct Tally: Hashable, Sendable {
        var load: Double
        var held = 0
        var broke = 0
        /// Whether it held by so little that it may not hold again.
        var isClose = false
        /// Whether its trials disagree.
        var isMixed: Bool { held > 0 && broke > 0 }
    }

    /// The loads that the limit lies between.
    struct Bracket: Hashable, Sendable {
        /// The highest load that holds, below the one that breaks.
        var holds: Tally?
        /// The mixed and close loads between the two, ascending.
        var mixed: [Tally] = []
        /// The lowest load that breaks.
        var breaks: Tally?

        /// The lowest load that does not hold.
        var limit: Double? { (mixed.first ?? breaks)?.load }
        /// The lowest load that broke at least once, above the one that holds.
        var breaking: Double? { (mixed.first { $0.broke > 0 } ?? breaks)?.load }
        /// The highest load that held at least once, below the one that breaks.
        var top: Double? { (mixed.last ?? holds)?.load }
    }

    /// Every load that was judged at least once, ascending.
    var tallies: [Tally] {
        var result: [Tally] = []
        for trial in trials where trial.outcome != .generatorLimited {
            let index = result.firstIndex { $0.load >= trial.load } ?? result.count
            if index == result.count || result[index].load != trial.load {
                result.insert(Tally(load: trial.load), at: index)
            }
            if trial.outcome == .held { result[index].held += 1 } else { result[index].broke += 1 }
            result[index].isClose = trial.isClose
        }
        return result
    }

    /// What is known of the limit so far.
    var bracket: Bracket {
        let tallies = tallies
        var bracket = Bracket()
        bracket.breaks = tallies.first { $0.held == 0 }
        let below = tallies.prefix { $0.held > 0 }
        // Where nothing above breaks, there is no bound to be close to.
        let highest = tallies.last { $0.broke > 0 }?.load ?? 0
        bracket.holds = below.last { !$0.isMixed && !($0.isClose && highest > $0.load) }
        bracket.mixed = below.filter { $0.load > bracket.holds?.load ?? 0 }
        return bracket
    }
}
