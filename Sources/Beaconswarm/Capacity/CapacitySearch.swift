/// Looks for the highest load that a target holds: decides which load to play next, from what became of
/// those that were played.
///
/// A value without clock, sockets or randomness: ``next`` is a function of the trials alone. The load
/// doubles until it breaks, then the gap between what held and what broke is halved until it is narrow
/// enough, then both of its ends are played again.
///
/// Near the limit a step's outcome is chance: a load just below it breaks now and then, one just above it
/// holds. So no load is judged by one trial alone in the end. The highest one that held has to hold
/// ``Settings/confirmations`` times more often than it broke, besides the first time; the lowest one that
/// broke has to break twice more often than it held. What fails in that is on the other side from then on,
/// and the search goes on between the loads that are left. That also mends a step that broke for a reason
/// of its own far below the limit.
struct CapacitySearch: Hashable, Sendable {
    struct Settings: Hashable, Sendable {
        /// The first load, in whatever unit loads are told in.
        var from: Double
        /// The smallest load there is.
        var floor: Double
        /// The highest load to be tried.
        var maximum: Double
        /// Loads are multiples of this: 1 where they are numbers of devices.
        var quantum: Double
        /// How far apart the two ends may be, as a share of the lower one.
        var precision = 0.02
        /// How near the search comes to a load that the generator cannot offer, as a share of what holds.
        var generatorPrecision = 0.1
        /// How often the found load has to hold again.
        var confirmations = 2
        /// Trials after which the search gives up.
        var trialLimit = 60
        /// Trials of one load after which it counts as broken if it is not confirmed.
        var trialLimitOfLoad = 7
    }

    enum Outcome: Hashable, Sendable {
        case held, broke
        /// The generator could not offer the load: this says nothing about the target.
        case generatorLimited
    }

    /// Why a load is played.
    enum Purpose: String, Hashable, Sendable {
        /// To find a load that breaks, or one that holds.
        case climb, descend
        /// To narrow the gap.
        case bisect
        /// To see whether what held holds again, and what broke breaks again.
        case confirm, recheck
        /// Because the last trial of the load said nothing.
        case `repeat`
    }

    struct Trial: Hashable, Sendable {
        var load: Double
        var purpose: Purpose
        var outcome: Outcome
    }

    enum Ending: Hashable, Sendable {
        /// The load in `holds` was confirmed, and so was that in `breaks`.
        case knee(holds: Double, breaks: Double)
        case holdsAtMaximum(Double)
        /// Even the smallest load breaks.
        case breaksAtFloor(Double)
        /// The generator could not offer a load, twice in a row, and nothing broke below it.
        case generatorLimit(at: Double, holds: Double?, breaks: Double?)
        /// Outcomes contradicted each other for too long.
        case unsettled(holds: Double?, breaks: Double?)
    }

    enum Move: Hashable, Sendable {
        case play(Double, Purpose)
        case end(Ending)
    }

    let settings: Settings
    private(set) var trials: [Trial] = []

    /// - Precondition: the settings are positive numbers, the first load within floor and maximum.
    init(_ settings: Settings) {
        precondition(settings.floor > 0 && settings.quantum > 0 && settings.precision > 0)
        precondition(settings.from >= settings.floor && settings.from <= settings.maximum)
        self.settings = settings
    }

    /// Notes what became of the load that ``next`` asked for.
    mutating func note(_ outcome: Outcome) {
        guard case .play(let load, let purpose) = next else { return }
        trials.append(Trial(load: load, purpose: purpose, outcome: outcome))
    }

    /// What to do now.
    ///
    /// - Complexity: O(n²) in the number of trials.
    var next: Move {
        let ends = bracket
        if let last = trials.last, last.outcome == .generatorLimited, last.load != ceiling {
            return .play(last.load, .repeat)
        }
        guard trials.count < settings.trialLimit else {
            return .end(.unsettled(holds: ends.holds?.load, breaks: ends.breaks?.load))
        }
        if let ceiling, ceiling < ends.breaks?.load ?? .infinity {
            return approach(ceiling, from: ends.holds, below: ends.breaks)
        }
        if let tied = ends.tied { return .play(tied.load, .repeat) }
        switch (ends.holds, ends.breaks) {
        case (nil, nil): return .play(settings.from, .climb)
        case (let holds?, nil): return climb(from: holds)
        case (nil, let breaks?): return descend(from: breaks)
        case (let holds?, let breaks?): return narrow(holds, breaks)
        }
    }

