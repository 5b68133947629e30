import Timebase

/// What lines of progress have in common.
enum ProgressWords {
    /// `█████░░░░░░░░░░░░░░░` for a quarter.
    static func bar(_ share: Double) -> String {
        let width = 20
        let filled = Int((share * Double(width)).rounded(.down))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    /// `, about 1m20s left`; nothing where all is done.
    ///
    /// - Parameter least: Of a smaller share done, nothing can be said.
    static func timeLeft(_ share: Double, elapsed: Interval, from least: Double) -> String {
        guard share >= least, share < 1 else { return "" }
        let left = elapsed.fractionalSeconds * (1 - share) / share
        return ", about \(Interval.seconds(Int64(left.rounded(.up))).text) left"
    }
}
