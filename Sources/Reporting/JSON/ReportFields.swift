import Measurement
import Wire

extension ReportCodec<Int> {
    /// Seconds of the run's clock in a real one, 1 at least.
    static var pace: ReportCodec {
        ReportCodec(whole.write) { node throws(ReportReadError) in max(1, try whole.read(node)) }
    }
}

extension ReportCodec<Report.ScenarioReference> {
    static var scenario: ReportCodec {
        object(
            .blank,
            [
                ReportField("name", \.name, .text),
                .later("description", \.description, .text),
                ReportField("sha256", \.sha256, .text),
                ReportField("overrides", \.overrides, .texts),
                ReportField("expect", \.writtenExpectation, .text),
            ])
    }
}

extension Report.ScenarioReference {
    /// The value of the scenario's `expect`.
    fileprivate var writtenExpectation: String? {
        get { expectation?.rawValue }
        set { expectation = newValue.flatMap(Report.Expectation.init) }
    }
}

extension ReportCodec<Report.EarlyEnd> {
    static var earlyEnd: ReportCodec {
        object(
            Report.EarlyEnd(cause: .guard, text: ""),
            [ReportField("cause", \.cause, .choice), ReportField("text", \.text, .text)])
    }
}

extension ReportCodec<Report.RunContext> {
    static var run: ReportCodec {
        object(
            .blank,
            [
                ReportField("command", \.command, .texts),
                ReportField("host", \.host, .text),
                .later("operating_system", \.operatingSystem, .text),
                .later("cores", \.cores, .whole),
                .later("memory_bytes", \.memoryBytes, .unsigned),
                .later("target", \.target, .text),
                ReportField("bodies", \.bodies, .text),
                .rare("commit", \.commit, .text),
                .rare("tool_commit", \.toolCommit, .text),
                .rare("parts", \.parts, .list(.part)),
                .rare("missing_parts", \.missingParts, .text),
            ])
    }
}

extension ReportCodec<Report.Part> {
    static var part: ReportCodec {
        object(
            Report.Part(name: "", devices: 0, attempt: 1, host: "", wallSeconds: 0),
            [
                ReportField("part", \.name, .text),
                ReportField("devices", \.devices, .whole),
                ReportField("attempt", \.attempt, .whole),
                ReportField("host", \.host, .text),
                ReportField("wall_seconds", \.wallSeconds, .real),
                .rare("live", \.conduct, .partConduct),
                .rare("interrupted", \.toldInterruption, .boolean),
                .rare("ended_by", \.endedBy, .earlyEnd),
                .rare("problems", \.problems, .list(.partProblem)),
            ])
    }
}

extension Report.Part {
    /// Where there was one.
    fileprivate var toldInterruption: Bool? {
        get { isInterrupted ? true : nil }
        set { isInterrupted = newValue ?? false }
    }
}

extension ReportCodec<Report.PartConduct> {
    static var partConduct: ReportCodec {
        object(
            Report.PartConduct(),
            [
                ReportField("margin_seconds", \.marginSeconds, .real),
                ReportField("captured", \.captured, .count),
                ReportField("uploads", \.uploads, .count),
                ReportField("lag_p99", \.lagP99, .real),
                ReportField("saturated", \.saturated, .boolean),
                ReportField("cpu_utilization", \.cpuUtilization, .real),
                ReportField("event_loops", \.eventLoops, .whole),
                ReportField("cores", \.cores, .whole),
                ReportField("memory_bytes", \.memoryBytes, .unsigned),
                ReportField("operating_system", \.operatingSystem, .text),
                ReportField("clock", \.clock, .partClock),
            ])
    }
}

extension ReportCodec<Report.PartClock> {
    static var partClock: ReportCodec {
        object(
            Report.PartClock(),
            [
                ReportField("synchronised", \.isSynchronised, .boolean),
                ReportField("kernel_error", \.kernelError, .real),
                ReportField("ahead_of_server", \.aheadOfServer, .real),
                ReportField("ahead_error", \.aheadError, .real),
                ReportField("answers", \.answers, .count),
            ])
    }
}

extension ReportCodec<Report.PartProblem> {
    static var partProblem: ReportCodec {
        object(
            Report.PartProblem(cause: .partsMissing, text: ""),
            [ReportField("cause", \.cause, .choice), ReportField("text", \.text, .text)])
    }
}

extension ReportCodec<Report.EventCounts> {
    static var events: ReportCodec {
        object(
            Report.EventCounts(),
            [
                ReportField("captured", \.captured, .count),
                ReportField("delivered", \.delivered, .count),
                ReportField("suppressed", \.suppressed, .counts),
                ReportField("evicted", \.evicted, .counts(always: ["storage_limit", "expired"])),
                ReportField("rejected", \.rejected, .counts),
                ReportField("lost", \.lost, .counts),
                ReportField("pending", \.pending, .counts(always: ["stored", "in_flight"])),
                ReportField("balance", \.balance, .balance),
            ])
    }
}

