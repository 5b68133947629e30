/// Looks for the highest load that a target holds: decides which load to play next, from what became of
/// those that were played.
///
/// A value without clock, sockets or randomness: ``next`` is a function of the trials alone. The load
/// grows fourfold until it breaks, then the gap between what held and what broke is narrowed until it is small
/// enough, then both of its ends are played again. A step that broke tells how much the target served all the
/// same: the search looks right below and above that first, and halves the gap where that was no help.
///
/// Near the limit a step's outcome is chance, and steps of different lengths ask different things: so trials
/// are no votes. A load holds if it never broke, breaks if it never held, and is mixed otherwise: that is
/// final, it is not played again, and it counts as not holding. The highest load that holds has to do so
/// ``Settings/confirmations`` times besides the first, and the lowest that breaks has to break twice. Above a
/// mixed load the search goes on until one breaks: a step that broke for a reason of its own far below the
/// limit decides nothing, since loads above it hold. Where a limit is known, a load that held by so little that it
/// would not hold again for sure is treated like a mixed one.
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
        /// How many trials mixed loads may cost besides.
        var spareTrials = 15
        /// With few steps left, a gap of this share is narrow enough to be confirmed.
        static let coarsePrecision = 0.15
        /// By how much the load grows, and shrinks, while the limit is looked for.
        static let stride = 4.0

        /// The trials after which the search ends, whatever becomes of them: those of the longest way to a
        /// limit without chance, and the spare ones.
        var trialLimit: Int {
            // The gap is three times its lower end after a stride; two looks next to an estimate besides.
            let way = Self.times(from, until: { $0 >= maximum }) { $0 * Self.stride }
            let descent = Self.times(from, until: { $0 <= floor }) { $0 / Self.stride }
            let halvings = Self.times(3, until: { $0 <= precision }) { $0 / 2 }
            return 1 + max(way, descent) + 2 + halvings + 1 + confirmations + spareTrials
        }

        private static func times(
            _ value: Double, until isEnough: (Double) -> Bool, _ change: (Double) -> Double
        ) -> Int {
            var (value, times) = (value, 0)
            while !isEnough(value) { (value, times) = (change(value), times + 1) }
            return times
        }

        /// So many times the quantum, without a rest in the last digits that 0.001 would leave.
        func multiple(_ count: Double) -> Double {
            quantum < 1 ? count / (1 / quantum).rounded() : count * quantum
        }
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
        /// The load that the target served of this one, where it broke.
        var estimate: Double?
        /// Whether the load held by so little, all its trials taken together, that it may not hold again.
        var isClose = false
    }

    enum Ending: Hashable, Sendable {
        /// The load in `holds` was confirmed; the one in `breaks`, the lowest above it that does not hold,
        /// broke twice or is mixed.
        case knee(holds: Double, breaks: Double)
        case holdsAtMaximum(Double)
        /// Even the smallest load breaks.
        case breaksAtFloor(Double)
        /// The generator could not offer a load, twice in a row, and no load below it breaks; one may be mixed.
        case generatorLimit(at: Double, holds: Double?, breaks: Double?)
        /// Outcomes contradicted each other until no trial was left.
        case unsettled(holds: Double?, breaks: Double?)
        /// No further step fits into the time.
        case timeIsUp(holds: Double?, breaks: Double?)
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

    /// Notes what became of a load that was asked for.
    mutating func note(_ trial: Trial) { trials.append(trial) }

    /// Notes what became of the load that ``next`` asked for.
    mutating func note(_ outcome: Outcome, estimate: Double? = nil, isClose: Bool = false) {
        guard case .play(let load, let purpose) = next else { return }
        note(
            Trial(load: load, purpose: purpose, outcome: outcome, estimate: estimate, isClose: isClose))
    }

    /// What to do now.
    ///
    /// - Complexity: O(n²) in the number of trials.
    var next: Move {
        guard !trials.isEmpty else { return .play(settings.from, .climb) }
        let ends = bracket
        let move = move(ends)
        if case .play = move, trials.count >= settings.trialLimit {
            return .end(.unsettled(holds: ends.holds?.load, breaks: ends.breaking))
        }
        return move
    }

    /// What to do now, if only so many steps fit into the time that is left.
    ///
    /// The last of them go to the load that holds, once the gap is not too wide: a load that is known to hold says
    /// more than a narrower gap.
    func next(steps: Int) -> Move {
        let move = next
        guard case .play(_, let purpose) = move else { return move }
        let ends = bracket
        let end = Move.end(.timeIsUp(holds: ends.holds?.load, breaks: ends.breaking))
        guard steps > 0 else { return end }
        guard purpose == .bisect || purpose == .recheck, let holds = ends.holds, let limit = ends.limit,
            limit <= holds.load * (1 + Settings.coarsePrecision)
        else { return move }
        let missing = settings.confirmations + 1 - holds.held
        if missing > 0 { return steps <= missing ? .play(holds.load, .confirm) : move }
        // Another load would have to be confirmed anew.
        return purpose == .recheck || steps > settings.confirmations ? move : end
    }

    private func move(_ ends: Bracket) -> Move {
        if let last = trials.last, last.outcome == .generatorLimited, last.load != ceiling {
            return .play(last.load, .repeat)
        }
        if let ceiling, ceiling < ends.breaks?.load ?? .infinity { return approach(ceiling, ends) }
        // The upper end first: if it holds after all, what is done at the lower one would be in vain.
        return raise(ends) ?? lower(ends)
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
    private func approach(_ ceiling: Double, _ ends: Bracket) -> Move {
        let end = Move.end(.generatorLimit(at: ceiling, holds: ends.holds?.load, breaks: ends.breaking))
        guard let top = ends.top else { return descend(from: ceiling) ?? end }
        guard ceiling > top * (1 + settings.generatorPrecision), let middle = middle(top, ceiling) else {
            return end
        }
        return .play(middle, .bisect)
    }

    /// Looks for a load that breaks, next to what held at least once; `nil` if that is done.
    private func raise(_ ends: Bracket) -> Move? {
        guard let top = ends.top else { return nil }
        guard let breaks = ends.breaks else {
            guard top < settings.maximum else { return nil }
            return .play(min(settings.maximum, rounded(top * Settings.stride)), .climb)
        }
        if let middle = gap(top, breaks.load) { return .play(middle, .bisect) }
        return breaks.broke < 2 ? .play(breaks.load, .recheck) : nil
    }

    /// Looks for a load that holds, next to one that does not, from the top: what lies between two mixed
    /// loads may hold too.
    private func lower(_ ends: Bracket) -> Move {
        guard let holds = ends.holds else {
            let limit = ends.limit ?? settings.floor
            if let move = descend(from: limit) { return move }
            let isDecided = !ends.mixed.isEmpty || ends.breaks.map { $0.broke > 1 } ?? true
            return isDecided ? .end(.breaksAtFloor(limit)) : .play(limit, .recheck)
        }
        let loads = ([holds] + ends.mixed).map(\.load)
        for (low, high) in zip(loads, loads.dropFirst()).reversed() {
            if let middle = gap(low, high) { return .play(middle, .bisect) }
        }
        guard holds.held > settings.confirmations else { return .play(holds.load, .confirm) }
        return .end(ends.breaking.map { .knee(holds: holds.load, breaks: $0) } ?? .holdsAtMaximum(holds.load))
    }

    private func descend(from load: Double) -> Move? {
        guard load > settings.floor else { return nil }
        if let guess = guess(settings.floor, load), guess < load / 1.1 { return .play(guess, .descend) }
        return .play(max(settings.floor, rounded(load / Settings.stride)), .descend)
    }

    /// The load between two others to be played next, where they are too far apart.
    private func gap(_ low: Double, _ high: Double) -> Double? {
        high > low * (1 + settings.precision) ? guess(low, high) ?? middle(low, high) : nil
    }

    /// A load right below, or above, what the target served of the load that broke last; `nil` where that was
    /// tried, or lies outside.
    private func guess(_ low: Double, _ high: Double) -> Double? {
        guard let estimate = trials.last(where: { $0.estimate != nil })?.estimate else { return nil }
        let near = max(1.5 * settings.precision, 0.01)
        let below = rounded(estimate * (1 - near))
        let above = rounded(estimate * (1 + near))
        func isTried(_ loads: ClosedRange<Double>) -> Bool { trials.contains { loads.contains($0.load) } }
        if below > low, below < high, !isTried(estimate * 0.85...estimate) { return below }
        if above > low, above < high, !isTried(estimate.nextUp...estimate * 1.15) { return above }
        // More holds than was served under an overload: then the limit is not far above.
        let next = rounded(low * 1.25)
        return above <= low && next > low && next < high / 1.1 ? next : nil
    }

    /// A load between two others: half-way, for ends far apart on the scale of ratios; `nil` if there is none.
    private func middle(_ low: Double, _ high: Double) -> Double? {
        let half = high > 4 * low ? (low * high).squareRoot() : (low + high) / 2
        let middle = rounded(half)
        if middle > low && middle < high { return middle }
        let above = settings.multiple((low / settings.quantum).rounded() + 1)
        return above < high * (1 - 1e-12) ? above : nil
    }

    private func rounded(_ load: Double) -> Double {
        settings.multiple((load / settings.quantum).rounded())
    }
}
