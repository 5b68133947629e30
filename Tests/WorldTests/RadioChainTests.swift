import Testing
import Timebase

@testable import World

@Suite("RadioChain")
struct RadioChainTests {
    private let start = Instant(milliseconds: 1_767_571_200_000)

    private func stream(_ device: UInt64) -> RandomStream {
        RandomStream(seed: 11, population: 3, index: device, purpose: .network)
    }

    private func chain(_ name: String) throws -> RadioChain {
        try #require(NetworkPresets.rules(named: name)?.chain)
    }

    /// A device's time on each radio of a chain in a while, in seconds, and how often it changed.
    private func life(
        _ chain: RadioChain, device: UInt64, for length: Interval
    ) -> (seconds: [NetworkKind: Double], changes: Int) {
        var walk = RadioWalk(chain: chain, stream: stream(device), start: start)
        var seconds: [NetworkKind: Double] = [:]
        var changes = 0
        var now = start
        let end = start + length
        while now < end {
            let until = min(walk.until, end)
            seconds[walk.kind(chain), default: 0] += (until - now).fractionalSeconds
            now = until
            if now < end {
                walk.advance(through: now, chain, stream: stream(device))
                changes += 1
            }
        }
        return (seconds, changes)
    }

    /// Whether the mean of independent samples agrees with a value: within four standard errors.
    private func agree(_ samples: [Double], _ expected: Double) -> Bool {
        let count = Double(samples.count)
        let mean = samples.reduce(0, +) / count
        let variance = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        return abs(mean - expected) < 4 * (variance / count).squareRoot() + 1e-12
    }

