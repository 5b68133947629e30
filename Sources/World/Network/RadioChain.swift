package import Timebase

/// A device's way from radio to radio: a continuous-time Markov chain, or, where some stays are regular, a
/// semi-Markov process.
///
/// The long-run share of a radio is that of its visits times the mean length of a stay. A device's way begins in
/// this equilibrium, so that a run needs no warm-up.
package struct RadioChain: Hashable, Sendable {
    /// A radio of the chain.
    package struct State: Hashable, Sendable {
        package var kind: NetworkKind
        /// Mean length of a stay; above 0.
        package var dwell: Interval
        /// Whether each stay is exactly so long, as the stops and tunnels of a train. If not, stays are distributed
        /// exponentially.
        package var isRegular = false
        /// What comes next, by weights of 0 and more.
        package var jumps: [Jump]

        package init(_ kind: NetworkKind, dwell: Interval, isRegular: Bool = false, to jumps: [Jump]) {
            self.kind = kind
            self.dwell = dwell
            self.isRegular = isRegular
            self.jumps = jumps
        }
    }

    /// A radio that may follow, and its weight among those that may.
    package struct Jump: Hashable, Sendable {
        package var kind: NetworkKind
        package var weight: Double

        package init(_ kind: NetworkKind, _ weight: Double) {
            self.kind = kind
            self.weight = weight
        }
    }

    package let states: [State]
    /// Of time in the long run, by state; they add up to 1.
    package let shares: [Double]
    /// Changes of the radio in a day, in the long run.
    package let changesPerDay: Double
    /// For each state, the state that each of its jumps leads to.
    private let targets: [[Int]]

    /// Makes a chain.
    ///
    /// - Returns: `nil` unless there are two radios or more, each once, jumps lead to others of them, and every radio
    ///   is reached from every other.
    package init?(_ states: [State]) {
        let kinds = states.map(\.kind)
        guard states.count > 1, Set(kinds).count == kinds.count,
            states.allSatisfy({ $0.dwell > .zero && $0.jumps.allSatisfy { $0.weight >= 0 } })
        else { return nil }
        var targets: [[Int]] = []
        for state in states {
            let found = state.jumps.compactMap { jump in kinds.firstIndex(of: jump.kind) }
            guard found.count == state.jumps.count, !state.jumps.contains(where: { $0.kind == state.kind })
            else { return nil }
            targets.append(found)
        }
        let rows = RadioChain.probabilities(states, targets)
        guard let visits = RadioChain.equilibrium(of: rows) else { return nil }
        let times = zip(visits, states).map { $0 * $1.dwell.fractionalSeconds }
        let cycle = times.reduce(0, +)
        self.states = states
        self.targets = targets
        shares = times.map { $0 / cycle }
        changesPerDay = 86_400 / cycle
    }

    /// The matrix of jumps: a row for each state, of probabilities; a state without jumps has none.
    private static func probabilities(_ states: [State], _ targets: [[Int]]) -> [[Double]] {
        states.indices.map { index in
            var row = Array(repeating: 0.0, count: states.count)
            let jumps = states[index].jumps
            let sum = jumps.reduce(0) { $0 + $1.weight }
            for (jumpIndex, jump) in jumps.enumerated() where sum > 0 {
                row[targets[index][jumpIndex]] += jump.weight / sum
            }
            return row
        }
    }

    /// The stationary distribution of visits, by elimination without subtraction (Grassmann, Taksar, Heyman 1985);
    /// `nil` if some state is not reached from some other.
    private static func equilibrium(of matrix: [[Double]]) -> [Double]? {
        let count = matrix.count
        guard isConnected(matrix) else { return nil }
        var rows = matrix
        for last in stride(from: count - 1, to: 0, by: -1) {
            let out = rows[last][..<last].reduce(0, +)
            for row in 0..<last {
                rows[row][last] /= out
                for column in 0..<last { rows[row][column] += rows[row][last] * rows[last][column] }
            }
        }
        var visits = [1.0]
        for state in 1..<count {
            visits.append((0..<state).reduce(0) { $0 + visits[$1] * rows[$1][state] })
        }
        let sum = visits.reduce(0, +)
        return visits.map { $0 / sum }
    }

    /// Whether every state is reached from every other.
    private static func isConnected(_ matrix: [[Double]]) -> Bool {
        matrix.indices.allSatisfy { start in
            var reached: Set<Int> = [start]
            var open = [start]
            while let state = open.popLast() {
                for next in matrix.indices where matrix[state][next] > 0 && reached.insert(next).inserted {
                    open.append(next)
                }
            }
            return reached.count == matrix.count
        }
    }

    /// The state after another; one draw.
    fileprivate func next(after state: Int, _ draw: inout RandomStream) -> Int {
        let jumps = states[state].jumps
        var target = draw.uniform() * jumps.reduce(0) { $0 + $1.weight }
        for (jumpIndex, jump) in jumps.enumerated() where jump.weight > 0 {
            target -= jump.weight
            if target < 0 { return targets[state][jumpIndex] }
        }
        // Rounding left a rest: the last that can follow.
        return targets[state][jumps.lastIndex { $0.weight > 0 } ?? 0]
    }

    /// How long a stay is, at least a nanosecond; one draw.
    fileprivate func stay(in state: Int, _ draw: inout RandomStream) -> Interval {
        let rules = states[state]
        let quantile = draw.uniform()
        guard !rules.isRegular else { return rules.dwell }
        // Of the open interval, so that no stay is endless.
        return RadioChain.length(-DeterministicMath.log(1 - quantile), of: rules.dwell)
    }

    /// What is left of the stay in which a device is found at any moment; one draw.
    fileprivate func rest(in state: Int, _ draw: inout RandomStream) -> Interval {
        let rules = states[state]
        let quantile = draw.uniform()
        // Exponential stays know no age; of a regular one any part may be over.
        let factor = rules.isRegular ? 1 - quantile : -DeterministicMath.log(1 - quantile)
        return RadioChain.length(factor, of: rules.dwell)
    }

    private static func length(_ factor: Double, of dwell: Interval) -> Interval {
        // A stay of a hundred years is for ever, and fits an instant.
        let seconds = min(factor * dwell.fractionalSeconds, 86_400 * 36_500)
        return max(Interval(nanoseconds: 1), .fractional(seconds: seconds))
    }
}

