/// What a renewal process needs of the length of its gaps (D. R. Cox, "Renewal Theory", 1962, chapter 5).
extension Distribution {
    /// Draws the length of the gap in which a moment of no significance falls: the density x · f(x) / mean, for
    /// long gaps cover more moments than short ones. Always two draws.
    ///
    /// - Precondition: the mean is positive.
    package func sampleCovering(_ stream: inout RandomStream) -> Double {
        let u = stream.uniform()
        let other = stream.uniform()
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high):
            return (low * low + (high * high - low * low) * u).squareRoot()
        case .exponential(let mean):
            return -mean
                * (DeterministicMath.log(Distribution.open(u))
                    + DeterministicMath.log(Distribution.open(other)))
        case .lognormal(let median, let sigma):
            return Distribution.lognormal(median: median * DeterministicMath.exp(sigma * sigma), sigma: sigma)
                .quantile(Distribution.open(u))
        case .pareto(let minimum, let alpha, let maximum):
            guard maximum > minimum else { return minimum }
            // In units of the minimum; the cut has a share of its own.
            let target = u * mean / minimum
            let part = alpha == 1 ? DeterministicMath.exp(target) : covering(target, alpha)
            return min(maximum, minimum * part)
        }
    }

    /// The inverse of the covered length up to a point, of an uncut Pareto from 1 on.
    private func covering(_ target: Double, _ alpha: Double) -> Double {
        let base = 1 + target * (1 - alpha) / alpha
        // Of a tiny `alpha` nearly all is cut: the base is beyond what numbers tell.
        return base > 0 && base < .infinity ? DeterministicMath.pow(base, 1 / (1 - alpha)) : .infinity
    }

    /// The mean of exp(-rate · x): the probability that the next event of a Poisson process takes longer.
    ///
    /// The mean over the quantiles of 64 equal parts, within 0.01.
    ///
    /// - Complexity: 64 quantiles.
    package func laplace(_ rate: Double) -> Double {
        let parts = 64
        return (0..<parts).reduce(0) { sum, part in
            let value = quantile((Double(part) + 0.5) / Double(parts))
            return sum + DeterministicMath.exp(-rate * value) / Double(parts)
        }
    }

    /// A draw in [0, 1) inside the open interval: no sampler meets log(0), and 0.5 stays 0.5.
    static func open(_ u: Double) -> Double { u * (1 - 0x1p-52) + 0x1p-54 }
}
