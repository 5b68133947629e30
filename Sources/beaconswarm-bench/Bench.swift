import Foundation

/// Measures the project's speed against peers on this machine.
@main
struct Bench {
    static let usage = """
        usage: beaconswarm-bench [--quick] [--rounds N] [--json FILE] [--only GROUP]
               beaconswarm-bench work NAME AMOUNT    a fixed amount of work, for counting instructions
        groups: \(Group.allCases.map(\.rawValue).joined(separator: ", "))
        """

    /// What is measured together.
    enum Group: String, CaseIterable {
        case events, described, virtual, scale, transport, live, collector, datasets
    }

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let text = await part(arguments) {
            print(text)
            return
        }
        var options = Options()
        guard options.take(&arguments) else {
            Output.note(usage)
            exit(64)
        }
        await measure(options)
    }

    /// Parts that run in a process of their own, started by this program; `nil` if it is none.
    private static func part(_ arguments: [String]) async -> String? {
        func number(_ index: Int) -> Int { index < arguments.count ? Int(arguments[index]) ?? 0 : 0 }
        switch (arguments.first, arguments.count) {
        case ("work", 3):
            return Work.run(arguments[1], amount: number(2)) ?? "work: one of \(Work.names)"
        case ("memory", 3): return "\(VirtualFigures.measureMemory(arguments[1], devices: number(2)))"
        case ("scale", 2): return ScaleFigures.measureDay(devices: number(1))
        case ("table", 3): return TableFigures.write(arguments[1], rows: number(2))
        case ("dataset", 3): return await DatasetFigures.make(arguments[1], devices: number(2))
        case ("connected", 3): return await LiveFigures.connect(port: number(1), devices: number(2))
        case ("client", 5), ("client", 6):
            return await TransportFigures.client(
                port: number(1), connections: number(2), seconds: Double(number(3)), body: arguments[4],
                streams: arguments.count == 6 ? number(5) : nil)
        case ("live", 5):
            return await LiveFigures.load(
                port: number(1), devices: number(2), seconds: Double(number(3)), effort: arguments[4])
        case ("collector", 4):
            do {
                try await CollectorFigures.serve(port: number(1), path: arguments[2], log: arguments[3])
            } catch { return "\(error)" }
            return "ended"
        default: return nil
        }
    }

    private struct Options {
        var isQuick = false
        var rounds: Int?
        var json: String?
        var only: Group?

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
                case "--rounds":
                    rounds = Int(value)
                    if rounds.map({ $0 < 1 }) ?? true { return false }
                case "--json": json = value
                case "--only":
                    only = Group(rawValue: value)
                    if only == nil { return false }
                default: return false
                }
            }
            return true
        }

        func measures(_ group: Group) -> Bool { only == nil || only == group }
    }

    private static func measure(_ options: Options) async {
        let rounds = Rounds(
            count: options.rounds ?? (options.isQuick ? 1 : 3), seconds: options.isQuick ? 1 : 2.5)
        let isIdle = await Machine.waitUntilIdle(minutes: options.isQuick ? 0 : 5)
        if !isIdle { Output.note("the machine is not idle (load average \(Machine.loadAverage)); going on") }
        let server = WebServer(port: 18_106)
        var figures: [Figure] = []
        if options.measures(.events) { figures += await EventFigures.measure(rounds) }
        if options.measures(.described) {
            figures += await DescribedFigures.measure(rounds, isQuick: options.isQuick)
        }
        if options.measures(.virtual) {
            figures += await VirtualFigures.measure(rounds, isQuick: options.isQuick)
        }
        if options.measures(.scale) { figures += ScaleFigures.measure(rounds, isQuick: options.isQuick) }
        if options.measures(.transport) || options.measures(.live) {
            figures += await againstServer(rounds, server: server, options)
        }
        if options.measures(.collector) {
            figures += await CollectorFigures.measure(rounds, port: 18_107)
        }
        if options.measures(.datasets) {
            figures += await TableFigures.measure(rounds, isQuick: options.isQuick)
            figures += await DatasetFigures.measure(rounds, isQuick: options.isQuick)
        }
        let report = BenchReport(
            date: ISO8601DateFormatter().string(from: Date()), machine: Machine.model,
            cores: ProcessInfo.processInfo.processorCount, peers: Peers.versions(server), wasIdle: isIdle,
            figures: figures)
        publish(report, path: options.json)
    }

    private static func againstServer(
        _ rounds: Rounds, server: WebServer, _ options: Options
    ) async -> [Figure] {
        guard await server.start() else {
            return [.skip("transport", "POST", because: "nginx is not installed (apt-get install nginx)")]
        }
        defer { server.stop() }
        var figures: [Figure] = []
        if options.measures(.transport) { figures += await TransportFigures.measure(rounds, server: server) }
        if options.measures(.live) {
            figures += await LiveFigures.measure(rounds, server: server, isQuick: options.isQuick)
        }
        return figures
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
