package import Measurement
package import Timebase

extension Report {
    /// Makes a report. What a run may lack (audit, series, marks …) is empty unless given.
    package init(
        toolVersion: String, scenario: ScenarioReference, mode: Mode, seed: UInt64, fingerprint: String,
        startedAt: Instant, wallSeconds: Double, simulatedSeconds: Double, devices: Int, devicesStarted: Int,
        run: RunContext, events: EventCounts, audit: AuditCounts? = nil, auditNote: String? = nil,
        metrics: [Metric] = [], populations: [Population] = [], thresholds: [ThresholdResult] = [],
        generator: Generator = Generator(), answers: [NamedCount] = [], marks: [Mark] = [],
        series: [SeriesPoint] = [], warnings: [String] = [], outcome: VerdictRules.Outcome = .passed
    ) {
        self.toolVersion = toolVersion
        self.scenario = scenario
        self.mode = mode
        self.seed = seed
        self.fingerprint = fingerprint
        self.verdict = outcome.verdict
        self.reasons = outcome.reasons
        self.causes = outcome.causes
        self.exitCode = outcome.exitCode
        self.startedAt = startedAt
        self.wallSeconds = wallSeconds
        self.simulatedSeconds = simulatedSeconds
        self.devices = devices
        self.devicesStarted = devicesStarted
        self.run = run
        self.events = events
        self.audit = audit
        self.auditNote = auditNote
        self.metrics = metrics
        self.populations = populations
        self.thresholds = thresholds
        self.generator = generator
        self.answers = answers
        self.marks = marks
        self.series = series
        self.warnings = warnings
    }

    /// Sets verdict, exit code and reasons together.
    package mutating func apply(_ outcome: VerdictRules.Outcome) {
        verdict = outcome.verdict
        reasons = outcome.reasons
        causes = outcome.causes
        exitCode = outcome.exitCode
    }
}
