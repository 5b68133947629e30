import Reporting
import Scenario
import Timebase

/// Options of a capacity search, besides its scenario.
public struct CapacityOptions: Sendable {
    /// What grows from one load to the next.
    public enum Scaling: String, CaseIterable, Sendable {
        /// The number of devices.
        case devices
        /// The rate of each device, for populations with a set rate.
        case rate

        /// What `--by` calls them.
        public static let names = allCases.map(\.rawValue)
    }

    /// The scenario, where results go, and how much is printed.
    public var run: RunOptions
    /// What grows.
    public var scaling = Scaling.devices
    /// The first load: devices, or a factor of the scenario's rate. By default the scenario's own.
    public var from: Double?
    /// The highest load to try.
    public var maximum: Double?
    /// The length of a step's measuring window, such as `30s`; by default as long as the thresholds need.
    public var step: String?
    /// How close the load that holds and the load that breaks must come, such as `2%` or `0.02`.
    public var precision: String?
    /// How long the search may take, in real time, such as `10m`; by default 5 min.
    public var maxTime: String?
    /// Plays every step in virtual time, against the collector that the scenario describes.
    public var isVirtual = false

    /// Makes options with every default.
    public init(run: RunOptions) { self.run = run }

    /// Refuses in virtual time what is about a target. Whoever names one, in an option or in the environment, must not
    /// take the modelled collector's limit for its own.
    ///
    /// - Throws: ``CommandFailure`` with code 64 that names the option.
    func refuseUnsent(_ environment: [String: String]) throws(CommandFailure) {
        let target = run.source.target ?? ScenarioOptions(environment: environment).target
        let unsent = [
            (target != nil, "--target"), (run.source.insecure, "--insecure"),
            (run.scrape != nil, "--scrape"), (run.scrapeOnly != nil, "--scrape-only"),
        ]
        guard isVirtual, let name = unsent.first(where: \.0)?.1 else { return }
        throw refusal(of: name)
    }

    /// Why an option that is about a target is refused in virtual time.
    func refusal(of name: String) -> CommandFailure {
        CommandFailure(
            .usage, "\(name) has no meaning with --virtual: a search in virtual time sends nothing")
    }
}

/// The options, read and checked.
struct CapacitySettings: Sendable {
    var search: CapacitySearch.Settings
    var scaling: CapacityReport.Scaling
    /// The length of windows, where it was set.
    var step: Interval?
    /// How long the search may take.
    var maxTime = Interval.minutes(5)

    static let allowedPrecision = 0.001...0.5
    /// More devices than this are not made without being asked for.
    private static let deviceLimit = 1_000_000.0
    private static let factorLimit = 10_000.0

    init(search: CapacitySearch.Settings, scaling: CapacityReport.Scaling, step: Interval? = nil) {
        self.search = search
        self.scaling = scaling
        self.step = step
    }

    /// - Throws: ``CommandFailure`` with code 64 that names the option, what was found and what is allowed.
    init(_ options: CapacityOptions, scenario: LoadedScenario) throws(CommandFailure) {
        let document = scenario.document
        guard document.pace == 1 else {
            throw CommandFailure(
                .usage,
                "capacity: /pace: found \(document.pace), allowed is 1 (such as --set pace=1): a search judges "
                    + "a load, and no fleet offers the load of people who live faster")
        }
        scaling = options.scaling == .devices ? .devices : .rate
        let byDevices = scaling == .devices
        if !byDevices, let other = document.populations.first(where: { !$0.hasSetRate }) {
            throw CommandFailure(
                .usage,
                "--by rate: the population \(other.name) has no set rate; allowed are populations with "
                    + "\"rate\", or with the persona steady")
        }
        let floor = byDevices ? Double(document.populations.count) : 0.001
        let own = byDevices ? Double(document.deviceCount) : 1
        let limit = byDevices ? Self.deviceLimit : Self.factorLimit
        let maximum =
            try Self.load("--max", options.maximum, within: floor...1e7, byDevices) ?? max(limit, own)
        let asked = try Self.load("--from", options.from, within: floor...maximum, byDevices)
        search = CapacitySearch.Settings(
            from: asked ?? min(maximum, max(floor, own)), floor: floor, maximum: maximum,
            quantum: byDevices ? 1 : 0.001)
        // Simulated steps cost little.
        if options.isVirtual { (search.confirmations, search.spareTrials) = (4, 30) }
        if let text = options.maxTime {
            maxTime = try Self.time("--max-time", text, within: .seconds(1)...(.hours(24)))
        }
        if let text = options.precision { search.precision = try Self.precision(text) }
        if let text = options.step {
            step = try Self.time("--step", text, within: .seconds(1)...(.hours(1))).roundedUpToSeconds
        }
    }

    private static func load(
        _ name: String, _ value: Double?, within range: ClosedRange<Double>, _ isWhole: Bool
    ) throws(CommandFailure) -> Double? {
        guard let value else { return nil }
        guard range.contains(value), !isWhole || value == value.rounded() else {
            let noun = isWhole ? "a whole number of devices" : "a factor of the scenario's rate"
            // Not as a load: a number of devices would be rounded, and its fault with it.
            throw CommandFailure(
                .usage,
                "\(name): found \(value.asGiven), allowed is \(noun) "
                    + "from \(CapacityText.load(range.lowerBound, isWhole ? .devices : .rate)) to "
                    + CapacityText.load(range.upperBound, isWhole ? .devices : .rate))
        }
        return isWhole ? value : (value * 1000).rounded() / 1000
    }

    private static func precision(_ text: String) throws(CommandFailure) -> Double {
        let isPercent = text.hasSuffix("%")
        let number = Double(isPercent ? text.dropLast() : text[...]).map { isPercent ? $0 / 100 : $0 }
        guard let number, allowedPrecision.contains(number) else {
            throw CommandFailure(
                .usage, "--precision: found \(text), allowed is 0.1% to 50%, or 0.001 to 0.5")
        }
        return number
    }

    private static func time(
        _ name: String, _ text: String, within range: ClosedRange<Interval>
    ) throws(CommandFailure) -> Interval {
        guard let interval = Interval(text: text), range.contains(interval) else {
            throw CommandFailure(
                .usage,
                "\(name): found \(text), allowed is a time from \(range.lowerBound.text) to "
                    + range.upperBound.text)
        }
        return interval
    }
}

extension Double {
    /// As somebody types it: a whole number without a fraction.
    var asGiven: String { self == rounded() && magnitude < 1e15 ? "\(Int(self))" : "\(self)" }
}

extension Interval {
    /// The next whole number of seconds.
    var roundedUpToSeconds: Interval { .seconds((nanoseconds + 999_999_999) / 1_000_000_000) }
}
