/// Workloads that are measured in turn within each round, peers among them, so that a ratio of two is one of the same
/// machine: its speed changes from minute to minute.
struct Turns {
    struct Workload {
        var group: String
        var name: String
        var unit: String
        var note = ""
        /// What a round of so many seconds gives; `nil` if it failed.
        var round: (_ seconds: Double) -> Double?
    }

    /// What one workload is to be of another.
    struct Ratio {
        var own: Int
        var peer: Int
        var goal: String
    }

    private(set) var workloads: [Workload] = []
    private(set) var ratios: [Ratio] = []

    /// - Returns: its number, for ratios.
    mutating func add(_ workload: Workload) -> Int {
        workloads.append(workload)
        return workloads.count - 1
    }

    mutating func compare(_ own: Int, to peer: Int, goal: String = "") {
        ratios.append(Ratio(own: own, peer: peer, goal: goal))
    }

    /// - Returns: a figure for each workload, and one for each ratio.
    func measure(_ rounds: Rounds) async -> [Figure] {
        let played = await rounds.inTurn { (workloads.map { $0.round(rounds.seconds) }, 0) }
        var figures = workloads.indices.map { index in
            figure(of: workloads[index], played.counted.map { $0[index] })
        }
        figures += ratios.map { ratio in figure(of: ratio, played.counted) }
        played.publish(&figures)
        return figures
    }

    private func figure(of workload: Workload, _ values: [Double?]) -> Figure {
        var figure = Figure(
            group: workload.group, name: workload.name, unit: workload.unit,
            values: values.compactMap(\.self), note: workload.note)
        if figure.values.isEmpty { figure.skipped = "it failed in every round" }
        return figure
    }

    private func figure(of ratio: Ratio, _ rounds: [[Double?]]) -> Figure {
        let (own, peer) = (workloads[ratio.own], workloads[ratio.peer])
        let values = rounds.compactMap { round -> Double? in
            guard let value = round[ratio.own], let other = round[ratio.peer], other > 0 else { return nil }
            return value / other
        }
        var figure = Figure(
            group: own.group, name: "\(own.name), to \(peer.group)", unit: "×", values: values,
            goal: ratio.goal)
        if values.isEmpty { figure.skipped = "there is no round of both" }
        return figure
    }
}
