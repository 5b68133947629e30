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
        let age = oldest > 0 ? self.age(oldest: oldest, &stream) : 0
        let left = share(after: age) * (1 - stream.uniform())
        return (age, max(0, seconds(to: left) - age))
    }

    /// An age of those who have the app, by rejection: some ten to twenty rounds for months. Where hardly anybody keeps
    /// it for so long, that would go on for ever.
    private func age(oldest: Double, _ stream: inout RandomStream) -> Double {
        for _ in 0..<10_000 {
            let age = oldest * stream.uniform()
            if stream.chance(share(after: age)) { return age }
        }
        return invertedAge(oldest: oldest, &stream)
    }

    /// An age of those who have the app, for any curve: by the integral of the share up to it.
    func invertedAge(oldest: Double, _ stream: inout RandomStream) -> Double {
        // Before that nobody has gone. No shorter than the clock tells: a stretch does not begin at 0.
        let full = min(oldest, max(1e-9, seconds(to: 1)))
        let ends = anchors.dropFirst().dropLast().map { min(oldest, max(full, $0.seconds)) } + [oldest]
        let stretches = exponents.indices.map { index in
            let start = index == 0 ? full : ends[index - 1]
            return Stretch(
                start: start, end: ends[index], share: share(after: start), exponent: exponents[index])
        }
        var rest = stream.uniform() * stretches.reduce(full) { $0 + $1.integral }
        if rest < full { return rest }
        rest -= full
        for stretch in stretches {
            if rest < stretch.integral { return stretch.seconds(toIntegral: rest) }
            rest -= stretch.integral
        }
        return oldest
    }

    /// A part of the curve that is a single power of the time.
    private struct Stretch {
        let start, end: Double
        /// Seconds times share at the start: how fast the integral grows there with the logarithm of the time.
        private let scale: Double
        /// The exponent of the integral.
        private let power: Double
        /// Of the share over the seconds of the stretch.
        let integral: Double

        /// - Parameter share: That at the start.
        init(start: Double, end: Double, share: Double, exponent: Double) {
            (self.start, self.end) = (start, end)
            scale = start * share
            power = 1 - exponent
            let span = DeterministicMath.log(end / start)
            integral =
                scale * (abs(power) < 1e-6 ? span : (DeterministicMath.exp(power * span) - 1) / power)
        }

        /// The time up to which the integral from the start on has a value.
        func seconds(toIntegral value: Double) -> Double {
            let part = value / scale
            // Of a steep stretch's far end rounding leaves nothing.
            let span =
                abs(power) < 1e-6
                ? part : DeterministicMath.log(max(.leastNormalMagnitude, 1 + power * part)) / power
            return min(end, start * DeterministicMath.exp(span))
        }
    }
}
