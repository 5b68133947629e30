/// The seeds of several runs: so many from a first one on, or, of `--seeds`, all of `1..20`.
enum SeedRange {
    /// The most seeds of one command; each variant, and each point of a sweep, is played with all of them.
    static let limit = 100_000

    /// Reads the option.
    ///
    /// - Parameters:
    ///   - text: As given; `nil` for the first seed alone.
    ///   - first: The scenario's seed.
    ///   - hasOwnSeed: Whether a seed was given beside it, which a range has no use for.
    /// - Throws: ``CommandFailure`` with code 64 for what is no range, and where there are not so many seeds.
    static func parse(_ text: String?, first: UInt64, hasOwnSeed: Bool) throws(CommandFailure) -> [UInt64] {
        guard let text else { return [first] }
        let wrong = CommandFailure(
            .usage,
            "--seeds \(text): allowed is a number of seeds from the scenario's own on, 1 to \(limit), or a "
                + "range such as 1..20")
        guard let dots = text.firstRange(of: "..") else {
            guard let count = Int(text), (1...limit).contains(count) else { throw wrong }
            return try seeds(count, from: first, option: "--seeds")
        }
        guard let low = UInt64(text[..<dots.lowerBound]), let high = UInt64(text[dots.upperBound...]),
            low <= high, high - low < UInt64(limit)
        else { throw wrong }
        if hasOwnSeed {
            throw CommandFailure(.usage, "--seeds \(text): names its seeds; --seed has no meaning beside it")
        }
        return Array(low...high)
    }

    /// Seeds that follow each other.
    ///
    /// - Parameters:
    ///   - count: From 1.
    ///   - first: Any; the last seed of all is `UInt64.max`.
    ///   - option: That which asks for them, as it is typed.
    /// - Throws: ``CommandFailure`` with code 64 where there are not so many.
    static func seeds(
        _ count: Int, from first: UInt64, option: String
    ) throws(CommandFailure) -> [UInt64] {
        let (last, isBeyond) = first.addingReportingOverflow(UInt64(count - 1))
        guard !isBeyond else {
            throw CommandFailure(
                .usage,
                "\(option) \(count): there are not so many seeds from \(first) on, up to \(UInt64.max)")
        }
        return Array(first...last)
    }
}
