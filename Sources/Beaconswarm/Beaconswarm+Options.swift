import CollectorModel
import Reporting

/// A scenario file with what options change in it.
public struct ScenarioSource: Sendable {
    /// The scenario's path; `-` is standard input. A bare name, such as `smoke`, where no such file is means the
    /// scenario of that name that comes with the program (`beaconswarm examples`).
    public var path: String
    /// Decimal, or hexadecimal after `0x`; `nil` for the scenario's own.
    public var seed: String?
    /// Devices of all populations together, 1 or more for each; `nil` for the scenario's own.
    public var devices: Int?
    /// How long users act, such as `1m30s`; `nil` for the scenario's own.
    public var duration: String?
    /// A URL to which every population sends; `nil` for the scenario's targets.
    public var target: String?
    /// Whether any certificate of a target is accepted.
    public var insecure = false
    /// `path=value`, applied in order.
    public var overrides: [String] = []
    /// The point of a grid that is played, `path=value` each.
    var varied: [String] = []
    /// When the run begins; `nil` for the scenario's own.
    var start: String?
    /// The variant that is played; `nil` for the scenario itself, which `base` is too.
    public var variant: String?
    /// Whether problems of the other variants count too.
    var checksVariants = true
    /// Whether files of targets' `tls` that cannot be used are problems: a simulation connects to nobody, and may run
    /// where these files are not.
    var readsTargetFiles = false
    /// What ``register(_:for:)`` was told, in order.
    var registrations: [Registration] = []

    /// Names a scenario file without changes.
    public init(path: String) { self.path = path }
}

/// What becomes of requests' bytes in virtual time.
public enum Bodies: String, CaseIterable, Sendable {
    /// They are written as the SDK writes them, and read as a collector reads them.
    case encode
    /// Events pass by reference, and sizes come from a model that is fitted before the run. Nothing else differs.
    case measure

    /// What `--bodies` calls them.
    public static let names = allCases.map(\.rawValue)
}

