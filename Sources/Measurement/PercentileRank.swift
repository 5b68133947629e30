/// Which of sorted values a percentile is, for all distributions alike.
enum PercentileRank {
    /// The rank, from 1, of the least value that `percentile` per cent of the values do not exceed.
    ///
    /// As HdrHistogram rounds: an ulp less, so that 99.9 % of 41,000 are 40,959 and not one more, as their product in
    /// binary has it.
    ///
    /// - Parameters:
    ///   - percentile: 0…100; 0 is the first, 100 the last.
    ///   - count: 1 or more.
    static func of(_ percentile: Double, among count: UInt64) -> UInt64 {
        guard percentile < 100 else { return count }
        let share = max(percentile.nextDown, 0) * Double(count) / 100
        return max(1, UInt64(share.rounded(.up)))
    }
}
