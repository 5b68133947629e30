import Accounting

extension Report {
    /// The most populations whose margins are told one by one.
    private static let marginLimit = 4

    /// Which populations have the same users, and what that means for those that have their own, with the size of chance
    /// where it is known; `nil` for a single population, which there is nothing to hold beside.
    var pairingNote: String? {
        guard populations.count > 1 else { return nil }
        let others =
            "users of their own: part of what differs between them is chance"
            + (mode == .virtual ? " (several seeds show how much: --seeds)." : ".") + margins
        let same = populations.filter { $0.users != nil && $0.userDifferences.isEmpty }
        let unlike = populations.filter { $0.users != nil && !$0.userDifferences.isEmpty }
        guard !same.isEmpty || !unlike.isEmpty else { return "The populations have \(others)" }
        var sentences: [String] = []
        if !same.isEmpty {
            sentences.append(
                same.map(\.owner).joined(separator: "; ")
                    + ": they do the same, device by device, so what differs is their SDKs'.")
        }
        for population in unlike {
            let keys = population.userDifferences.joined(separator: ", ")
            sentences.append(
                "\(population.owner), but not its \(keys): not all that differs is their SDKs'.")
        }
        let owners = Set(populations.map { $0.users ?? $0.name })
        if owners.count > 1 { sentences.append("Other populations have \(others)") }
        return sentences.joined(separator: " ")
    }

    /// What other users of the same kind would have come to: of each population that has its own, or of many the widest.
    private var margins: String {
        let known = populations.filter { $0.users == nil }.compactMap { population in
            population.spread.map { (name: population.name, spread: $0) }
        }
        guard known.count > 1 else { return "" }
        let told: String
        if known.count <= Report.marginLimit {
            told = known.map { "\($0.name) \($0.spread.sentence)" }.joined(separator: "; ")
        } else {
            let widest = known.max { $0.spread.relativeMargin < $1.spread.relativeMargin } ?? known[0]
            told = "in the population where they differ most, \(widest.name), \(widest.spread.sentence)"
        }
        return " By how much their devices differ, other users would make of it, with 95 %: \(told)."
    }
}

extension Report.Population {
    /// Whose users these are.
    fileprivate var owner: String { "\(name) has the users of \(users ?? name)" }
}

extension DeviceSpread {
    fileprivate var relativeMargin: Double { captured.margin / captured.mean }

    /// `31.2 ± 1.4 captured events a device, 1.20 ± 0.31 % of them gone`
    fileprivate var sentence: String {
        let events = "\(Numbers.estimate(captured.mean, margin: captured.margin)) captured events a device"
        guard let gone, gone.mean > 0 else { return events }
        return events + ", \(Numbers.estimate(gone.mean * 100, margin: gone.margin * 100)) % of them gone"
    }
}

extension Numbers {
    /// A mean with its margin, both to the second digit of the margin: `31.2 ± 1.4`.
    static func estimate(_ mean: Double, margin: Double) -> String {
        guard margin > 0 else { return "\(short(mean)) ± 0" }
        var decimals = 0
        var limit = 9.95
        while decimals < 4, margin < limit {
            decimals += 1
            limit /= 10
        }
        return "\(fixed(mean, decimals)) ± \(fixed(margin, decimals))"
    }
}
