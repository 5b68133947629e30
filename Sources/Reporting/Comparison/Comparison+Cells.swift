extension Comparison {
    /// What is held against each other.
    struct Cells {
        var base: [LabReport.Cell]
        var candidate: [LabReport.Cell]
        /// `nil` where nothing belongs together.
        var pairs: [Pair]?

        /// The figure's values on both sides, and its mean difference; `nil` without any.
        func difference(
            _ of: (LabReport.Cell) -> Double?, _ against: (LabReport.Cell) -> Double?
        ) -> (base: Double, candidate: Double, difference: MeanDifference)? {
            guard let pairs else {
                let (one, other) = (base.compactMap(against), candidate.compactMap(of))
                guard !one.isEmpty, !other.isEmpty else { return nil }
                return (
                    MeanDifference(one).mean, MeanDifference(other).mean,
                    MeanDifference(base: one, candidate: other)
                )
            }
            let values = pairs.compactMap { pair -> (Double, Double)? in
                guard let one = against(pair.base), let other = of(pair.candidate) else { return nil }
                return (one, other)
            }
            guard !values.isEmpty else { return nil }
            return (
                MeanDifference(values.map(\.0)).mean, MeanDifference(values.map(\.1)).mean,
                MeanDifference(values.map { $0.1 - $0.0 })
            )
        }

        /// The mean of one side; `nil` without any value.
        func mean(
            of side: KeyPath<Cells, [LabReport.Cell]>, _ value: (LabReport.Cell) -> Double?
        ) -> Double? {
            let values = self[keyPath: side].compactMap(value)
            return values.isEmpty ? nil : MeanDifference(values).mean
        }

        /// Of how many seeds, or runs, a verdict on a figure is; `nil` for all.
        func shortfall(_ value: (LabReport.Cell) -> Double?) -> String? {
            guard let pairs else {
                let (one, other) = (base.count { value($0) != nil }, candidate.count { value($0) != nil })
                guard one > 0, other > 0, one < base.count || other < candidate.count else { return nil }
                return "of \(one) of \(base.count) and \(other) of \(candidate.count) runs"
            }
            let both = pairs.count { value($0.base) != nil && value($0.candidate) != nil }
            return both > 0 && both < pairs.count ? "of \(both) of \(pairs.count) seeds" : nil
        }

        /// The same of a gate, which may speak of the candidate alone.
        func shortfall(of gate: Gate) -> String? {
            guard gate.factor == 0 else { return shortfall(gate.figure.value(in:)) }
            let cells = pairs?.map(\.candidate) ?? candidate
            let count = cells.count { gate.figure.value(in: $0) != nil }
            guard count > 0, count < cells.count else { return nil }
            return "of \(count) of \(cells.count) \(pairs == nil ? "runs" : "seeds")"
        }

        /// How far the candidate is beyond a gate's limit; `nil` where there is nothing to hold against it.
        func distance(beyond gate: Gate) -> MeanDifference? {
            let value = gate.figure.value(in:)
            // The limit is a number, and no measurement.
            if gate.factor == 0 {
                let values = (pairs?.map(\.candidate) ?? candidate).compactMap(value)
                let distances = values.map { gate.distance(of: $0, beyond: gate.addend) }
                return distances.isEmpty ? nil : MeanDifference(distances)
            }
            guard let pairs else {
                guard let means = difference(value, { value($0).map(gate.limit(for:)) }) else { return nil }
                return gate.distance(means.difference, of: means.candidate, beyond: means.base)
            }
            let distances = pairs.compactMap { pair -> Double? in
                guard let one = value(pair.base), let other = value(pair.candidate) else { return nil }
                return gate.distance(of: other, beyond: gate.limit(for: one))
            }
            return distances.isEmpty ? nil : MeanDifference(distances)
        }
    }

    /// Whether a seed means the same on both sides. In virtual time it does. On real machines what differs from run to run is
    /// the machine, not the seed: only runs that took turns in one command were measured under the same conditions.
    static func arePaired(_ base: Side, _ candidate: Side, _ seeds: [UInt64]) -> Bool {
        // Two single runs are no exception: with other seeds, their users are others.
        guard !seeds.isEmpty else { return false }
        if base.mode == .virtual, candidate.mode == .virtual { return true }
        return base.run != nil && base.run == candidate.run
    }

    /// The two cells of a seed.
    typealias Pair = (base: LabReport.Cell, candidate: LabReport.Cell)

    static func pairs(_ base: Side, _ candidate: Side, _ seeds: [UInt64]) -> [Pair] {
        seeds.compactMap { seed in
            guard let one = base.cells.first(where: { $0.seed == seed }),
                let other = candidate.cells.first(where: { $0.seed == seed })
            else { return nil }
            return (one, other)
        }
    }
}
