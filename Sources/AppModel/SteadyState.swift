import Timebase

/// Where the users of a persona are found at a moment of no significance, so that a run begins in the midst of
/// their lives and not with everybody's first look at the app.
///
/// A user's life is a renewal process: from one session's start to the next goes a cycle. With the mean gap m of
/// the device, the return chance p, the session's length L and the return's gap R, all in seconds of life, a cycle
/// has, by ``UserSimulator/nextSession(_:)``:
/// - the session, L;
/// - then, with p, the gap R;
/// - else at least the second ``Pace/leastPause``, and, where the exponential gap is longer than the session, with
///   q = E[exp(-(L + 1) / m)], what is left of it, which is exponential with the mean m again.
///
/// The moment falls into each of these parts by its share in the mean cycle; what is left of a part is an even
/// share of one drawn by its length (the equilibrium distribution: Cox, "Renewal Theory", 1962, 5.2), and for the
/// exponential part the exponential itself. Where a part goes by on the clock of activity, the session counts as
/// much more as the clock runs faster then.
struct SteadyState: Sendable {
    /// Of the sessions that there are; see ``SessionLengths``.
    private let lengths: SessionLengths
    private let crashChance: Double
    private let returnChance: Double
    private let returnGap: Distribution
    private let returnMean: Double
    private let passive: PassiveLaunches
    /// q by the mean gap: four points for each doubling from a second on.
    private let outlasting: ContiguousArray<Double>

    /// What a user does at the moment.
    enum State: Hashable {
        /// In a session that has gone on and goes on for some seconds of life.
        case inSession(elapsed: Double, left: Double, crashes: Bool)
        /// The next session comes after some seconds of life.
        case away(Double)
    }

    /// - Precondition: `persona` has no ``PersonaDescription/steadyRate``.
    /// - Complexity: some milliseconds, most of them for personas with ``PersonaDescription/endsAtExit``.
    init(app: AppDescription, persona: PersonaDescription) {
        lengths = SessionLengths(app: app, persona: persona)
        crashChance = app.crashReasons.isEmpty ? 0 : persona.crashChance
        returnChance = persona.returnChance
        returnGap = persona.returnGap
        returnMean = persona.returnGap.mean
        passive = PassiveLaunches(persona, crashChance: crashChance)
        let lengths = lengths
        outlasting = ContiguousArray(
            (0...SteadyState.points).map { point in
                let gap = SteadyState.gap(ofPoint: point)
                return lengths.laplace(1 / gap) * DeterministicMath.exp(-Pace.leastPause / gap)
            })
    }

    /// Draws where a user is.
    ///
    /// - Parameters:
    ///   - meanGap: The device's, in seconds of life; infinite for a user who only comes back soon, or never.
    ///   - activity: How fast the clock of activity runs just then.
    /// - Complexity: O(1).
    func draw(meanGap: Double, activity: Double, _ stream: inout RandomStream) -> State {
        let draw = stream.uniform()
        let never = meanGap.isInfinite && returnChance < 1
        let q = never || returnChance >= 1 ? 0 : outlasting(meanGap)
        let returns = returnChance * returnMean
        let pauses = (1 - returnChance) * Pace.leastPause
        let waits = returnChance >= 1 ? 0 : (1 - returnChance) * q * meanGap
        let visits = 1 - passive.share(meanGap: meanGap, q: q)
        let sessions = never ? 0 : activity * visits * lengths.mean * (1 - crashChance / 2)
        let total = sessions + returns + pauses + waits
        guard !never, total > 0 else { return .away(.infinity) }
        var rest = draw * total
        if rest < sessions { return session(&stream) }
        rest -= sessions
        if rest < returns {
            let gap = returnGap.sampleCovering(&stream)
            return .away(gap * stream.uniform())
        }
        if rest < returns + pauses {
            let pause = Pace.leastPause * stream.uniform()
            guard stream.chance(q) else { return .away(pause) }
            return .away(pause + Distribution.exponential(mean: meanGap).sample(&stream))
        }
        return .away(Distribution.exponential(mean: meanGap).sample(&stream))
    }

    /// A session that a moment falls into. One that crashes does so at an even share, so it counts half.
    private func session(_ stream: inout RandomStream) -> State {
        let crashes = stream.uniform() * (1 - crashChance / 2) < crashChance / 2
        var length = lengths.sampleCovering(&stream)
        if crashes { length *= stream.uniform().squareRoot() }
        let elapsed = length * stream.uniform()
        return .inSession(elapsed: elapsed, left: length - elapsed, crashes: crashes)
    }

    // MARK: q

    private static let pointsPerDoubling = 4
    /// Up to 194 days; whoever comes less often is never kept from it by a session.
    private static let points = 24 * pointsPerDoubling

    private static func gap(ofPoint point: Int) -> Double {
        let whole = Double(sign: .plus, exponent: point / pointsPerDoubling, significand: 1)
        return whole * (1 + Double(point % pointsPerDoubling) / Double(pointsPerDoubling))
    }

    /// Between its neighbours in the table, in a straight line.
    private func outlasting(_ meanGap: Double) -> Double {
        guard meanGap >= 1 else { return outlasting[0] }
        let exponent = Int(meanGap.exponent)
        let position = (meanGap.significand - 1) * Double(SteadyState.pointsPerDoubling)
        let point = exponent * SteadyState.pointsPerDoubling + Int(position)
        guard point < SteadyState.points else { return outlasting[SteadyState.points] }
        let share = position - position.rounded(.down)
        return outlasting[point] * (1 - share) + outlasting[point + 1] * share
    }
}

/// How many of the cycles begin with a launch by the system, and so have no session.
private struct PassiveLaunches: Sendable {
    private let chance: Double
    private let crashChance: Double
    private let killAtBackgroundChance: Double
    private let returnChance: Double
    private let meanTimeToKill: Double
    /// Of the processes in the background, those that outlive a return's gap.
    private let returnSurvival: Double

    init(_ persona: PersonaDescription, crashChance: Double) {
        chance = persona.passiveLaunchChance
        self.crashChance = crashChance
        killAtBackgroundChance = persona.killAtBackgroundChance
        returnChance = persona.returnChance
        meanTimeToKill = persona.meanTimeToKill.fractionalSeconds
        returnSurvival = chance > 0 ? persona.returnGap.laplace(1 / meanTimeToKill) : 1
    }

    /// - Parameter q: The share of exponential gaps that outlast the session.
    func share(meanGap: Double, q: Double) -> Double {
        guard chance > 0 else { return 0 }
        let waiting = meanGap.isInfinite ? 0 : meanTimeToKill / (meanTimeToKill + meanGap)
        let survival =
            returnChance * returnSurvival
            + (1 - returnChance) * (q * waiting + (1 - q))
        // After a session some have crashed or are killed at once; a process that the system launched is left alone.
        let afterSession = 1 - (1 - crashChance) * (1 - killAtBackgroundChance) * survival
        let afterPassive = 1 - survival
        return chance * afterSession / (1 - chance * (afterPassive - afterSession))
    }
}
