import Timebase

/// How long steps take in real time.
struct SearchPace: Sendable {
    let isVirtual: Bool
    /// Of a live step: the lead, the answers that are awaited at its end, its control, and the pause after it.
    private var besides = Interval.seconds(2)
    /// Of a simulated step, for a unit of load.
    private var secondsPerLoad = 0.0

    init(isVirtual: Bool) { self.isVirtual = isVirtual }

    mutating func note(_ wall: Interval, of time: Interval, load: Double) {
        if isVirtual {
            secondsPerLoad = wall.fractionalSeconds / load
        } else {
            besides = max(besides, wall - time + .seconds(2))
        }
    }

    /// What a step of a load will take.
    func cost(of time: Interval, load: Double) -> Interval {
        isVirtual ? .fractional(seconds: secondsPerLoad * load) : time + besides
    }
}
