import Testing

@testable import Reporting

@Suite("Student's t")
struct StudentTTests {
    /// `scipy.stats.t.ppf` of SciPy 1.x.
    @Test(
        "quantiles are SciPy's",
        arguments: [
            (0.975, 1.0, 12.706204736174694), (0.975, 2, 4.302652729749462), (0.975, 3, 3.1824463052837078),
            (0.975, 4, 2.7764451051977934), (0.975, 9, 2.262157162798205), (0.975, 19, 2.0930240544083087),
            (0.975, 199, 1.9719565442517533), (0.975, 100_000, 1.9599877075346095),
            (0.975, 2.5, 3.5746548420036817), (0.995, 7, 3.4994832973504924), (0.9, 19, 1.3277282090267986),
            (0.6, 5, 0.2671808657041451),
        ])
    func quantiles(_ p: Double, _ degrees: Double, _ expected: Double) {
        let found = StudentT.quantile(p, degrees: degrees)
        #expect((found - expected).magnitude < expected * 1e-9, "\(found)")
    }

    /// `scipy.stats.t.cdf`.
    @Test(
        "the distribution is SciPy's",
        arguments: [
            (0.5, 3.0, 0.6742760175759245), (-2, 7, 0.042809664281488025), (3.3, 19, 0.9981173245617438),
            (0, 4, 0.5), (12, 1, 0.9735353239404101),
        ])
    func distribution(_ t: Double, _ degrees: Double, _ expected: Double) {
        #expect((StudentT.distribution(t, degrees: degrees) - expected).magnitude < 1e-12)
    }

    /// Squares of the differences from their mean sum to 1.7; t is the table's for four degrees of freedom.
    @Test("an interval is that of the paired t test")
    func interval() throws {
        let difference = MeanDifference([1, -0.5, 0.5, 0, 1])
        #expect((difference.mean - 0.4).magnitude < 1e-12)
        let half = 2.7764451051977934 * (1.7 / 4.0 / 5.0).squareRoot()
        let interval = try #require(difference.interval)
        #expect((interval.lowerBound - (0.4 - half)).magnitude < 1e-9)
        #expect((interval.upperBound - (0.4 + half)).magnitude < 1e-9)
    }

    @Test("differences that are all alike have an interval without width, and a single one has none")
    func edges() {
        #expect(MeanDifference([0.1, 0.1, 0.1]).interval == 0.1...0.1)
        #expect(MeanDifference([0.1, 0.1, 0.1]).mean == 0.1)
        #expect(MeanDifference([3]).interval == nil)
    }

    @Test(
        "values whose sums or squares are too great to be numbers have no interval",
        arguments: [[1e308, 1.1e308], [1e308, -1e308], [1e160, -1e160], [1.7e308, 1.7e308, 1.6e308]])
    func tooGreat(_ values: [Double]) {
        #expect(MeanDifference(values).interval == nil)
        #expect(MeanDifference(base: values, candidate: [1, 2]).interval == nil)
        #expect(MeanDifference(base: [1, 2], candidate: values).interval == nil)
        #expect(MeanDifference(base: [-1.7e308, -1.7e308], candidate: [1.7e308, 1.7e308]).interval == nil)
    }

    /// By hand: variances 5/3 of four values and 10 of five, so ν = 5.520787746 and t = 2.499331093 (Simpson's rule over
    /// the density).
    @Test("without pairs, an interval is that of Welch's t test")
    func unpaired() throws {
        let difference = MeanDifference(base: [1, 2, 3, 4], candidate: [2, 4, 6, 8, 10])
        #expect((difference.mean - 3.5).magnitude < 1e-12 && difference.count == 4)
        let interval = try #require(difference.interval)
        #expect((interval.lowerBound - (3.5 - 3.885368080514)).magnitude < 1e-9)
        #expect((interval.upperBound - (3.5 + 3.885368080514)).magnitude < 1e-9)
        #expect(MeanDifference(base: [2], candidate: [3, 4]).interval == nil)
        #expect(MeanDifference(base: [2, 2], candidate: [3, 3]).interval == 1...1)
    }
}
