package import AppModel
package import Timebase
package import World

/// Everything that defines a population: read from the scenario once, shared by all its devices,
/// never changed during a run.
package struct PopulationPlan: Sendable {
    /// Index in the scenario's order.
    package var index = 0
    package var name: String { didSet { key = RandomStream.hash(of: name) } }
    /// Devices after scaling.
    package var deviceCount: Int
    /// The global number of the population's first device.
    package var firstDevice: UInt32 = 0
    /// Whether devices are numbered by their indices in a fleet and not in the population: for samples, whose
    /// sets of ids shall not be as large as those of the population that they stand for.
    package var numbersBySlot = false
    /// The run's seed.
    package var seed: UInt64 = 0
    /// The population whose users these are too, device by device; `nil` for users of its own.
    package var users: String? { didSet { usersKey = users.map { RandomStream.hash(of: $0) } } }
    /// What the streams of ``name`` and ``users`` are drawn by: asked for at each request.
    private var key: UInt64
    private var usersKey: UInt64?
    /// The beginning of the run, and the time from which users do nothing any more.
    package var start: Instant
    package var usersEnd: Instant
    package var app: AppDescription
    package var persona: PersonaDescription
    package var network = NetworkRules.ideal
    /// How large uploads are on the way, for links that ask; `nil` writes each for its length.
    package var uploadSizes: UploadSizeModel?
    /// What happens to its devices' disks.
    package var disk = DiskSchedule()
    /// What its users say to being tracked.
    package var consents = ConsentSchedule()
    package var arrival = ArrivalSchedule()
    /// Whether the run finds its users in the midst of their lives.
    package var startsInSteadyState = false
    /// How active users are over time, in any unit, and which notifications they get.
    package var activity: StageCurve?
    package var pushes: [PushNotification] = []
    /// What planted patterns change in what users do, and in what the app's code tracks of it.
    package var patterns = UserPatterns()
    package var trackingBugs: [TrackingBug] = []
    /// How active users are over the hours of a week, and the zones whose hours are meant; `nil` for evenly.
    package var week: WeekCurve?
    package var zones = TimeZones()
    /// How far local time is ahead of UTC for most people when the run begins; see ``utcOffset(index:at:)``.
    package var utcOffset = Interval.hours(8)
    /// Addresses of the collector, one or more, that devices are spread over. They have the same path,
    /// headers and rules.
    package var targets: [Target]
    /// Whether events carry `bs_id`.
    package var tagsEvents = true
    package var system: any SystemRuleSet
    /// How far devices' clocks are off; `nil` for what the system's rules say.
    package var clock: ClockRules?
    /// New versions of the app that bring other rules, by time.
    package var rollOuts: [RollOut] = []
    /// What the collector serves, by the SDK's configuration and in the collector's order; empty where none of it is rolled
    /// out.
    package var servedEditions: [[ServedEdition]] = []
    /// What a program registers in the place of the system's own parts; `nil` for nothing.
    package var plugins: (any SystemPlugins)?

    package init(
        name: String, deviceCount: Int, start: Instant, usersEnd: Instant, app: AppDescription,
        persona: PersonaDescription, target: Target, system: any SystemRuleSet
    ) {
        self.name = name
        key = RandomStream.hash(of: name)
        self.deviceCount = deviceCount
        self.start = start
        self.usersEnd = usersEnd
        self.app = app
        self.persona = persona
        targets = [target]
        self.system = system
    }

    /// The stream of one purpose of the device with the given index in this population.
    package func stream(_ purpose: RandomStream.Purpose, index: Int) -> RandomStream {
        streams.stream(purpose, index: index)
    }

    /// The network that a device has at the start of the run, unless the timeline gives it another.
    package func initialNetwork(index: Int) -> NetworkKind {
        network.chain == nil
            ? network.kind : network.initialKind(stream: stream(.network, index: index), at: start)
    }

    /// When a device is there for the first time: at the start of the run or after it.
    package func appearance(ofDevice index: Int) -> Instant {
        let position = arrival.position(
            index: index, count: deviceCount, stream: stream(.arrival, index: index))
        return start + max(.zero, arrival.presence(of: position)?.lowerBound ?? .zero)
    }

    /// The global number of a device.
    func number(ofIndex index: Int, slot: Int) -> UInt32 {
        firstDevice + UInt32(numbersBySlot ? slot : index)
    }

    /// How far a device's local time is ahead of UTC at an instant: that of the zone in which its user lives.
    ///
    /// - Parameter instant: By the device's clock, which changes with the zone when it shows the moment of the change.
    /// - Complexity: O(log n) in the numbers of zones and of their changes.
    package func utcOffset(index: Int, at instant: Instant) -> Interval {
        guard zones.differ else { return utcOffset }
        return utcOffsets(index: index).offset(at: instant).offset
    }

    /// The time zone of a device; only where zones differ is it that of ``utcOffset(index:at:)``.
    package func utcOffsets(index: Int) -> UTCOffsets { zones.table(stream(.zone, index: index)) }

    /// What a device's clock shows.
    package func clock(index: Int) -> LocalClock {
        LocalClock(
            zone: zones.differ ? utcOffsets(index: index) : UTCOffsets(first: utcOffset),
            skew: clockSkew(index: index))
    }

    /// What is decided about the users from outside.
    package var calendar: UserCalendar {
        let streams = streams
        var calendar = UserCalendar(
            start: start, deviceCount: deviceCount, arrival: arrival,
            startsInSteadyState: startsInSteadyState,
            activity: activity.flatMap { ActivityClock(rate: $0, start: start, length: usersEnd - start) },
            week: week, zones: zones, pushes: pushes, streams: { streams.stream($0, index: $1) })
        calendar.retention = persona.retention
        calendar.reinstall = persona.reinstall
        calendar.installedOver = persona.installedOver.fractionalSeconds
        if !patterns.isEmpty { calendar.patterns = patterns }
        return calendar
    }

    /// The devices' streams apart from the plan, for whoever asks for many.
    package var streams: PopulationStreams {
        PopulationStreams(seed: seed, population: key, users: usersKey ?? key)
    }

    /// The first target: what the SDK's own server URL says, for all devices alike.
    package var target: Target {
        get { targets[0] }
        set { targets[0] = newValue }
    }

    /// The target of a device, by its global number: all in turn.
    package func target(ofDevice number: UInt32) -> Target { targets[targetIndex(ofDevice: number)] }

    /// The index in ``targets`` of a device's target.
    package func targetIndex(ofDevice number: UInt32) -> Int { Int(number) % targets.count }

    /// Whether the requests of a device are streams of one connection, as many as there are: no number of connections
    /// holds any of them back. Where the server is left to pick, the plan cannot know it.
    package var multiplexes: Bool { target.http == .two && target.connections != .perRequest }

    /// Connections that a device may have open at once in a live run.
    package var connectionsPerDevice: Int {
        // All requests of a device are streams of one.
        target.connections == .perDevice && target.http == .two ? 1 : system.connectionsPerDevice
    }

    /// Of the connections that its devices would keep open together, each its own, those that there are.
    ///
    /// - Parameter parts: Of the run, each of which has its share of a pool.
    package func connections(_ own: Int, parts: Int = 1) -> Int {
        guard case .pooled(let size) = target.connections else { return own }
        return min(own, max(1, size / parts))
    }
}

