import Foundation

/// Measures the project's speed against peers on this machine.
@main
struct Bench {
    static let usage = """
        usage: beaconswarm-bench [--quick] [--rounds N] [--json FILE] [--only events|virtual|transport|collector]
               beaconswarm-bench work NAME AMOUNT    a fixed amount of work, for counting instructions
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 3, arguments[0] == "work", let amount = Int(arguments[2]) {
            print(Work.run(arguments[1], amount: amount) ?? "work: one of \(Work.names)")
            return
        }
        if arguments.count == 3, arguments[0] == "collector", let port = Int(arguments[1]) {
            try? await CollectorFigures.serve(port: port, path: arguments[2])
            return
        }
        if arguments.count == 3, arguments[0] == "memory", let devices = Int(arguments[2]) {
            print(VirtualFigures.measureMemory(arguments[1], devices: devices))
            return
        }
        var options = Options()
        guard options.take(&arguments) else {
            Output.note(usage)
            exit(64)
        }
        await measure(options)
    }

    private struct Options {
        var isQuick = false
        var rounds: Int?
        var json: String?
        var only: String?

        /// - Returns: `false` if something is not understood.
        mutating func take(_ arguments: inout [String]) -> Bool {
            while let option = arguments.first {
                arguments.removeFirst()
                if option == "--quick" {
                    isQuick = true
                    continue
                }
                guard let value = arguments.first else { return false }
                arguments.removeFirst()
                switch option {
                case "--rounds": rounds = Int(value)
                case "--json": json = value
                case "--only": only = value
                default: return false
                }
            }
            return rounds.map { $0 > 0 } ?? true
        }

        func measures(_ group: String) -> Bool { only == nil || only == group }
    }

    private static func measure(_ options: Options) async {
        let rounds = Rounds(
            count: options.rounds ?? (options.isQuick ? 1 : 3), seconds: options.isQuick ? 0.5 : 2)
        let isIdle = await Machine.waitUntilIdle(minutes: options.isQuick ? 0 : 5)
        if !isIdle { Output.note("the machine is not idle (load average \(Machine.loadAverage)); going on") }
        let peers = Peers(port: 18_106)
        var figures: [Figure] = []
        if options.measures("events") { figures += await EventFigures.measure(rounds) }
        if options.measures("virtual") {
            figures += await VirtualFigures.measure(rounds, isQuick: options.isQuick)
        }
        if options.measures("transport") { figures += await TransportFigures.measure(rounds, peers: peers) }
        if options.measures("collector") {
            figures += await CollectorFigures.measure(rounds, port: 18_107)
        }
        let report = BenchReport(
            date: ISO8601DateFormatter().string(from: Date()), machine: Machine.model,
            cores: ProcessInfo.processInfo.processorCount, peers: peers.versions, wasIdle: isIdle,
            figures: figures)
        publish(report, path: options.json)
    }

    private static func publish(_ report: BenchReport, path: String?) {
        let peers = report.peers.sorted { $0.key < $1.key }.map(\.value).joined(separator: "; ")
        print("\(report.machine), \(report.cores) cores; \(peers)")
        if !report.wasIdle { print("The machine was not idle: figures are too low rather than too high.") }
        print(Output.table(report.figures))
        guard let path else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(report),
            FileManager.default.createFile(atPath: path, contents: data)
        else {
            Output.note("cannot write \(path)")
            exit(1)
        }
    }
}
