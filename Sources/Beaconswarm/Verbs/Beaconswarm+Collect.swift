import Accounting
import CollectorModel
import CollectorServer
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase

extension Beaconswarm {
    /// Runs the collector until Ctrl-C or SIGTERM.
    ///
    /// - Throws: ``CommandFailure`` for a wrong option (64), a wrong file of faults (104), an address
    ///   that cannot be listened on or a store that cannot be used (70).
    public static func collect(_ options: CollectOptions) async throws -> CommandStatus {
        var configuration = CollectorServerConfiguration()
        (configuration.host, configuration.port) = try address(options.listen)
        configuration.storePath = options.store
        configuration.systems = try systems(options.systems)
        if let faults = options.faults { configuration.plan = try plan(faults, start: Host.now) }
        configuration.onTrouble = { Console.error("collector: \($0)") }
        let interruption = Interruption()
        MachineLimits.raiseDescriptorLimit()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server: CollectorServer
        do {
            server = try await CollectorServer.start(configuration: configuration, on: group)
        } catch {
            try? await group.shutdownGracefully()
            throw CommandFailure(.internalError, "\(error)")
        }
        let port = server.address.port ?? configuration.port
        Console.output("collecting on http://\(configuration.host):\(port)/sa into \(options.store)\n")
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            interruption.onRequest { ended.resume() }
        }
        await server.stop()
        try? await group.shutdownGracefully()
        let (statistics, _) = server.snapshot()
        Console.error(
            "took \(statistics.requests) uploads; the store holds \(statistics.received) events: \(statistics.unique) unique, "
                + "\(statistics.duplicates) duplicates, \(statistics.undecodable) undecodable, \(statistics.dryRun) dry run"
        )
        return .success
    }

    private static func address(_ text: String) throws(CommandFailure) -> (String, Int) {
        let separator = text.lastIndex(of: ":")
        let host = separator.map { String(text[..<$0]) } ?? ""
        guard let separator, let port = Int(text[text.index(after: separator)...]),
            (0...65_535).contains(port),
            !host.isEmpty
        else { throw CommandFailure(.usage, "--listen \(text): expected HOST:PORT, such as 127.0.0.1:8106") }
        return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port)
    }

    private static func systems(_ text: String) throws(CommandFailure) -> [CollectorSystem] {
        var result: [CollectorSystem] = []
        for name in text.split(separator: ",") {
            guard let system = CollectorSystem(rawValue: String(name)) else {
                let known = CollectorSystem.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    .usage, "--systems \(text): \(name) is no system of this build; allowed: \(known)")
            }
            result.append(system)
        }
        return result
    }

    private static func plan(_ path: String, start: Instant) throws(CommandFailure) -> CollectorPlan {
        let bytes = try OutputFile.read(path, failing: .invalidScenario)
        switch FaultsFile.load(bytes: bytes, name: path, start: start) {
        case .success(let plan): return plan
        case .failure(let problems):
            throw CommandFailure(
                .invalidScenario, problems.problems.map { $0.text(file: path) }.joined(separator: "\n"))
        }
    }

    /// Fills the audit of a finished run from what a foreign collector's store holds, and renews its
    /// reports.
    ///
    /// - Throws: ``CommandFailure`` if there is no such run or the receipts cannot be read.
    public static func audit(folder: String, receipts path: String, json: Bool) async throws -> CommandStatus
    {
        var report = try RunReader.read(folder)
        if report.mode == .virtual {
            throw CommandFailure(
                .usage, "\(folder) was simulated: its collector was in the process, and its audit is there")
        }
        let beliefs = try BeliefsFile.parse(
            OutputFile.read("\(folder)/beliefs.txt", failing: .usage), path: "\(folder)/beliefs.txt")
        let receipts: Receipts
        do {
            receipts = try ForeignReceipts.read(path: path)
        } catch {
            throw CommandFailure(.usage, "--receipts: \(error)")
        }
        report.take(Audit.compare(beliefs: beliefs, receipts: receipts), from: path)
        try RunFolder(existing: folder).write(report)
        if json {
            Console.output(ReportJSON.write(report))
        } else {
            Console.output(TerminalSummary.render(report, color: false, width: Host.terminalWidth))
        }
        return CommandStatus(rawValue: report.exitCode) ?? .internalError
    }
}

extension Report {
    /// Takes an audit over and judges the run anew.
    mutating func take(_ audit: Audit, from path: String) {
        let counts = ReportBuilder.counts(audit)
        self.audit = counts
        auditNote = "from \(path)"
        let rate = simulatedSeconds > 0 ? Double(counts.duplicates) / simulatedSeconds : 0
        metrics.removeAll { $0.name == "events_duplicated" }
        metrics.append(
            Metric("events_duplicated", .counter(count: Double(counts.duplicates), perSecond: rate)))
        var findings = VerdictRules.Findings()
        findings.captured = events.captured
        findings.balance = events.balance
        findings.audit = counts
        findings.interrupted = verdict == .interrupted
        findings.saturated = generator.saturated
        findings.lagP99 = generator.scheduleLag.p99
        findings.thresholds = thresholds
        settle(VerdictRules.judge(findings))
    }
}
