import Testing
import Timebase

@Suite("The gap that a moment falls into")
struct RenewalTests {
    private static let distributions: [Distribution] = [
        .constant(3), .uniform(2, 8), .uniform(0, 5), .exponential(mean: 4),
        .lognormal(median: 10, sigma: 0.6),
        .pareto(minimum: 1, alpha: 1.1, maximum: 40), .pareto(minimum: 2, alpha: 1, maximum: 30),
        .pareto(minimum: 1, alpha: 0.5, maximum: 20), .pareto(minimum: 5, alpha: 3, maximum: 5),
    ]

    /// The mean of some function of plain draws.
    private func mean(
        _ distribution: Distribution, _ count: Int = 400_000, _ function: (Double) -> Double
    ) -> Double {
        var stream = RandomStream(key: 77)
        return (0..<count).reduce(0) { sum, _ in sum + function(distribution.sample(&stream)) }
            / Double(count)
    }

    @Test("is longer than others by the second moment over the first", arguments: distributions)
    func covering(distribution: Distribution) {
        var stream = RandomStream(key: 5)
        let count = 400_000
        let drawn = (0..<count).map { _ in distribution.sampleCovering(&stream) }
        let found = drawn.reduce(0, +) / Double(count)
        let first = mean(distribution) { $0 }
        let second = mean(distribution) { $0 * $0 }
        #expect(abs(found - second / first) < 0.02 * found, "\(found) for \(second / first)")
        // The whole law, by another function than the mean: E[1 / x] is 1 / mean whatever the law.
        let inverse = drawn.reduce(0) { $0 + 1 / $1 } / Double(count)
        #expect(abs(inverse * first - 1) < 0.03)
    }

    @Test("is the cut where a tiny tail index leaves next to nothing below", arguments: [1e-300, 1e-9])
    func cut(alpha: Double) {
        let distribution = Distribution.pareto(minimum: 1e-6, alpha: alpha, maximum: 1e8)
        var stream = RandomStream(key: 5)
        #expect((0..<100).allSatisfy { _ in distribution.sampleCovering(&stream) == 1e8 })
    }

    @Test("and how often it outlasts an exponential gap", arguments: distributions)
    func laplace(distribution: Distribution) {
        for rate in [0.001, 0.05, 0.3, 2] {
            let expected = mean(distribution, 100_000) { DeterministicMath.exp(-rate * $0) }
            #expect(abs(distribution.laplace(rate) - expected) < 0.01, "rate \(rate)")
        }
    }
}
