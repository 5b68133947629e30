import Foundation
import Testing

@testable import Timebase

@Suite("Named random streams")
struct RandomStreamTests {
    @Test("give the same numbers for the same name, always")
    func golden() {
        var stream = RandomStream(
            seed: 42, population: RandomStream.hash(of: "ios"), index: 17, purpose: .sessions)
        #expect(
            (0..<3).map { _ in stream.next() }
                == [
                    stream.key, stream.key, stream.key,
                ].enumerated().map { offset, key in
                    RandomStream.mix(key &+ UInt64(offset + 1) &* 0x9E37_79B9_7F4A_7C15)
                })
        #expect(RandomStream.hash(of: "a") == 0xAF63_DC4C_8601_EC8C, "FNV-1a's published vector")
        #expect(RandomStream.hash(of: "foobar") == 0x8594_4171_F739_67E8, "FNV-1a's published vector")
        var split = RandomStream(key: 0)
        #expect(split.next() == 0xE220_A839_7B1D_CDAF, "SplitMix64's published first output for seed 0")
    }

    @Test("differ when any part of the name differs")
    func independence() {
        var seen = Set<UInt64>()
        for seed in UInt64(0)..<8 {
            for population in ["a", "b", "ios"] {
                for index in UInt64(0)..<50 {
                    for purpose in [RandomStream.Purpose.traits, .sessions, .network] {
                        var stream = RandomStream(
                            seed: seed, population: RandomStream.hash(of: population), index: index,
                            purpose: purpose)
                        #expect(seen.insert(stream.next()).inserted)
                    }
                }
            }
        }
    }

    @Test("keep a child's draws apart from the parent's")
    func children() {
        let parent = RandomStream(key: 5)
        var moved = parent
        _ = moved.next()
        var first = parent.child(9)
        var second = moved.child(9)
        #expect(first.next() == second.next())
    }

    @Test("are even: a chi-squared test over 64 cells")
    func even() {
        var stream = RandomStream(key: 99)
        var cells = [Int](repeating: 0, count: 64)
        for _ in 0..<64_000 { cells[Int(stream.below(64))] += 1 }
        let chi = cells.reduce(0.0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 }
        #expect(chi < 120, "63 degrees of freedom, p below 1e-5 beyond; key 99")
    }
}

@Suite("Deterministic mathematics")
struct DeterministicMathTests {
    @Test("inverts: exp(log(x)) is x within a few units in the last place")
    func inverse() {
        var stream = RandomStream(key: 3)
        for _ in 0..<5000 {
            let x = DeterministicMath.exp(stream.uniform() * 100 - 50)
            let back = DeterministicMath.exp(DeterministicMath.log(x))
            #expect(abs(back / x - 1) < 3e-14, "key 3, x = \(x)")
        }
    }

    @Test("knows constants")
    func constants() {
        #expect(DeterministicMath.log(1) == 0)
        #expect(DeterministicMath.exp(0) == 1)
        #expect(abs(DeterministicMath.exp(1) - 2.718281828459045) < 1e-15)
        #expect(abs(DeterministicMath.log(10) - 2.302585092994046) < 1e-15)
        #expect(abs(DeterministicMath.pow(2, 0.5) - 1.4142135623730951) < 1e-15)
        #expect(abs(DeterministicMath.normalQuantile(0.975) - 1.959963984540054) < 1e-8)
        #expect(abs(DeterministicMath.normalQuantile(0.001) + 3.090232306167813) < 1e-8)
    }

    @Test("ends cleanly at the edges of the numbers")
    func edges() {
        #expect(DeterministicMath.exp(-800) == 0)
        #expect(DeterministicMath.exp(710) == .infinity)
        #expect(DeterministicMath.log(.leastNormalMagnitude) < -708)
    }
}

@Suite("Distributions")
struct DistributionTests {
    static let cases: [Distribution] = [
        .constant(3), .uniform(2, 6), .exponential(mean: 4), .lognormal(median: 4, sigma: 0.8),
        .pareto(minimum: 1, alpha: 2.5, maximum: 1000), .pareto(minimum: 60, alpha: 1.1, maximum: 14_400),
        .pareto(minimum: 1, alpha: 1, maximum: 100),
    ]

    @Test("have the mean that they tell", arguments: cases)
    func mean(distribution: Distribution) {
        var stream = RandomStream(key: 11)
        let count = 200_000
        let sum = (0..<count).reduce(0.0) { sum, _ in sum + distribution.sample(&stream) }
        #expect(abs(sum / Double(count) / distribution.mean - 1) < 0.03, "key 11")
    }

