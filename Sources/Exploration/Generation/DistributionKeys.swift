import Timebase

/// The keys of a distribution: which of them are there tells which it is.
enum DistributionKeys {
    static let all = ["min", "max", "mean", "median", "sigma", "alpha"]
    private static let families = [["min", "max"], ["mean"], ["median", "sigma"], ["min", "alpha", "max"]]

    /// The keys of one kind of distribution; `nil` for an object that is none.
    ///
    /// - Parameter wanted: Keys one of which it has to have, if one of them is a distribution's.
    static func drawn(among names: [String], _ stream: RandomStream, wanted: [String]) -> [String]? {
        // A generator that names its distribution has the keys of that one alone, beside "decimals".
        let own = all.filter(names.contains)
        if names.contains("decimals"), let named = families.first(where: { Set($0) == Set(own) }) {
            return named
        }
        guard own.count == all.count else { return nil }
        if let family = families.first(where: { $0.contains(where: wanted.contains) }) { return family }
        var draw = stream
        return families[Int(draw.below(UInt64(families.count)))]
    }

    /// The number of a key: what bounds or means is drawn in proportion to one size.
    static func number(_ name: String, _ draw: inout RandomStream) -> Double {
        let size = WorldFrame.logUniform(0.5, 100, &draw)
        let factor = 0.01 + draw.uniform()
        return switch name {
        case "min": size
        case "max": size * 3
        case "sigma", "alpha": factor * 2
        default: size * 2
        }
    }
}
