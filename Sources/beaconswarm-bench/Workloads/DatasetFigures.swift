import Beaconswarm
import Foundation

/// Datasets from end to end, against a simulation of the same scenario whose events pass by reference: so much of its
/// speed is left when each event also becomes a row.
enum DatasetFigures {
    private static let formats = ["ndjson", "csv", "parquet", "sqlite"]

    static func measure(_ rounds: Rounds, isQuick: Bool) async -> [Figure] {
        guard let program = Bundle.main.executablePath else { return [] }
        let devices = isQuick ? 500 : 2000
        func figure(_ name: String, goal: String = "") async -> Figure {
            await rounds.figure(
                "dataset, end to end", name, unit: "events/s", goal: goal, note: "\(devices) devices, a week"
            ) { _ in
                let said = Programs.run(program, ["dataset", name, "\(devices)"])?.output ?? ""
                return Double(said.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            }
        }
        let simulated = await figure("simulated, measured")
        var figures = [simulated]
        for format in formats {
            var made = await figure(format, goal: "≥ 0.8 × simulated")
            let share = simulated.median > 0 ? made.median / simulated.median : 0
            made.note += String(format: ", %.2f × simulated", share)
            figures.append(made)
        }
        return figures + [await faker(rounds, against: figures[1])]
    }

    /// Rows without sessions, SDK or delivery from a generator with Faker: see `.ci/bench-faker.py`.
    private static func faker(_ rounds: Rounds, against lines: Figure) async -> Figure {
        guard let python = Programs.find("python"),
            let script = ProcessInfo.processInfo.environment["BENCH_FAKER"]
        else { return .skip("dataset, end to end", "Faker", because: "it is not installed") }
        var figure = await rounds.figure("dataset, end to end", "Faker 40, ndjson", unit: "rows/s") {
            seconds in
            let output = Programs.run(python, [script, "\(seconds)"])?.output ?? ""
            return Double(output.split(separator: "\n").last ?? "") ?? 0
        }
        let ratio = figure.median > 0 ? lines.median / figure.median : 0
        figure.note = String(format: "ndjson above is %.0f × this", ratio)
        return figure
    }

    /// Makes a dataset of a week of casual users in a temporary folder, or only simulates it.
    ///
    /// - Returns: events a second, or what went wrong.
    static func make(_ name: String, devices: Int) async -> String {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "beaconswarm-dataset-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let scenario = folder.appending(path: "week.json")
            try Data(Self.scenario(devices).utf8).write(to: scenario)
            let out = folder.appending(path: "out").path
            let begin = Machine.seconds
            if formats.contains(name) {
                var options = GenerateOptions(source: ScenarioSource(path: scenario.path), out: out)
                options.formats = [name]
                options.threads = 1
                options.quiet = true
                _ = try await Beaconswarm.generate(options)
            } else {
                var options = RunOptions(source: ScenarioSource(path: scenario.path))
                options.bodies = .measure
                options.out = out
                options.quiet = true
                _ = try await Beaconswarm.simulate(options)
            }
            let seconds = Machine.seconds - begin
            return "\(Double(try captured(in: out, devices: devices)) / seconds)"
        } catch {
            return "\(error)"
        }
    }

    /// The events of the run: the same however it is played, so a report tells them, or the description's table.
    private static func captured(in folder: String, devices: Int) throws -> Int {
        if let page = try? String(contentsOfFile: "\(folder)/README.md", encoding: .utf8) {
            let line = page.split(separator: "\n").first { $0.hasPrefix("| `truth` | ") } ?? ""
            let count = line.split(separator: "|").dropFirst().first
            return count.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? 0
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/report.json"))
        let report = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (report?["events"] as? [String: Any])?["captured"] as? Int ?? 0
    }

    private static func scenario(_ devices: Int) -> String {
        """
        {"name": "week", "seed": 3, "duration": "7d", "populations": [{"name": "p", "devices": \(devices), \
        "system": "sensors", "version": "4.9.1", "persona": "casual", "app": "shop"}]}
        """
    }
}
