/// What is added before a price or a share is rounded, here and in the queries.
///
/// Engines differ where a value lies halfway: PostgreSQL and ClickHouse round a double to the even neighbour, DuckDB and
/// SQLite away from zero, and SQLite by the decimal text. So halves go up a little first, far below what is shown.
enum Rounding {
    /// Of a price in hundredths.
    static let hundredths = 0.000_001
    static let hundredthsText = "0.000001"
    /// How many hundredths a price may be worth: doubles of more are no longer told apart by one, and databases that
    /// have the price as a whole number get another result than those that make it a double.
    static let mostHundredths = 9_007_199_254_740_992.0
    /// Of a share with four decimals.
    static let share = 0.000_000_001
    static let shareText = "0.000000001"
}