    @Test("take exactly one draw", arguments: cases)
    func draws(distribution: Distribution) {
        var stream = RandomStream(key: 12)
        var other = stream
        _ = distribution.sample(&stream)
        _ = other.next()
        #expect(stream == other)
    }

    @Test("choose by weight, never what has none")
    func weighted() {
        let choice = WeightedChoice(weights: [1, 0, 3])
        var stream = RandomStream(key: 13)
        var counts = [0, 0, 0]
        for _ in 0..<40_000 { counts[choice.sample(&stream)] += 1 }
        #expect(counts[1] == 0)
        #expect(abs(Double(counts[2]) / 40_000 - 0.75) < 0.01, "key 13")
    }

    @Test("follow Zipf's law")
    func zipf() {
        let choice = WeightedChoice.zipf(count: 100, exponent: 1)
        var stream = RandomStream(key: 14)
        var first = 0
        for _ in 0..<50_000 where choice.sample(&stream) == 0 { first += 1 }
        #expect(abs(Double(first) / 50_000 - 1 / 5.187_377) < 0.01, "key 14; H(100) = 5.187…")
    }

    @Test("choose what the first running sum above a draw belongs to, however many weights there are")
    func guide() {
        for seed in UInt64(0)..<60 {
            var stream = RandomStream(key: seed)
            let count = 1 + Int(stream.below([3, 40, 1000][Int(seed % 3)]))
            var weights = (0..<count).map { _ in
                stream.chance(0.2) ? 0 : DeterministicMath.pow(stream.uniform() + 0x1p-60, 9)
            }
            weights[Int(stream.below(UInt64(count)))] = 1
            let choice = WeightedChoice(weights: weights)
            for _ in 0..<500 {
                var other = stream
                let target = other.uniform() * choice.cumulative[count - 1]
                let expected = choice.cumulative.firstIndex { $0 > target } ?? count - 1
                let sample = choice.sample(&stream)
                #expect(sample == expected, "key \(seed)")
                #expect(stream == other)
            }
        }
    }
}

@Suite("Deterministic mathematics, series")
struct MathSeriesTests {
    @Test("the logarithm and the exponential are within two units in the last place")
    func accuracy() {
        var stream = RandomStream(key: 21)
        for _ in 0..<20_000 {
            let x = DeterministicMath.scale(Int(stream.below(2000)) - 1000) * (1 + stream.uniform())
            Self.expectClose(DeterministicMath.log(x), Foundation.log(x), of: x)
            let y = (stream.uniform() - 0.5) * 1400
            Self.expectClose(DeterministicMath.exp(y), Foundation.exp(y), of: y)
        }
        for y in [0, -0.0, 0x1.62e42fefa39efp-2, -0x1.62e42fefa39efp-2, 709.7, -708.5, -744, -745, 1e-300] {
            Self.expectClose(DeterministicMath.exp(y), Foundation.exp(y), of: y)
        }
        for x in [1, 0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp-1, 0x1.fffffffffffffp-1, 0x1p-1074, 0x1.8p-1060]
        {
            Self.expectClose(DeterministicMath.log(x), Foundation.log(x), of: x)
        }
        #expect(DeterministicMath.exp(-745.1) == 0 && DeterministicMath.exp(709.8) == .infinity)
    }

    /// The C library's last place may be wrong, too.
    private static func expectClose(_ found: Double, _ library: Double, of argument: Double) {
        #expect(abs(found - library) <= 3 * library.ulp, "\(argument): \(found), \(library)")
    }

    @Test("the logarithm, the exponential and the normal quantile have these bits, whatever the machine")
    func bits() {
        var stream = RandomStream(key: 22)
        var hash: UInt64 = 0
        func add(_ value: Double) { hash = (hash ^ value.bitPattern) &* 0x0000_0100_0000_01B3 }
        for _ in 0..<20_000 {
            add(
                DeterministicMath.log(
                    DeterministicMath.scale(Int(stream.below(2000)) - 1000) * (1 + stream.uniform())))
            add(DeterministicMath.exp((stream.uniform() - 0.5) * 1500))
            add(DeterministicMath.normalQuantile(stream.uniform() * (1 - 0x1p-52) + 0x1p-54))
        }
        #expect(hash == 2_915_958_293_254_934_800)
    }

    @Test("a power of two is one at every exponent that a normal number has")
    func powers() {
        for exponent in -1022...1023 {
            #expect(
                DeterministicMath.scale(exponent) == Double(sign: .plus, exponent: exponent, significand: 1))
        }
    }
}