/// Where a device is on its way through the radios.
///
/// The nth stay is a function of the device's stream and n alone.
package struct RadioWalk: Hashable, Sendable {
    private var state: UInt8
    private var nextState: UInt8
    private var stays: UInt32 = 0
    /// When the device leaves the radio that it is on.
    package private(set) var until: Instant

    /// A walk in equilibrium.
    ///
    /// - Parameter stream: The device's own, of the purpose `network`.
    package init(chain: RadioChain, stream: RandomStream, start: Instant) {
        var draw = RadioWalk.draws(stream, 0)
        let drawn = draw.uniform()
        var sum = 0.0
        var first = chain.shares.count - 1
        for (index, share) in chain.shares.enumerated() {
            sum += share
            if drawn < sum {
                first = index
                break
            }
        }
        state = UInt8(first)
        until = start + chain.rest(in: first, &draw)
        nextState = UInt8(chain.next(after: first, &draw))
    }

    /// The radio that the device is on, and the one that follows.
    package func kind(_ chain: RadioChain) -> NetworkKind { chain.states[Int(state)].kind }
    package func nextKind(_ chain: RadioChain) -> NetworkKind { chain.states[Int(nextState)].kind }

    /// Goes on to the radio that is there at a moment; one that begins at that very moment is there.
    ///
    /// - Complexity: O(changes since).
    package mutating func advance(through now: Instant, _ chain: RadioChain, stream: RandomStream) {
        while until <= now {
            stays &+= 1
            var draw = RadioWalk.draws(stream, stays)
            state = nextState
            until = until + chain.stay(in: Int(state), &draw)
            nextState = UInt8(chain.next(after: Int(state), &draw))
        }
    }

    /// Apart from the timeline's draws, which are numbered by entry, and from those of requests.
    private static func draws(_ stream: RandomStream, _ stay: UInt32) -> RandomStream {
        stream.child(1 << 32 | UInt64(stay))
    }
}
