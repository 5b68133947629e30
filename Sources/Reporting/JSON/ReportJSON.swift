import Measurement
import Timebase
package import Wire

/// `report.json`, both ways: schema `beaconswarm.report/1`. Times are milliseconds unless a key says
/// otherwise. Readers must sum causes and pass over keys they do not know.
///
/// Tables of fields (``ReportField``) name each key once, in the order in which it is written.
package enum ReportJSON {
    package static let schema = "beaconswarm.report/1"

    /// Writes a report.
    package static func write(_ report: Report, pretty: Bool = true) -> [UInt8] {
        pretty ? value(of: report).bytes(.indented()) + [0x0A] : value(of: report).bytes(.compact)
    }

    /// The report as a value, for those who want to add to it.
    package static func value(of report: Report) -> JSONNode { codec.write(report) }

    /// Reads what ``write(_:pretty:)`` wrote. Distributions come back as their summaries; writing the
    /// report again gives the same bytes.
    ///
    /// - Throws: ``ReportReadError`` naming the key that is missing or wrong.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> Report {
        try codec.read(ReportNode(bytes, schema: schema))
    }

    private static var codec: ReportCodec<Report> { .object(.blank, identity + results + details) }

    /// Which run it was.
    private static var identity: [ReportField<Report>] {
        [
            .derived("schema") { _ in .text(schema) },
            ReportField("tool", \.toolVersion, .tool),
            ReportField("scenario", \.scenario, .scenario),
            ReportField("mode", \.mode, .choice),
            ReportField("seed", \.seed, .unsigned),
            ReportField("fingerprint", \.fingerprint, .text),
            ReportField("verdict", \.verdict, .choice),
            .later("reasons", \.reasons, .texts),
            .later("causes", \.causes, .texts),
            .later("exit_code", \.exitCode, .clamped),
            .rare("unwritten", \.toldUnwritten, .texts),
            interrupted,
            ReportField("ended_by", \.endedBy, .earlyEnd),
            .later("partial", \.isPartial, .boolean),
            ReportField("started_at", \.startedAt, .time),
            ReportField("wall_seconds", \.wallSeconds, .real),
            ReportField("simulated_seconds", \.simulatedSeconds, .real),
            .rare("users_seconds", \.usersSeconds, .real),
            .later("pace", \.pace, .pace),
            .rare("measured_from_seconds", \.measuredFromSeconds, .real),
            .rare("clock", \.clock, .clock),
            ReportField("devices", \.devices, .whole),
            ReportField("devices_started", \.devicesStarted, .whole),
            ReportField("run", \.run, .run),
        ]
    }

    /// Older versions told it by the verdict alone.
    private static var interrupted: ReportField<Report> {
        let field = ReportField<Report>.later("interrupted", \.isInterrupted, .boolean)
        return ReportField(field.key, write: field.write) { node, report throws(ReportReadError) in
            report.isInterrupted = report.verdict == .interrupted
            try field.read(node, &report)
        }
    }

    /// What a live run knows at its end alone is left out until then: zeros would look like what was measured.
    private static var generator: ReportField<Report> {
        let whole = ReportField<Report>("generator", \.generator, .generator)
        let early = ReportField<Report>("generator", \.generator, .earlyGenerator)
        return ReportField(
            whole.key, write: { $0.lacksEndFigures ? early.write($0) : whole.write($0) }, read: whole.read)
    }

    /// What came of it.
    private static var results: [ReportField<Report>] {
        [
            ReportField("events", \.events, .events),
            ReportField("audit", \.audit, .audit),
            ReportField("audit_note", \.auditNote, .text),
            ReportField("metrics", \.metrics, .metrics),
            ReportField("populations", \.populations, .named(\.name, .population)),
            ReportField("thresholds", \.thresholds, .list(.threshold)),
            generator,
            .later("answers", \.answers, .counts),
        ]
    }

    /// What its pictures and lists are drawn from.
    private static var details: [ReportField<Report>] {
        [
            .later("marks", \.marks, .list(.mark)),
            entries,
            .later("series", \.series, .series),
            .rare("peak_uploads_per_second", \.peakUploadRate, .real),
            .rare("measured_deliveries", \.measuredDeliveries, .count),
            .rare("measured_answers", \.measuredAnswers, .counts),
            closeUps,
            .later("percentiles", \.curves, .named(\.metric, .curve)),
            .later("heatmaps", \.heatMaps, .named(\.metric, .heatMap)),
            .derived("first_failed_answer") { $0.firstFailedAnswer.map(value) ?? .null },
            .rare("radios", \.radios, .radios),
            .rare("target_metrics", \.soleTargetMetrics, .targetMetrics),
            .rare("target_metrics_of_parts", \.partedTargetMetrics, .list(.targetMetrics)),
            .later("unexpected_answers", \.unexpectedAnswers, .list(.answer)),
            .later("warnings", \.warnings, .texts),
        ]
    }

    private static var entries: ReportField<Report> {
        .later("entries", \.entries, .named(\.name, .entry)).naming { report in
            report.entries.map { ($0.name, $0.mark) }
        }
    }

    private static var closeUps: ReportField<Report> {
        .later("close_ups", \.closeUps, .list(.closeUp)).naming { report in
            report.closeUps.enumerated().map { ("[\($0)]", $1.mark) }
        }
    }
}

extension ReportField<Report> {
    /// The field, whose parts name marks: those have been read before, and what there is none of is refused.
    ///
    /// - Parameter marks: The place of each part within the field, and the mark that it names.
    fileprivate func naming(
        _ marks: @escaping @Sendable (Report) -> [(place: String, mark: Int)]
    ) -> ReportField<Report> {
        ReportField(key, write: write) { node, report throws(ReportReadError) in
            try self.read(node, &report)
            let count = report.marks.count
            for (place, mark) in marks(report) where !(0..<count).contains(mark) {
                let path = place.hasPrefix("[") ? key + place : "\(key).\(place)"
                throw ReportReadError(
                    key: "\(path).mark", message: "expected the index of one of \(count) marks")
            }
        }
    }
}

extension Report {
    /// Where there is something to be told.
    fileprivate var toldUnwritten: [String]? {
        get { unwritten.isEmpty ? nil : unwritten }
        set { unwritten = newValue ?? [] }
    }

    /// What reading fills.
    fileprivate static var blank: Report {
        Report(
            toolVersion: "", scenario: .blank, mode: .virtual, seed: 0, fingerprint: "",
            startedAt: Instant(nanoseconds: 0), wallSeconds: 0, simulatedSeconds: 0, devices: 0,
            devicesStarted: 0, run: .blank, events: EventCounts())
    }
}

extension Report.ScenarioReference {
    static var blank: Self { Self(name: "", description: "", sha256: "", overrides: []) }
}

extension Report.RunContext {
    static var blank: Self {
        Self(command: [], host: "", operatingSystem: "", cores: 0, memoryBytes: 0, target: "")
    }
}
