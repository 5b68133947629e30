import Timebase

/// What lines of progress have in common.
enum ProgressWords {
    /// `█████░░░░░░░░░░░░░░░` for a quarter.
    static func bar(_ share: Double) -> String {
        let width = 20
        let filled = Int((share * Double(width)).rounded(.down))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    /// A line without the bar at its beginning, for who draws one.
    static func withoutBar(_ line: String) -> String {
        guard let first = line.first, "█░".contains(first) else { return line }
        return String(line.drop { "█░ ".contains($0) })
    }

    /// `, about 1m20s left`; nothing where all is done.
    ///
    /// - Parameter least: Of a smaller share done, nothing can be said.
    static func timeLeft(_ share: Double, elapsed: Interval, from least: Double) -> String {
        guard let left = left(share, elapsed: elapsed, from: least) else { return "" }
        return ", about \(Interval.seconds(Int64(left.fractionalSeconds.rounded(.up))).text) left"
    }

    /// How long the rest takes if it goes on as it went so far; `nil` where all is done, or nothing can be said yet.
    static func left(_ share: Double, elapsed: Interval, from least: Double) -> Interval? {
        guard share >= least, share < 1 else { return nil }
        return .fractional(seconds: elapsed.fractionalSeconds * (1 - share) / share)
    }
}