    /// The smallest load that the generator could not offer, tried twice in a row.
    private var ceiling: Double? {
        zip(trials, trials.dropFirst())
            .filter {
                $0.outcome == .generatorLimited && $1.outcome == .generatorLimited && $0.load == $1.load
            }
            .map(\.0.load).min()
    }

    /// The target may break below what the generator cannot offer: looks there, down to the share of
    /// ``Settings/generatorPrecision``.
    private func approach(_ ceiling: Double, from holds: Tally?, below breaks: Tally?) -> Move {
        let end = Move.end(.generatorLimit(at: ceiling, holds: holds?.load, breaks: breaks?.load))
        guard breaks == nil else { return end }
        guard let holds else {
            return ceiling > settings.floor
                ? .play(max(settings.floor, rounded(ceiling / 4)), .descend) : end
        }
        guard ceiling > holds.load * (1 + settings.generatorPrecision),
            let middle = middle(holds.load, ceiling)
        else { return end }
        return .play(middle, .bisect)
    }

    private func climb(from holds: Tally) -> Move {
        guard holds.load < settings.maximum else {
            return isConfirmed(holds) ? .end(.holdsAtMaximum(holds.load)) : .play(holds.load, .confirm)
        }
        return .play(min(settings.maximum, rounded(holds.load * 2)), .climb)
    }

    private func descend(from breaks: Tally) -> Move {
        guard breaks.load > settings.floor else {
            return isSettled(breaks) ? .end(.breaksAtFloor(breaks.load)) : .play(breaks.load, .recheck)
        }
        return .play(max(settings.floor, rounded(breaks.load / 4)), .descend)
    }

    private func narrow(_ holds: Tally, _ breaks: Tally) -> Move {
        if breaks.load > holds.load * (1 + settings.precision),
            let middle = middle(holds.load, breaks.load)
        {
            return .play(middle, .bisect)
        }
        // The upper end first: if it holds after all, confirming the lower one would have been in vain.
        if !isSettled(breaks) { return .play(breaks.load, .recheck) }
        if !isConfirmed(holds) { return .play(holds.load, .confirm) }
        return .end(.knee(holds: holds.load, breaks: breaks.load))
    }

    /// A load between two others: half-way, for ends far apart on the scale of ratios; `nil` if there is none.
    private func middle(_ low: Double, _ high: Double) -> Double? {
        let half = high > 4 * low ? (low * high).squareRoot() : (low + high) / 2
        let middle = rounded(half)
        if middle > low && middle < high { return middle }
        let above = low + settings.quantum
        return above < high * (1 - 1e-12) ? above : nil
    }

    private func rounded(_ load: Double) -> Double {
        (load / settings.quantum).rounded() * settings.quantum
    }
}

// MARK: - What the trials say

extension CapacitySearch {
    /// The trials of one load.
    struct Tally: Hashable, Sendable {
        var load: Double
        var held = 0
        var broke = 0
        /// How much more often it held than it broke.
        var score: Int { held - broke }
    }

    /// The loads that the limit lies between.
    struct Bracket: Hashable, Sendable {
        /// The highest load that held, below the one that broke.
        var holds: Tally?
        /// The lowest load that broke.
        var breaks: Tally?
        /// A load between the two that held as often as it broke.
        var tied: Tally?
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
        }
        return result
    }

    /// What is known of the limit so far.
    var bracket: Bracket {
        let tallies = tallies
        var bracket = Bracket()
        bracket.breaks = tallies.first(where: isBroken)
        let below = tallies.prefix { $0.load < bracket.breaks?.load ?? .infinity }
        bracket.holds = below.last { $0.score > 0 }
        bracket.tied = below.first { $0.score == 0 && $0.load > bracket.holds?.load ?? 0 }
        return bracket
    }

    /// Whether a load is to be taken for one that breaks.
    private func isBroken(_ tally: Tally) -> Bool {
        tally.score < 0 || (isWornOut(tally) && !isConfirmed(tally))
    }

    private func isWornOut(_ tally: Tally) -> Bool {
        tally.held + tally.broke >= settings.trialLimitOfLoad
    }

    private func isConfirmed(_ tally: Tally) -> Bool { tally.score > settings.confirmations }

    private func isSettled(_ tally: Tally) -> Bool { tally.score <= -2 || isWornOut(tally) }
}
