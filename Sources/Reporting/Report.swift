package import Accounting
package import Measurement
package import Timebase

/// A run's result: the one value that every output is written from, field for field `report.json`.
package struct Report: Sendable {
    /// Which world a run was played in.
    package enum Mode: String, CaseIterable, Sendable { case live, virtual }
    /// How a run ended, in one word.
    package enum Verdict: String, CaseIterable, Sendable { case passed, failed, invalid, interrupted }

    package var toolVersion: String
    package var scenario: ScenarioReference
    package var mode: Mode
    package var seed: UInt64
    /// 16 hexadecimal digits.
    package var fingerprint: String
    package var verdict: Verdict
    /// Why the verdict is what it is, a sentence each; the first is the headline.
    package var reasons: [String]
    /// The same in words for scripts, each once: ``VerdictRules/Cause``. Empty for a run that passed.
    package var causes: [String]
    package var exitCode: Int32
    /// Why what only the run knew could not be written: nothing makes it again, whatever is found out later.
    package var unwritten: [String] = []
    /// Wall clock.
    package var startedAt: Instant
    /// From ``startedAt`` until the run was over, before its audit.
    package var wallSeconds: Double
    package var simulatedSeconds: Double
    /// How long users acted, from the start: up to when they were stopped, where that was before their time; `nil` in
    /// older reports.
    package var usersSeconds: Double?
    /// Seconds of people's and devices' clocks in a second of the wall clock; 1 unless a live run asks for another.
    package var pace = 1
    /// Metrics are of what ended from here on, in seconds from the start; `nil` for the whole run.
    package var measuredFromSeconds: Double?
    /// What the clocks of the run's people show; `nil` where the scenario does not say where they live.
    package var clock: Clock?
    package var devices: Int
    package var devicesStarted: Int
    package var run: RunContext
    package var events: EventCounts
    package var audit: AuditCounts?
    /// Why there is no audit, or what limits the one there is.
    package var auditNote: String?
    package var metrics: [Metric]
    package var populations: [Population]
    package var thresholds: [ThresholdResult]
    package var generator: Generator
    /// Answers by status or named failure, uploads only, in descending order of count.
    package var answers: [NamedCount]
    /// The timeline's entries, for marks in charts.
    package var marks: [Mark]
    package var series: [SeriesPoint]
    /// Uploads that left in a second, at most, in what is measured; `nil` in older reports.
    package var peakUploadRate: Double?
    /// Events that devices believe delivered since the warm-up; `nil` without one, and in older reports.
    package var measuredDeliveries: UInt64?
    /// ``answers`` of the uploads that ended since the warm-up; `nil` without one, and in older reports.
    package var measuredAnswers: [NamedCount]?
    package var warnings: [String]
    /// Whether the run was asked to end before its time.
    package var isInterrupted = false
    /// What ended the run at once, where Beaconswarm itself did, to keep harm from its target; of a run that was
    /// joined from parts, the heaviest of what ended any of them.
    package var endedBy: EarlyEnd?
    /// Whether the run is not over: its figures are those so far, and nothing is judged.
    package var isPartial = false
    /// Distributions by percentiles, for the metrics of ``PercentileWriter``.
    package var curves: [NamedCurve] = []
    /// Distributions over time.
    package var heatMaps: [HeatMap] = []
    /// The first entries of the timeline, each with its metrics.
    package var entries: [Entry] = []
    /// Parts of the run around entries of the timeline, in shorter intervals than ``series``.
    package var closeUps: [CloseUp] = []
    /// Which radios the devices were on; `nil` where none changes its own.
    package var radios: RadioShares?
    /// What the target told of itself; empty where nobody asked.
    package var targetMetrics: [TargetMetrics] = []
    /// The first answers that no device hopes for.
    package var unexpectedAnswers: [UnexpectedAnswer] = []

    /// Which scenario was played.
    package struct ScenarioReference: Hashable, Sendable {
        package var name: String
        package var description: String
        package var sha256: String
        /// `--set` and other options that changed the scenario, as given (secrets left out).
        package var overrides: [String]
        /// What the scenario is for, where that is not delivery.
        package var expectation: Expectation?
        package init(
            name: String, description: String, sha256: String, overrides: [String],
            expectation: Expectation? = nil
        ) {
            self.name = name
            self.description = description
            self.sha256 = sha256
            self.overrides = overrides
            self.expectation = expectation
        }
    }

    /// The ledger.
    package struct EventCounts: Hashable, Sendable {
        package var captured: UInt64 = 0
        package var delivered: UInt64 = 0
        /// By cause, in a fixed order; causes with no events are left out but for the contract's fixed ones.
        package var suppressed: [NamedCount] = []
        package var evicted: [NamedCount] = []
        package var rejected: [NamedCount] = []
        package var lost: [NamedCount] = []
        package var pending: [NamedCount] = []
        /// captured − all fates: 0, or the books are wrong.
        package var balance: Int64 = 0
        package init() {}
    }

    /// How often something occurred, by its name.
    package struct NamedCount: Hashable, Sendable {
        package var name: String
        package var count: UInt64
        package init(_ name: String, _ count: UInt64) {
            self.name = name
            self.count = count
        }
    }

    /// A metric's distribution.
    package struct NamedCurve: Hashable, Sendable {
        package var metric: String
        package var curve: PercentileCurve
        package init(metric: String, curve: PercentileCurve) {
            self.metric = metric
            self.curve = curve
        }
    }

    /// An answer that no device hopes for, secrets taken out.
    package struct UnexpectedAnswer: Hashable, Sendable {
        /// On the run's clock.
        package var at: Instant
        package var population: String
        /// 0 where there was no status line.
        package var status: UInt16
        /// What was wrong, where the answer was not whole.
        package var failure: String?
        /// Lines as they came.
        package var headers: String
        /// The first 2 kB.
        package var body: String
        /// Whether it answered a fetch of a configuration, and not an upload.
        package var isConfig: Bool
        package init(
            at: Instant, population: String, status: UInt16, failure: String?, headers: String, body: String,
            isConfig: Bool = false
        ) {
            self.isConfig = isConfig
            self.at = at
            self.population = population
            self.status = status
            self.failure = failure
            self.headers = headers
            self.body = body
        }
    }

    /// What the collector holds against what the devices believe, in events, as ``Audit`` counts them.
    package struct AuditCounts: Hashable, Sendable {
        package var received: UInt64 = 0
        package var unique: UInt64 = 0
        package var duplicates: UInt64 = 0
        package var confirmed: UInt64 = 0
        package var ackedNotFound: UInt64 = 0
        package var swallowed: UInt64 = 0
        package var dryRun: UInt64 = 0
        package var recovered: UInt64 = 0
        package var unexpected: UInt64 = 0
        package var undecodable: UInt64 = 0
        /// Of ``confirmed``, events that the collector cannot tell from another one; `nil` if there is none.
        package var alike: UInt64?
        /// Held, of devices in parts of the run that are missing; `nil` if there is none.
        package var ofMissingParts: UInt64?
        /// Copies of these beyond the first, which are not in ``duplicates``; `nil` if there is none.
        package var duplicatesOfMissingParts: UInt64?
        /// Of ``duplicates``, how many more there are than devices sent, at the least; `nil` if there is none.
        package var neverSent: UInt64?
        /// Where the events are that the store lacks; `nil` in reports of older versions.
        package var missing: MissingEvents?
        package init() {}
    }

    /// The captured events that the store lacks, in the two places where they can be: on this side of the
    /// answer, or behind it.
    package struct MissingEvents: Hashable, Sendable {
        /// Never accepted, as the devices know: their fates, each with its causes.
        package var neverAccepted: [FateCounts] = []
        /// Acknowledged without a planned reason, and not held: the audit's `acked_not_found`.
        package var acceptedThenLost: UInt64 = 0
        package init() {}
    }

    /// The events of one fate, by cause.
    package struct FateCounts: Hashable, Sendable {
        package var fate: String
        package var causes: [NamedCount]
        package init(fate: String, causes: [NamedCount]) {
            self.fate = fate
            self.causes = causes
        }
    }

    /// One population's part of the run.
    package struct Population: Sendable {
        package var name: String
        package var system: String
        package var version: String
        package var devices: Int
        package var events: EventCounts
        package var metrics: [Metric]
        /// The population whose users these are too; `nil` for users of its own.
        package var users: String?
        /// In which keys of the scenario it differs from that population, so that they do not do the same.
        package var userDifferences: [String] = []
        /// How far its figures are chance; `nil` where that is not known, and where there is no other population.
        package var spread: DeviceSpread?
        package init(
            name: String, system: String, version: String, devices: Int, events: EventCounts,
            metrics: [Metric]
        ) {
            self.name = name
            self.system = system
            self.version = version
            self.devices = devices
            self.events = events
            self.metrics = metrics
        }
    }

    /// A threshold, and how the run kept to it.
    package struct ThresholdResult: Hashable, Sendable {
        /// With its tag, as written: `http_req_duration{population:ios}`.
        package var metric: String
        package var expression: String
        /// `nil` where the metric had no samples.
        package var value: Double?
        package var ok: Bool
        /// Whether it ended the run.
        package var aborted: Bool
        package init(metric: String, expression: String, value: Double?, ok: Bool, aborted: Bool = false) {
            self.metric = metric
            self.expression = expression
            self.value = value
            self.ok = ok
            self.aborted = aborted
        }
    }

    /// How well the generator kept its own schedule; all zero in virtual time.
    package struct Generator: Hashable, Sendable {
        package var saturated = false
        package var scheduleLag = TrendSummary()
        /// Share of the loops' time in which they worked, the busiest loop, 0…1.
        package var cpuUtilization = 0.0
        package var eventLoops = 0
        /// Connections closed to stay below the descriptor limit.
        package var connectionsRecycled: UInt64 = 0
        package var connectionsOpened: UInt64 = 0
        package var connectionsPeak: UInt64 = 0
        /// TLS handshakes that were completed, and those of them that took up an earlier session.
        package var tlsHandshakes: UInt64 = 0
        package var tlsResumed: UInt64 = 0
        /// The CPU time of the handshakes, and of all that the event loops did while users acted, in seconds.
        package var tlsHandshakeSeconds = 0.0
        package var loopSeconds = 0.0
        /// Connections that spoke HTTP/2, and the streams that were opened on them.
        package var http2Connections: UInt64 = 0
        package var http2Streams: UInt64 = 0
        /// What Beaconswarm itself could not do, by kind.
        package var ownFailures: [OwnFailure] = []
        package init() {}
    }
}
