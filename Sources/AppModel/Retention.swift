package import Timebase

/// Which share of those who installed an app still has it after a time: R(t).
///
/// Straight lines in the logarithms of time and share between anchors, and on beyond them; never more than 1. So two
/// anchors are a power law, as which retention is mostly found.
package struct Retention: Sendable, Hashable {
    /// A time since the installation, and the share that is left then.
    package struct Anchor: Sendable, Hashable {
        package var seconds: Double
        package var share: Double

        package init(seconds: Double, share: Double) {
            self.seconds = seconds
            self.share = share
        }
    }

    private let anchors: [Anchor]
    /// For each stretch between two anchors, by how much the share falls with the time, as an exponent.
    private let exponents: [Double]

    /// Makes a curve.
    ///
    /// - Returns: `nil` unless there are two anchors at least, at ascending times above 0, with descending shares
    ///   below 1 and above 0.
    package init?(_ anchors: [Anchor]) {
        let pairs = Array(zip(anchors, anchors.dropFirst()))
        guard !pairs.isEmpty,
            anchors.allSatisfy({ $0.seconds > 0 && $0.seconds.isFinite && $0.share > 0 && $0.share < 1 }),
            pairs.allSatisfy({ $0.seconds < $1.seconds && $0.share > $1.share })
        else { return nil }
        self.anchors = anchors
        exponents = pairs.map {
            DeterministicMath.log($0.share / $1.share) / DeterministicMath.log($1.seconds / $0.seconds)
        }
    }

    /// The share that is left after some seconds.
    package func share(after seconds: Double) -> Double {
        guard seconds > 0 else { return 1 }
        let stretch = min(exponents.count - 1, max(0, anchors.partition { $0.seconds > seconds } - 1))
        let anchor = anchors[stretch]
        let ratio = DeterministicMath.pow(anchor.seconds / seconds, exponents[stretch])
        return min(1, anchor.share * ratio)
    }

    /// The seconds after which that share is left.
    ///
    /// - Precondition: 0 < `share` <= 1.
    func seconds(to share: Double) -> Double {
        let stretch = min(exponents.count - 1, max(0, anchors.partition { $0.share < share } - 1))
        let anchor = anchors[stretch]
        return anchor.seconds * DeterministicMath.pow(anchor.share / share, 1 / exponents[stretch])
    }

    /// How long an installation will last, drawn: how old it is at some moment, and how many seconds it has left.
    ///
    /// - Parameters:
    ///   - oldest: Those who have the app at the moment installed it evenly over so many seconds before; of earlier
    ///     days fewer are left. 0 for an installation that begins at the moment.
    package func draw(oldest: Double, _ stream: inout RandomStream) -> (age: Double, left: Double) {
        var age = 0.0
        if oldest > 0 {
            // By rejection; some ten to twenty rounds for months.
            for _ in 0..<10_000 {
                age = oldest * stream.uniform()
                if stream.chance(share(after: age)) { break }
            }
        }
        let left = share(after: age) * (1 - stream.uniform())
        return (age, max(0, seconds(to: left) - age))
    }
}
