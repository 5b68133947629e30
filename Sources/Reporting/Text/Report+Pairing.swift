import Accounting
import Rendering

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

    /// How well a device's mean is known: of each population that has users of its own, or of many the worst.
    private var margins: String {
        let known = populations.filter { $0.users == nil }.compactMap { population in
            population.spread.map { (name: population.name, margins: UserMargins($0, population.devices)) }
        }
        guard known.count > 1 else { return "" }
        let told: String
        if known.count <= Report.marginLimit {
            told = known.map { "\($0.name) \($0.margins.text)" }.joined(separator: "; ")
        } else {
            let worst = known.max { $0.margins.share < $1.margins.share } ?? known[0]
            told = "in the population where it is widest, \(worst.name) \(worst.margins.text)"
        }
        return " Per device, with the margin (95 %) that chance between users leaves: \(told)."
    }
}

extension Report.Population {
    /// Whose users these are.
    fileprivate var owner: String { "\(name) has the users of \(users ?? name)" }
}

/// Within which bounds the means over all users of a kind lie in 95 of 100 fleets, as far as Student's t knows: half the
/// width of the interval.
private struct UserMargins {
    private let spread: DeviceSpread
    private let t: Double

    init(_ spread: DeviceSpread, _ devices: Int) {
        self.spread = spread
        t = StudentT.quantile(0.975, degrees: Double(max(1, devices - 1)))
    }

    /// The margin as a share of the mean.
    var share: Double { t * spread.captured.standardError / spread.captured.mean }

    /// `31.2 ± 1.4 captured events, 1.20 ± 0.31 % of them gone`
    var text: String {
        let (captured, gone) = (spread.captured, spread.gone)
        let events = "\(Numbers.estimate(captured.mean, margin: t * captured.standardError)) captured events"
        guard let gone, gone.mean > 0 else { return events }
        return events
            + ", \(Numbers.estimate(gone.mean * 100, margin: t * gone.standardError * 100)) % of them gone"
    }
}
