import Rendering
import Wire

/// A grid of simulations: every combination of some values of a scenario, over the same seeds.
package struct SweepReport: Sendable {
    /// A value that is varied.
    package struct Axis: Hashable, Sendable {
        /// As given.
        package var path: String
        /// JSON, or text as given.
        package var values: [String]

        package init(path: String, values: [String]) {
            self.path = path
            self.values = values
        }

        /// The path's last part.
        fileprivate var name: String {
            path.split(whereSeparator: { $0 == "." || $0 == "/" }).last.map(String.init) ?? path
        }
    }

    package var axes: [Axis]
    /// Its variants are the points of the grid, the first axis the slowest.
    package var lab: LabReport
    /// What a point costs, and how fresh its events are.
    package var cost: Figure
    package var freshness: Figure

    package init(axes: [Axis], lab: LabReport, cost: Figure, freshness: Figure) {
        self.axes = axes
        self.lab = lab
        self.cost = cost
        self.freshness = freshness
    }

    /// The figure that the front is of besides cost and freshness.
    static let loss = "events_lost"

    /// All combinations of the axes' values.
    package static func grid(_ axes: [Axis]) -> [[String]] {
        axes.reduce([[]]) { points, axis in points.flatMap { point in axis.values.map { point + [$0] } } }
    }

    /// The axes that change more than a policy: other users, or another world.
    var foreignAxes: [String] {
        axes.map(\.path).filter { path in
            // A population may stand there by its name: where it stands decides, not which it is.
            JSONPath(text: path).map { !ScenarioDifference.isAllowed($0.pointer) } ?? true
        }
    }

    /// What each axis is called: by its last part where that is its own, else by its whole path.
    static func names(of axes: [Axis]) -> [String] {
        axes.map { axis in axes.count { $0.name == axis.name } == 1 ? axis.name : axis.path }
    }

    /// The values of a point.
    package static func name(_ values: [String], of axes: [Axis]) -> String {
        zip(names(of: axes), values).map { "\($0)=\($1)" }.joined(separator: " ")
    }

    /// A point of the grid with the means of what is drawn.
    package struct Point: Sendable {
        package var index: Int
        package var name: String
        package var values: [String]
        package var cost: Double?
        package var freshness: Double?
        package var loss: Double?
        /// Whether it passed.
        package var outcome: Outcome
        /// Whether no other point is at least as good in cost, freshness and loss, and better in one of them.
        package var isOnFront = false
    }

    /// What the simulations of a point came to.
    package struct Outcome: Hashable, Sendable {
        /// The weightiest; `nil` where nothing was played.
        package var verdict: Report.Verdict?
        /// How many did not pass.
        package var failures: Int
        package var simulations: Int

        init(_ cells: [LabReport.Cell]) {
            verdict =
                cells.max {
                    VerdictRules.weight(of: $0.exitCode) < VerdictRules.weight(of: $1.exitCode)
                }?.verdict
            failures = cells.count { $0.exitCode != 0 }
            simulations = cells.count
        }

        /// The verdict, and of how many it is where others passed.
        var words: String {
            guard let verdict else { return "–" }
            guard failures > 0, failures < simulations else { return verdict.rawValue }
            return "\(verdict.rawValue), \(failures) of \(Numbers.count(simulations, of: "seed"))"
        }
    }

    /// All points, with the front marked.
    ///
    /// - Complexity: O(points²).
    package var points: [Point] {
        let loss = try? Figure.parse(SweepReport.loss)
        var points = zip(lab.variants, SweepReport.grid(axes)).enumerated().map { index, pair in
            Point(
                index: index, name: pair.0.name, values: pair.1, cost: mean(cost, pair.0),
                freshness: mean(freshness, pair.0), loss: loss.flatMap { mean($0, pair.0) },
                outcome: Outcome(pair.0.cells))
        }
        let goals = points.map(\.goals)
        for index in points.indices {
            guard let own = goals[index] else { continue }
            points[index].isOnFront = !goals.contains { other in
                guard let other else { return false }
                return zip(other, own).allSatisfy { $0 <= $1 } && other != own
            }
        }
        return points
    }

    /// The seeds that every point has of which any was played: a mean of other seeds is not held against them.
    var commonSeeds: [UInt64] {
        let played = lab.variants.filter { !$0.cells.isEmpty }.map { Set($0.cells.map(\.seed)) }
        guard let first = played.first else { return [] }
        let common = played.dropFirst().reduce(first) { $0.intersection($1) }
        return lab.seeds.filter(common.contains)
    }

    /// With those seeds alone: without any points where there are none.
    var overCommonSeeds: SweepReport {
        let common = Set(commonSeeds)
        var sweep = self
        for point in lab.variants.indices {
            sweep.lab.variants[point].cells.removeAll { !common.contains($0.seed) }
        }
        return sweep
    }

    /// The mean of a figure over those of a point's seeds that have samples of it; `nil` where none has.
    package func mean(_ figure: Figure, _ variant: LabReport.Variant) -> Double? {
        let values = variant.cells.compactMap { figure.value(in: $0) }
        return values.isEmpty ? nil : MeanDifference(values).mean
    }
}

extension SweepReport.Point {
    /// What is to be small; `nil` where something is not known.
    fileprivate var goals: [Double]? {
        guard let cost, let freshness, let loss else { return nil }
        return [cost, freshness, loss]
    }
}

/// `sweep.json`: schema `beaconswarm.sweep/1`, the axes beside what `beaconswarm.comparison/1` has.
package enum SweepJSON {
    package static let schema = "beaconswarm.sweep/1"

    package static func write(_ sweep: SweepReport) -> [UInt8] {
        let axes = sweep.axes.map {
            JSONNode.object([("path", .text($0.path)), ("values", .texts($0.values))])
        }
        let rest = (LabJSON.value(of: sweep.lab).members ?? []).filter { $0.key != "schema" }
        let members: [(String, JSONNode)] =
            [("schema", .text(schema)), ("axes", .list(axes))]
            + [("front", .texts(sweep.points.filter(\.isOnFront).map(\.name)))]
            + rest.map { ($0.key == "variants" ? "points" : $0.key, $0.value) }
        return LabJSON.bytes(of: .object(members))
    }
}

/// `sweep.csv` (RFC 4180): a row for each point, with the mean of every figure over its seeds.
package enum SweepCSV {
    package static func write(_ sweep: SweepReport) -> [UInt8] {
        let figures = Figure.all(in: sweep.lab.variants.flatMap(\.cells))
        let header =
            ["point"] + sweep.axes.map { Escaping.csv($0.path) } + ["pareto", "seeds"] + figures.map(\.name)
            + ["verdict"]
        let rows = zip(sweep.points, sweep.lab.variants).map { point, variant in
            [String(point.index + 1)] + point.values.map(Escaping.csv)
                + [point.isOnFront ? "1" : "0", String(variant.cells.count)]
                + figures.map { sweep.mean($0, variant).map(JSONNode.digits) ?? "" }
                + [point.outcome.verdict?.rawValue ?? ""]
        }
        return Array(([header] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined().utf8)
    }
}
