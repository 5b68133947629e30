import Foundation

/// One line of the table: a quantity that was measured in several rounds.
struct Figure: Codable {
    var group: String
    var name: String
    var unit: String
    /// One value per round that was not disturbed, or all if each was.
    var values: [Double]
    /// Rounds that were discarded because others used the machine.
    var discarded = 0
    /// Every round was disturbed: the values say little.
    var isDisturbed = false
    /// The design's goal, in words.
    var goal = ""
    var note = ""
    /// Milliseconds of CPU time per 1000 requests, per round; empty where that means nothing.
    var cpuPerThousand: [Double] = []
    /// The most resident memory, in 10⁶ bytes, per round.
    var peakMegabytes: [Double] = []
    /// Why there is no value.
    var skipped: String?

    var median: Double { Figure.median(of: values) }

    static func median(of values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Largest minus smallest value, as a share of the median.
    var spread: Double {
        guard let low = values.min(), let high = values.max(), median > 0 else { return 0 }
        return (high - low) / median
    }
}

/// The rounds of one benchmark: repeats, discards what was disturbed, and keeps the figures.
struct Rounds {
    var count: Int
    /// Seconds that a round of a single workload takes, about.
    var seconds: Double

    /// Measures a rate in as many rounds as are asked for, at most twice as many if some are
    /// disturbed.
    func figure(
        _ group: String, _ name: String, unit: String, goal: String = "", note: String = "",
        _ round: (Double) throws -> Double
    ) async rethrows -> Figure {
        var figure = Figure(group: group, name: name, unit: unit, values: [], goal: goal, note: note)
        var disturbed: [Double] = []
        for attempt in 0..<count * 2 where attempt < count || figure.values.count < count {
            let (value, share) = try await Machine.disturbance { (try round(seconds), 0) }
            if share > Machine.disturbanceLimit {
                disturbed.append(value)
            } else {
                figure.values.append(value)
            }
        }
        figure.discard(disturbed)
        Output.note(figure.line)
        return figure
    }
}

/// What rounds gave in which several things were measured in turn: each round counts as a whole, or not at all.
struct TurnRounds<Round> {
    /// Those that count: all of them if each was disturbed.
    var counted: [Round]
    var isDisturbed: Bool
    /// Rounds that were discarded because others used the machine.
    var discarded: Int

    /// Says of figures how their rounds went, and prints them.
    func publish(_ figures: inout [Figure]) {
        for index in figures.indices {
            figures[index].isDisturbed = isDisturbed
            figures[index].discarded = discarded
            Output.note(figures[index].line)
        }
    }
}

extension Rounds {
    /// Repeats a round of several measurements, at most twice as often as is asked for if some are disturbed.
    ///
    /// - Parameter round: Gives the CPU time, too, that programs took which go on after it.
    func inTurn<Round>(
        _ round: () -> (result: Round, childSeconds: Double)
    ) async -> TurnRounds<Round> {
        var kept: [Round] = []
        var disturbed: [Round] = []
        for attempt in 0..<count * 2 where attempt < count || kept.count < count {
            await Machine.waitUntilQuiet()
            let (result, share) = await Machine.disturbance { round() }
            if share > Machine.disturbanceLimit { disturbed.append(result) } else { kept.append(result) }
        }
        return TurnRounds(
            counted: kept.isEmpty ? disturbed : kept, isDisturbed: kept.isEmpty,
            discarded: kept.isEmpty ? 0 : disturbed.count)
    }
}

extension Figure {
    /// Counts the disturbed rounds as discarded, or takes them where there are no others.
    mutating func discard(_ disturbed: [Double]) {
        discarded = disturbed.count
        guard values.isEmpty, !disturbed.isEmpty else { return }
        values = disturbed
        discarded = 0
        isDisturbed = true
    }

    static func skip(_ group: String, _ name: String, because reason: String) -> Figure {
        let figure = Figure(group: group, name: name, unit: "", values: [], skipped: reason)
        Output.note(figure.line)
        return figure
    }

    var line: String {
        if let skipped { return "\(group): \(name): SKIPPED, \(skipped)" }
        var text = "\(group): \(name): \(Output.number(median)) \(unit)"
        text += " (± \(Output.number(spread * 50)) %, \(values.count) rounds"
        if discarded > 0 { text += ", \(discarded) disturbed and discarded" }
        text += isDisturbed ? ", ALL DISTURBED)" : ")"
        if !note.isEmpty { text += " — \(note)" }
        return text
    }
}

/// What the benchmarks print.
enum Output {
    /// To standard error, as the work goes on.
    static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// A number with three significant digits and a thousands' unit.
    static func number(_ value: Double) -> String {
        let (scaled, suffix): (Double, String) =
            switch value.magnitude {
            case 1e6...: (value / 1e6, " M")
            case 10_000...: (value / 1e3, " k")
            default: (value, "")
            }
        let decimals = scaled.magnitude >= 100 ? 0 : scaled.magnitude >= 10 ? 1 : 2
        return String(format: "%.\(decimals)f", scaled) + suffix
    }

    /// The table in Markdown.
    static func table(_ figures: [Figure]) -> String {
        var rows = [["what", "measured", "CPU ms per 1000", "peak MB", "spread", "rounds", "goal"]]
        func cell(_ values: [Double]) -> String { values.isEmpty ? "" : number(Figure.median(of: values)) }
        for figure in figures {
            if let skipped = figure.skipped {
                rows.append([
                    "\(figure.group): \(figure.name)", "skipped: \(skipped)", "", "", "", "", figure.goal,
                ])
                continue
            }
            let disturbed = figure.isDisturbed ? " (disturbed)" : ""
            rows.append([
                "\(figure.group): \(figure.name)" + (figure.note.isEmpty ? "" : " (\(figure.note))"),
                "\(number(figure.median)) \(figure.unit)\(disturbed)",
                cell(figure.cpuPerThousand), cell(figure.peakMegabytes),
                "± \(number(figure.spread * 50)) %",
                "\(figure.values.count)" + (figure.discarded > 0 ? " (+\(figure.discarded) discarded)" : ""),
                figure.goal,
            ])
        }
        rows.insert(Array(repeating: "---", count: 7), at: 1)
        return rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

/// The file that `make bench` leaves.
struct BenchReport: Codable {
    var date: String
    var machine: String
    var cores: Int
    var peers: [String: String]
    var wasIdle: Bool
    var figures: [Figure]
}