/// What a program puts in the place of a system's own parts by code, beside what its scenario says. Each
/// system has a type of its own, if it can be extended at all, and looks for that.
package protocol SystemPlugins: Sendable {}

/// What ``PopulationPlan/stream(_:index:)`` needs of a plan: the seed, and the names' hashes.
package struct PopulationStreams: Sendable {
    package let seed: UInt64
    package let population: UInt64
    /// Of the population whose users these are; the population itself, unless it has another's.
    package let users: UInt64

    /// The stream of one purpose of the device with the given index in the population: its users' stream, but for
    /// identifiers, which are a population's own.
    package func stream(_ purpose: RandomStream.Purpose, index: Int) -> RandomStream {
        RandomStream(
            seed: seed, population: purpose.isOfIdentifiers ? population : users, index: UInt64(index),
            purpose: purpose)
    }
}

extension RandomStream.Purpose {
    /// Whether its draws make ids, and decide nothing else.
    fileprivate var isOfIdentifiers: Bool {
        switch self {
        case .identity, .trackIdentifiers: true
        default: false
        }
    }
}

extension [PopulationPlan] {
    /// The population of a device, by its number in the run.
    package func plan(ofDevice number: UInt32) -> PopulationPlan {
        var index = count - 1
        while index > 0, self[index].firstDevice > number { index -= 1 }
        return self[index]
    }
}

/// Which of a population's devices a fleet holds: those whose index is `index` modulo `count`.
package struct ShardShare: Hashable, Sendable {
    package var index: Int
    package var count: Int

    package init(index: Int, count: Int) {
        precondition(count > 0 && (0..<count).contains(index))
        self.index = index
        self.count = count
    }

    /// All devices in one fleet.
    package static let whole = ShardShare(index: 0, count: 1)

    /// A part of the share: of its devices in order, every `count`-th from the `index`-th on.
    package func part(_ index: Int, of count: Int) -> ShardShare {
        ShardShare(index: self.index + self.count * index, count: self.count * count)
    }

    /// How many of `total` devices belong to the share.
    package func deviceCount(of total: Int) -> Int { max(0, (total - index + count - 1) / count) }
    /// The population index of the device in a slot.
    package func populationIndex(ofSlot slot: Int) -> Int { slot * count + index }
}
