import Timebase

/// How long a persona's sessions are that do not crash, in seconds of life.
///
/// With ``PersonaDescription/endsAtExit`` the app has a say: then it is a sample of sessions, played.
struct SessionLengths: Sendable {
    private let drawn: Distribution
    /// Ascending; empty where ``drawn`` tells all.
    private let played: ContiguousArray<Double>
    private let sums: ContiguousArray<Double>
    let mean: Double

    private static let sampleSize = 2000

    init(app: AppDescription, persona: PersonaDescription) {
        drawn = persona.sessionLength
        guard persona.endsAtExit else {
            (played, sums, mean) = ([], [], drawn.mean)
            return
        }
        let played = SessionLengths.play(app, persona)
        var sum = 0.0
        sums = ContiguousArray(
            played.map { length in
                sum += length
                return sum
            })
        self.played = played
        mean = sum / Double(max(1, played.count))
    }

    /// The length of a session that a moment of no significance falls into. Always two draws.
    func sampleCovering(_ stream: inout RandomStream) -> Double {
        guard !played.isEmpty, mean > 0 else { return mean > 0 ? drawn.sampleCovering(&stream) : 0 }
        let target = stream.uniform() * sums[sums.count - 1]
        _ = stream.next()
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > target { high = middle } else { low = middle + 1 }
        }
        return played[low]
    }

    /// The mean of exp(-rate · length).
    func laplace(_ rate: Double) -> Double {
        guard !played.isEmpty else { return drawn.laplace(rate) }
        // Every 32nd stands for its neighbours.
        let some = stride(from: 16, to: played.count, by: 32)
        let sum = some.reduce(0) { $0 + DeterministicMath.exp(-rate * played[$1]) }
        return sum / Double(played.count / 32)
    }

    /// The lengths of the sessions of one user, whose draws depend on nothing.
    private static func play(
        _ app: AppDescription, _ persona: PersonaDescription
    ) -> ContiguousArray<Double> {
        var undisturbed = persona
        undisturbed.sessionsPerDay = 10
        undisturbed.sessionsPerDaySigma = 0
        undisturbed.returnChance = 0
        undisturbed.crashChance = 0
        undisturbed.passiveLaunchChance = 0
        undisturbed.tempo = 1
        let model = UserModel(app: app, persona: undisturbed)
        var user = UserSimulator(
            model: model, streams: { RandomStream(key: $0.rawValue) },
            presence: Instant(nanoseconds: 0)..<Instant.distantFuture, usersEnd: .distantFuture)
        var lengths = ContiguousArray<Double>()
        var began = Instant(nanoseconds: 0)
        // A persona whose gaps are nothing would go on for ever.
        for _ in 0..<sampleSize * 200 where lengths.count < sampleSize && user.nextAt < .distantFuture {
            let planned = user.next(model)
            if planned.action == .enterForeground { began = planned.at }
            if planned.action == .enterBackground { lengths.append((planned.at - began).fractionalSeconds) }
        }
        return lengths.isEmpty ? [persona.sessionLength.mean] : ContiguousArray(lengths.sorted())
    }
}