/// Options of a run, besides its scenario.
public struct RunOptions: Sendable {
    /// The scenario.
    public var source: ScenarioSource
    /// The run's folder; `nil` for one under `reports/`.
    public var out: String?
    /// File for a line per event, written when its fate is sealed; `nil` for none. Its name ends in `.ndjson`, or in
    /// `.ndjson.gz` to be packed, and there is no such file yet; else it is a ``CommandFailure`` with the code
    /// ``CommandStatus/usage``.
    public var events: String?
    /// Files with the contents of other collectors' stores after the run, one for each store.
    public var receipts: [String] = []
    /// File in which the embedded collector's store is kept, which does not exist yet; `nil` drops it at the end. For
    /// live runs without an external target.
    public var store: String?
    /// Folder in which devices' own files are kept, which does not exist yet; `nil` drops them at the end. Some
    /// population has to have the storage backend `sqlite`: else there is nothing to keep, which is refused.
    public var keepStores: String?
    /// Hosts that are the user's to load: besides loopback and private addresses, a live run sends to these alone,
    /// and to those in ``targetsFile``.
    public var ownedHosts: [String] = []
    /// A list of such hosts, one a line; `nil` for `beaconswarm.targets` in the working directory, if it is there.
    public var targetsFile: String?
    /// Requests that a live run may send in a second of real time, 1 or more; `nil` for any number.
    public var maximumRate: Double?
    /// What becomes of requests' bytes in virtual time; `nil` writes and reads them in a single simulation, and measures
    /// them in several.
    public var bodies: Bodies?
    /// Event loops that play devices; of several simulations, those that go on side by side.
    public var threads: Int?
    /// Seeds of several simulations: `20` of them from the scenario's own on, or `1..20`; `nil` for one.
    public var seeds: String?
    /// Which part of the devices is played, `I/N` with I from 0, to be joined with the others by
    /// ``Beaconswarm/merge(_:)``; `nil` for all.
    public var shard: String?
    /// When a live run begins, such as `2026-12-01T12:00:00Z`; `nil` for as soon as can be.
    public var at: String?
    /// Live runs of the scenario, one after the other, each with the next seed; `nil` for one run, and against two targets
    /// for ``defaultRepeats``.
    public var repeats: Int?
    /// Two targets of live runs that take turns; empty for the scenario's own.
    public var rivals: [String] = []
    /// Runs against each of two targets where nobody says how many.
    public static let defaultRepeats = 3
    /// Devices of a live run, by their numbers, whose requests are kept in its folder: `5,17`; `nil` for none.
    public var tracedDevices: String?
    /// Where a page shows what happens while it happens, `HOST:PORT`; `nil` for no page. For the verbs alone: a program
    /// of one's own that calls ``Beaconswarm/play(_:in:)`` gets no page.
    public var ui: String?
    /// A URL to which figures are pushed every 10 s and at the end, as OTLP/HTTP in JSON; `nil` for none. For the verbs
    /// alone.
    public var otlp: String?
    /// A URL at which the target of a live run tells its own metrics in Prometheus' text format, as series beside the
    /// run's own in its report; `nil` for none.
    public var scrape: String?
    /// Names of those to keep, separated by commas, each whole or with `*` at its end; `nil` for all counters and gauges.
    public var scrapeOnly: String?
    /// Series of a target's own that are kept.
    public static let scrapedSeriesLimit = TargetRecorder.seriesLimit
    /// Where ``ui`` is if nobody says more: on this machine alone, any free port.
    public static let defaultWatchAddress = "127.0.0.1:0"
    /// Whether SIGINT, SIGTERM and SIGHUP end the run. `false` leaves them to the program that plays it.
    public var listensToSignals = true
    /// Who watches; set by the verb.
    var watch: Watch?
    /// The report's JSON on standard output.
    public var json = false
    /// No progress and no summary; warnings, and why a run did not pass, are told on standard error all the same.
    public var quiet = false
    /// Colours where the output is a terminal, `NO_COLOR` is not set and `TERM` is not `dumb`.
    public var color = true
    /// The command line, for the report.
    public var command: [String] = CommandLine.arguments

    /// Makes options with every default.
    public init(source: ScenarioSource) { self.source = source }
}

/// Options of `collect`.
public struct CollectOptions: Sendable {
    /// `HOST:PORT`.
    public var listen: String
    /// The SQLite file; an existing one is continued. `nil` for what the environment says (`BEACONSWARM_STORE`), else
    /// ``defaultStore``.
    public var store: String?
    /// A file with a timeline of faults.
    public var faults: String?
    /// Names separated by commas; all systems without it.
    public var systems: String?
    /// `SYSTEM=/PATH` each: paths that take uploads beside the systems' own.
    public var paths: [String]
    /// Files with descriptions of SDKs whose uploads are read too.
    public var descriptions: [String] = []
    /// Whether the collector may listen where other machines can reach it.
    public var allowsRemote: Bool
    /// Whether SIGINT, SIGTERM and SIGHUP end it, as ``RunOptions/listensToSignals``.
    public var listensToSignals = true
    /// Which way rows go to disk: one of ``logNames``.
    public var log = "auto"

    /// The store where nothing is said.
    public static let defaultStore = "collected.sqlite"

    /// Whether rows go through a log in front of the table: when the table falls behind, always, or never.
    public static let logNames = ["auto", "always", "never"]

    /// The systems that a collector can read.
    public static let allSystems = CollectorSystem.allCases.map(\.rawValue)

    /// The same, separated by commas.
    public static let systemNames = allSystems.joined(separator: ", ")

    /// Asks for a collector.
    public init(
        listen: String, store: String?, faults: String?, systems: String? = nil, paths: [String] = [],
        allowsRemote: Bool = false
    ) {
        self.listen = listen
        self.store = store
        self.faults = faults
        self.systems = systems
        self.paths = paths
        self.allowsRemote = allowsRemote
    }
}
