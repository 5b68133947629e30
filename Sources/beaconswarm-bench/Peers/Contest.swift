import Foundation

/// The own engine against rivals, in turn within each round, so that all meet the same machine.
struct Contest {
    var group: String
    var unit: String
    var note: String
    var own: Contender
    var rivals: [Contender]
    /// By rival, what is wanted of own / rival.
    var goals: [String: String]

    /// - Returns: a figure for each contender, and one for each ratio.
    func measure(_ rounds: Rounds, server: WebServer, connections: Int) async -> [Figure] {
        let present = [own] + rivals.filter { $0.missing == nil }
        let played = await rounds.inTurn {
            let before = server.cpuSeconds
            let round = present.map {
                $0.run(connections: connections, seconds: max(2, Int(rounds.seconds * 2)))
            }
            return (round, server.cpuSeconds - before)
        }
        var figures = present.indices.map { index in
            figure(present[index], rounds: played.counted.map { $0[index] })
        }
        for index in present.indices.dropFirst() {
            figures.append(ratio(to: present[index], rounds: played.counted.map { ($0[0], $0[index]) }))
        }
        played.publish(&figures)
        return figures
            + rivals.compactMap { rival in
                rival.missing.map { .skip(group, rival.name, because: $0) }
            }
    }

    private func figure(_ contender: Contender, rounds: [Contender.Round?]) -> Figure {
        let rounds = rounds.compactMap(\.self)
        var figure = Figure(
            group: group, name: contender.name, unit: unit, values: rounds.map(\.perSecond), note: note)
        figure.cpuPerThousand = rounds.map(\.cpuPerThousand)
        figure.peakMegabytes = rounds.map { Double($0.peakBytes) / 1e6 }
        if rounds.isEmpty { figure.skipped = "it failed in every round" }
        return figure
    }

    private func ratio(
        to rival: Contender, rounds: [(own: Contender.Round?, rival: Contender.Round?)]
    ) -> Figure {
        let values = rounds.compactMap { pair -> Double? in
            guard let own = pair.own, let rival = pair.rival else { return nil }
            return own.perSecond / rival.perSecond
        }
        var figure = Figure(
            group: group, name: "\(own.name) / \(rival.name)", unit: "", values: values,
            goal: goals[rival.name] ?? "")
        if values.isEmpty { figure.skipped = "there is no round of both" }
        return figure
    }
}
