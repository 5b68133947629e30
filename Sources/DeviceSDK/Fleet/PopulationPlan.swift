package import AppModel
package import Timebase
package import World

/// Everything that defines a population: read from the scenario once, shared by all its devices,
/// never changed during a run.
package struct PopulationPlan: Sendable {
    /// Index in the scenario's order.
    package var index = 0
    package var name: String
    /// Devices after scaling.
    package var deviceCount: Int
    /// The global number of the population's first device.
    package var firstDevice: UInt32 = 0
    /// The run's seed.
    package var seed: UInt64 = 0
    /// The beginning of the run, and the time from which users do nothing any more.
    package var start: Instant
    package var usersEnd: Instant
    package var app: AppDescription
    package var persona: PersonaDescription
    package var network = NetworkRules.ideal
    package var arrival = ArrivalSchedule()
    /// How far the devices' local time is ahead of UTC.
    package var utcOffset = Interval.hours(8)
    package var target: Target
    /// Whether events carry `bs_id`.
    package var tagsEvents = true
    package var system: SystemRules

    package init(
        name: String, deviceCount: Int, start: Instant, usersEnd: Instant, app: AppDescription,
        persona: PersonaDescription, target: Target, system: SystemRules
    ) {
        self.name = name
        self.deviceCount = deviceCount
        self.start = start
        self.usersEnd = usersEnd
        self.app = app
        self.persona = persona
        self.target = target
        self.system = system
    }

    /// The stream of one purpose of the device with the given index in this population.
    package func stream(_ purpose: RandomStream.Purpose, index: Int) -> RandomStream {
        streams.stream(purpose, index: index)
    }

    /// The devices' streams apart from the plan, for whoever asks for many.
    var streams: PopulationStreams {
        PopulationStreams(seed: seed, population: RandomStream.hash(of: name))
    }

    /// Where the SDK was told to send to, taken apart.
    package struct Target: Hashable, Sendable {
        /// `http` or `https`.
        package var scheme: String
        /// Host as written in the URL (IPv6 without brackets).
        package var host: String
        package var port: Int
        /// Path with its query, beginning with `/`; what the SDK's own server URL says.
        package var pathAndQuery: String
        /// Headers that the scenario adds to each request.
        package var headers: [Header] = []

        package init(scheme: String, host: String, port: Int, pathAndQuery: String) {
            self.scheme = scheme
            self.host = host
            self.port = port
            self.pathAndQuery = pathAndQuery
        }

        package struct Header: Hashable, Sendable {
            package var name: String
            package var value: String
            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }
    }
}

/// What ``PopulationPlan/stream(_:index:)`` needs of a plan: the seed, and the name's hash.
struct PopulationStreams: Sendable {
    let seed: UInt64
    let population: UInt64

    /// The stream of one purpose of the device with the given index in the population.
    func stream(_ purpose: RandomStream.Purpose, index: Int) -> RandomStream {
        RandomStream(seed: seed, population: population, index: UInt64(index), purpose: purpose)
    }
}

/// The rules of the population's system. A closed set: each case is a system of its own.
package enum SystemRules: Hashable, Sendable {
    case sensors(SensorsRules)
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

    /// How many of `total` devices belong to the share.
    package func deviceCount(of total: Int) -> Int { max(0, (total - index + count - 1) / count) }
    /// The population index of the device in a slot.
    package func populationIndex(ofSlot slot: Int) -> Int { slot * count + index }
}
