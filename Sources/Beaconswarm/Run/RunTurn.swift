import Timebase

/// Which of several runs it is, that are played one after the other.
struct RunTurn: Sendable {
    /// The runs that were played before it.
    var done: Int
    /// All runs.
    var count: Int
    /// When the first one began, on the machine's clock that only goes forward.
    var began: Interval
    /// How long one takes at most, in real time, without what is done before and after it.
    var length: Interval

    /// `run 2 of 6`.
    var words: String { "run \(done + 1) of \(count)" }

    /// How much of all runs is done, 0…1.
    ///
    /// - Parameter share: How much of this one is.
    func share(_ share: Double) -> Double { (Double(done) + min(1, max(0, share))) / Double(max(1, count)) }

    /// How long all runs will still take, in real time: of the first one, as long as is planned, and later if they go on
    /// as they went so far. `nil` where all is done.
    func left(_ share: Double) -> Interval? {
        guard done > 0 else {
            return .fractional(seconds: length.fractionalSeconds * Double(count) * (1 - self.share(share)))
        }
        return ProgressWords.left(self.share(share), elapsed: Host.monotonic - began, from: 0.01)
    }
}
