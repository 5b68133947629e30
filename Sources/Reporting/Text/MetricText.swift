import Measurement
import Rendering
import Timebase

/// A metric's value in one line, as k6 writes it.
enum MetricText {
    static func line(_ metric: Metric) -> String {
        parts(metric).map { $0.name.isEmpty ? $0.text : "\($0.name)=\($0.text)" }.joined(separator: " ")
    }

    /// The figures with their names; a name is empty where the figure speaks for itself.
    static func parts(_ metric: Metric) -> [(name: String, text: String)] {
        let unit = MetricCatalogue.entry(metric.name)?.unit
        switch metric.value {
        case .trend(let trend):
            let summary = trend.summary
            guard summary.count > 0 else { return [("", "no samples")] }
            return [
                ("avg", summary.average), ("min", summary.minimum), ("med", summary.median),
                ("max", summary.maximum), ("p(90)", summary.p90), ("p(95)", summary.p95),
                ("p(99)", summary.p99),
            ].map { ($0.0, compact($0.1, unit)) }
        case .counter(let count, let perSecond):
            let text = unit == .bytes ? Numbers.bytes(count) : Numbers.fixed(count, 0)
            let rate = unit == .bytes ? Numbers.bytes(perSecond) : Numbers.short(perSecond)
            return [("", text), ("", rate + "/s")]
        case .rate(let passes, let fails):
            guard let share = MetricCatalogue.share(passes: passes, fails: fails) else {
                return [("", "no samples")]
            }
            return [
                ("", Numbers.percent(share)),
                ("", "\(Numbers.count(passes)) out of \(Numbers.count(passes + fails))"),
            ]
        case .gauge(let value, let minimum, let maximum):
            return [
                ("", Numbers.short(value)), ("min", Numbers.short(minimum)), ("max", Numbers.short(maximum)),
            ]
        }
    }

    /// Without spaces inside, so that columns stay columns.
    private static func compact(_ value: Double, _ unit: MetricCatalogue.Unit?) -> String {
        Numbers.value(value, unit).filter { $0 != " " }
    }
}

/// How and where a run was made, as pairs.
enum RunFacts {
    static func of(_ report: Report) -> [(name: String, value: String)] {
        let run = report.run
        let failures = report.generator.ownFailures.map { "\($0.name): \(Numbers.count($0.count))" }
            .joined(separator: ", ")
        let facts = [
            ("Scenario", report.scenario.name), ("Scenario's SHA-256", report.scenario.sha256),
            ("Seed", String(report.seed)), ("Fingerprint", report.fingerprint), ("Target", run.target),
            ("Started", report.startedAt.text),
            ("Run's time", Numbers.duration(seconds: report.simulatedSeconds)),
            ("Pace", report.pace > 1 ? "\(Numbers.count(report.pace)) times the wall clock" : ""),
            ("Measured from", report.measuredFromSeconds.map { Numbers.duration(seconds: $0) } ?? ""),
            // What is joined from parts has none of its own.
            ("Wall clock", report.wallSeconds > 0 ? Numbers.duration(seconds: report.wallSeconds) : ""),
            ("Host", run.host),
            ("Operating system", run.operatingSystem), ("Cores", run.cores > 0 ? String(run.cores) : ""),
            ("Memory", run.memoryBytes > 0 ? Numbers.bytes(Double(run.memoryBytes)) : ""),
            ("Bodies", run.bodies == "measure" ? "not written and read; sizes from a model" : ""),
            ("Beaconswarm", report.toolVersion), ("Generator's own failures", failures),
        ]
        guard report.mode == .live else { return facts }
        return facts + ofGenerator(report) + (run.parts ?? []).map { ("Part \($0.name)", text($0)) }
    }

    /// How the generator of a live run went.
    private static func ofGenerator(_ report: Report) -> [(name: String, value: String)] {
        let generator = report.generator
        let lag = generator.scheduleLag
        let median = Numbers.duration(milliseconds: lag.median)
        // What only the end of a run tells is left out until then.
        let isOver = !report.lacksEndFigures
        return [
            (
                "Generator",
                !isOver ? "" : generator.saturated ? "could not keep its schedule" : "kept its schedule"
            ),
            ("Generator's lag", "median \(median), p(99) \(Numbers.duration(milliseconds: lag.p99))"),
            (
                "Busiest event loop",
                isOver ? "\(Numbers.percent(generator.cpuUtilization)) of \(generator.eventLoops)" : ""
            ),
            ("Connections", isOver ? connections(generator) : ""),
        ]
    }

    /// How a part of a live run went.
    private static func text(_ part: Report.Part) -> String {
        let devices = "\(Numbers.devices(part.devices)) on \(part.host)"
        guard let live = part.conduct else { return devices }
        var facts = [
            devices + (live.cores > 0 ? ", \(live.cores) cores" : ""),
            "ready \(Numbers.duration(seconds: live.marginSeconds)) before the start",
            "lag p(99) \(Numbers.duration(milliseconds: live.lagP99))",
            "busiest event loop \(Numbers.percent(live.cpuUtilization)) of \(live.eventLoops)",
        ]
        if part.isInterrupted { facts.append("interrupted") }
        switch part.endedBy?.cause {
        case .maxRate: facts.append("ended by --max-rate")
        case .guard: facts.append("ended by the guard")
        case nil: break
        }
        if let ahead = live.clock.aheadOfServer, let error = live.clock.aheadError {
            let side = ahead < 0 ? "behind" : "ahead of"
            facts.append(
                "clock \(Numbers.duration(milliseconds: ahead.magnitude)) \(side) the server's, within "
                    + Numbers.duration(milliseconds: error))
        } else if live.clock.isSynchronised == false {
            facts.append("clock not synchronised")
        }
        return facts.joined(separator: "; ")
    }

    private static func connections(_ generator: Report.Generator) -> String {
        let recycled = generator.connectionsRecycled
        let closed =
            recycled == 0 ? "" : ", \(Numbers.count(recycled)) closed to stay below the descriptor limit"
        let peak = Numbers.count(generator.connectionsPeak)
        let handshakes =
            generator.tlsHandshakes == 0
            ? "" : ", \(Numbers.count(generator.tlsHandshakes, of: "TLS handshake"))\(share(generator))"
        let streams =
            generator.http2Connections == 0
            ? ""
            : ", \(Numbers.count(generator.http2Streams, of: "stream")) on "
                + "\(Numbers.count(generator.http2Connections)) of HTTP/2"
        return
            "\(peak) at most, \(Numbers.count(generator.connectionsOpened)) opened or tried\(closed)\(handshakes)"
            + streams
    }

    /// What part of the loops' work the handshakes were.
    private static func share(_ generator: Report.Generator) -> String {
        guard generator.loopSeconds > 0, generator.tlsHandshakeSeconds > 0 else { return "" }
        let share = min(1, generator.tlsHandshakeSeconds / generator.loopSeconds)
        return " (\(Numbers.percent(share)) of the event loops' CPU time)"
    }
}