    @Test("two radios share time as their stays do")
    func closedForm() throws {
        let chain = try #require(
            RadioChain([
                .init(.wifi, dwell: .seconds(30), to: [.init(.none, 5)]),
                .init(.none, dwell: .seconds(10), to: [.init(.wifi, 0.1)]),
            ]))
        #expect(abs(chain.shares[0] - 0.75) < 1e-12)
        #expect(abs(chain.shares[1] - 0.25) < 1e-12)
        #expect(abs(chain.changesPerDay - 2 * 86_400 / 40) < 1e-9)
    }

    @Test(
        "shares solve the balance of every radio: as often left as entered", arguments: NetworkPresets.names)
    func balance(name: String) throws {
        guard let chain = NetworkPresets.rules(named: name)?.chain else { return }
        // Visits in any unit of time: share over length of stay.
        let visits = zip(chain.shares, chain.states).map { $0 / $1.dwell.fractionalSeconds }
        for (index, state) in chain.states.enumerated() {
            let entered = zip(visits, chain.states).reduce(0.0) { sum, other in
                let weights = other.1.jumps.reduce(0) { $0 + $1.weight }
                let here = other.1.jumps.filter { $0.kind == state.kind }.reduce(0) { $0 + $1.weight }
                return sum + other.0 * here / weights
            }
            #expect(abs(entered - visits[index]) < 1e-12)
        }
        #expect(abs(chain.shares.reduce(0, +) - 1) < 1e-12)
        #expect(abs(chain.changesPerDay - visits.reduce(0, +) * 86_400) < 1e-6)
    }

    @Test("the documented shares")
    func documented() throws {
        func shares(_ name: String) throws -> [NetworkKind: Double] {
            let chain = try chain(name)
            return Dictionary(uniqueKeysWithValues: zip(chain.states.map(\.kind), chain.shares))
        }
        let mix = try shares("mobile-mix")
        for (kind, share) in [
            (NetworkKind.wifi, 0.599), (.cellular4G, 0.372), (.cellular3G, 0.019), (.cellular2G, 0.003),
            (.none, 0.007),
        ] {
            #expect(abs((mix[kind] ?? 0) - share) < 0.001, "\(kind)")
        }
        #expect(abs(try chain("mobile-mix").changesPerDay - 31) < 0.5)
        #expect(abs((try shares("commuter")[.none] ?? 0) - 0.03) < 0.001)
        let emerging = try shares("emerging-market")
        for (kind, share) in [(NetworkKind.cellular3G, 0.24), (.cellular2G, 0.08), (.none, 0.05)] {
            #expect(abs((emerging[kind] ?? 0) - share) < 0.005, "\(kind)")
        }
    }

    @Test("devices live by the shares and change as often", arguments: ["mobile-mix", "subway"])
    func lives(name: String) throws {
        let chain = try chain(name)
        let lives = (0..<400).map { life(chain, device: $0, for: .hours(24 * 3)) }
        for (state, share) in zip(chain.states, chain.shares) {
            #expect(agree(lives.map { ($0.seconds[state.kind] ?? 0) / 259_200 }, share), "\(state.kind)")
        }
        #expect(agree(lives.map { Double($0.changes) / 3 }, chain.changesPerDay))
    }

    @Test("a device begins in equilibrium: no moment is another", arguments: ["emerging-market", "subway"])
    func equilibrium(name: String) throws {
        let chain = try chain(name)
        for moment in [Interval.zero, .seconds(45), .minutes(20)] {
            for (state, share) in zip(chain.states, chain.shares) {
                let found = (0..<3000).map { (device: UInt64) -> Double in
                    var walk = RadioWalk(chain: chain, stream: stream(device), start: start)
                    walk.advance(through: start + moment, chain, stream: stream(device))
                    return walk.kind(chain) == state.kind ? 1 : 0
                }
                #expect(agree(found, share), "\(state.kind) after \(moment)")
            }
        }
    }

    @Test("regular stays are all equally long but for the first, of which any part is left")
    func regular() throws {
        let chain = try chain("subway")
        var firsts: [Double] = []
        for device in 0..<500 as Range<UInt64> {
            var walk = RadioWalk(chain: chain, stream: stream(device), start: start)
            let whole = walk.kind(chain) == .none ? 90.0 : 60
            firsts.append((walk.until - start).fractionalSeconds / whole)
            let left = walk.until
            walk.advance(through: left, chain, stream: stream(device))
            #expect((walk.until - left) == .seconds(walk.kind(chain) == .none ? 90 : 60))
        }
        #expect(firsts.allSatisfy { $0 > 0 && $0 <= 1 })
        #expect(agree(firsts, 0.5))
    }

    @Test("where a device is does not depend on how often it was looked at")
    func looks() throws {
        let chain = try chain("mobile-mix")
        for device in 0..<20 as Range<UInt64> {
            var often = RadioWalk(chain: chain, stream: stream(device), start: start)
            var once = often
            for minute in 1...1440 {
                often.advance(through: start + .minutes(Int64(minute)), chain, stream: stream(device))
            }
            once.advance(through: start + .hours(24), chain, stream: stream(device))
            #expect(often == once)
        }
    }

    @Test("no chain where a radio is never reached, leads to itself or nowhere, or is there twice")
    func unsound() {
        let other = RadioChain.State(.none, dwell: .seconds(1), to: [.init(.wifi, 1)])
        #expect(RadioChain([.init(.wifi, dwell: .seconds(1), to: []), other]) == nil)
        #expect(RadioChain([.init(.wifi, dwell: .seconds(1), to: [.init(.none, 0)]), other]) == nil)
        #expect(RadioChain([.init(.wifi, dwell: .seconds(1), to: [.init(.wifi, 1)]), other]) == nil)
        #expect(RadioChain([.init(.wifi, dwell: .seconds(1), to: [.init(.cellular2G, 1)]), other]) == nil)
        #expect(RadioChain([other, other]) == nil)
        #expect(RadioChain([other]) == nil)
        #expect(RadioChain([.init(.wifi, dwell: .zero, to: [.init(.none, 1)]), other]) == nil)
    }
}