extension ReportCodec<Int64> {
    static var balance: ReportCodec {
        ReportCodec({ .int($0) }) { node throws(ReportReadError) in Int64(try node.integer()) }
    }
}

/// The keys of `audit`, in order.
enum AuditFields {
    static var all: [(key: String, path: WritableKeyPath<Report.AuditCounts, UInt64>)] {
        [
            ("received", \.received), ("unique", \.unique), ("duplicates", \.duplicates),
            ("confirmed", \.confirmed), ("acked_not_found", \.ackedNotFound), ("swallowed", \.swallowed),
            ("dry_run", \.dryRun), ("recovered", \.recovered), ("unexpected", \.unexpected),
            ("undecodable", \.undecodable),
        ]
    }
}

extension Report.AuditCounts {
    /// The counts by their names in `report.json`.
    package var named: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: AuditFields.all.map { ($0.key, self[keyPath: $0.path]) })
    }
}

extension ReportCodec<Report.AuditCounts> {
    static var audit: ReportCodec {
        let counts = AuditFields.all.map { ReportField($0.key, $0.path, .count) }
        return object(
            Report.AuditCounts(),
            counts + [
                .rare("alike", \.alike, .count),
                .rare("of_missing_parts", \.ofMissingParts, .count),
                .rare("duplicates_of_missing_parts", \.duplicatesOfMissingParts, .count),
                .rare("never_sent", \.neverSent, .count),
                ReportField("missing", \.missing, .missing),
            ])
    }
}

extension ReportCodec<Report.MissingEvents> {
    static var missing: ReportCodec {
        let fate = ReportCodec<Report.FateCounts>.property(
            \.causes, .counts, of: Report.FateCounts(fate: "", causes: []))
        return object(
            Report.MissingEvents(),
            [
                ReportField("never_accepted", \.neverAccepted, .named(\.fate, fate)),
                ReportField("accepted_then_lost", \.acceptedThenLost, .count),
            ])
    }
}

extension ReportCodec<Report.Population> {
    /// Under its name.
    static var population: ReportCodec {
        object(
            Report.Population(
                name: "", system: "", version: "", devices: 0, events: Report.EventCounts(), metrics: []),
            [
                .later("system", \.system, .text),
                .later("version", \.version, .text),
                .later("devices", \.devices, .whole),
                .rare("users", \.users, .text),
                .rare("users_differ_in", \.toldDifferences, .texts),
                .rare("device_spread", \.spread, .spread),
                ReportField("events", \.events, .events),
                ReportField("metrics", \.metrics, .metrics),
            ])
    }
}

extension Report.Population {
    /// Where there is something to be told.
    fileprivate var toldDifferences: [String]? {
        get { userDifferences.isEmpty ? nil : userDifferences }
        set { userDifferences = newValue ?? [] }
    }
}

extension ReportCodec<Report.ThresholdResult> {
    static var threshold: ReportCodec {
        object(
            Report.ThresholdResult(metric: "", expression: "", value: nil, ok: false),
            [
                ReportField("metric", \.metric, .text),
                ReportField("expression", \.expression, .text),
                ReportField("value", \.value, .real),
                ReportField("ok", \.ok, .boolean),
                .later("aborted", \.aborted, .boolean),
            ])
    }
}

extension ReportCodec<Report.Generator> {
    /// Of the middle of a live run.
    static var earlyGenerator: ReportCodec {
        object(Report.Generator(), [ReportField("schedule_lag", \.scheduleLag, .trend)])
    }

    static var generator: ReportCodec {
        object(
            Report.Generator(),
            [
                .later("saturated", \.saturated, .boolean),
                ReportField("schedule_lag", \.scheduleLag, .trend),
                .later("cpu_utilization", \.cpuUtilization, .real),
                .later("event_loops", \.eventLoops, .whole),
                .later("connections_opened", \.connectionsOpened, .count),
                .later("connections_peak", \.connectionsPeak, .count),
                .later("connections_recycled", \.connectionsRecycled, .count),
                .later("tls_handshakes", \.tlsHandshakes, .count),
                .later("tls_resumed", \.tlsResumed, .count),
                .later("tls_handshake_cpu_seconds", \.tlsHandshakeSeconds, .real),
                .later("loop_cpu_seconds", \.loopSeconds, .real),
                .later("http2_connections", \.http2Connections, .count),
                .later("http2_streams", \.http2Streams, .count),
                .later("own_failures", \.ownFailures, .list(.ownFailure)),
            ])
    }
}

extension ReportCodec<Report.OwnFailure> {
    static var ownFailure: ReportCodec {
        object(
            Report.OwnFailure(name: "", count: 0, text: ""),
            [
                ReportField("cause", \.name, .text),
                ReportField("count", \.count, .count),
                ReportField("text", \.text, .text),
            ])
    }
}
