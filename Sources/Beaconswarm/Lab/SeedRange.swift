/// The seeds of `--seeds`: `20` of them from a first one on, or all of `1..20`.
enum SeedRange {
    /// The most simulations of one command.
    static let limit = 100_000

    /// Reads the option.
    ///
    /// - Parameters:
    ///   - text: As given; `nil` for the first seed alone.
    ///   - first: The scenario's seed.
    ///   - hasOwnSeed: Whether a seed was given beside it, which a range has no use for.
    /// - Throws: ``CommandFailure`` with code 64.
    static func parse(_ text: String?, first: UInt64, hasOwnSeed: Bool) throws(CommandFailure) -> [UInt64] {
        guard let text else { return [first] }
        let wrong = CommandFailure(
            .usage,
            "--seeds \(text): allowed is a number of seeds from the scenario's own on, 1 to \(limit), or a range such as "
                + "1..20")
        guard let dots = text.firstRange(of: "..") else {
            guard let count = Int(text), (1...limit).contains(count),
                first <= UInt64.max - UInt64(count)
            else { throw wrong }
            return (0..<UInt64(count)).map { first + $0 }
        }
        guard let low = UInt64(text[..<dots.lowerBound]), let high = UInt64(text[dots.upperBound...]),
            low <= high, high - low < UInt64(limit), high < .max
        else { throw wrong }
        if hasOwnSeed {
            throw CommandFailure(.usage, "--seeds \(text): names its seeds; --seed has no meaning beside it")
        }
        return Array(low...high)
    }
}
