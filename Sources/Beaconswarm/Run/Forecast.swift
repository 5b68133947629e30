import Accounting
import AppModel
import DeviceSDK
import LiveEngine
import Measurement
import Rendering
import Reporting
import Scenario
import Timebase
import VirtualEngine

/// The load that a scenario offers, found by playing a sample of its devices in virtual time against
/// a collector without faults. Its cost is bounded, however large the scenario is.
struct Forecast {
    /// Per second, over the time in which users act.
    var eventsMean = 0.0
    /// Within which the mean will be.
    var eventsRange = 0.0...0.0
    /// Of one second; in runs of more than ten hours, of an interval of the series.
    var eventsPeak = 0.0
    var requestsMean = 0.0
    /// Of one second, fetches of configurations included.
    var requestsPeak = 0.0
    /// Bodies with their heads.
    var bytesMean = 0.0
    /// Of each population: devices that have connections at the same time, at most, and these, as long as answers take
    /// no longer than ``ConnectionCourse/answerTime``.
    private(set) var inUse: [ConnectionsInUse] = []
    /// Connections of all populations.
    private(set) var sockets = 0

    /// Events that devices bring along from before the run; they leave besides.
    var prefilled: UInt64 = 0
    var devices = 0

    /// The part of the run that it is about; `nil` for all of it.
    private(set) var part: PartNumber?
    /// What it is of, for people.
    var subject: String { part.map { "part \($0.text) of the scenario" } ?? "the scenario" }

    /// Seconds of the run in a real second: all rates are by real seconds.
    private(set) var pace = 1
    /// Of the generator without connections, in bytes: what grows with the number of devices.
    private var growingMemory = 0.0
    private var openRequestMemory = 0.0

    /// Plays a sample of a scenario.
    ///
    /// - Parameters:
    ///   - pace: How many times as fast as virtual time a live run is to go.
    ///   - sizes: Those of the run's uploads, where it does not write them: the sample does not either.
    ///   - controlsCollector: Whether the run's collector does what the timeline says of it.
    init(_ document: ScenarioDocument, pace: Int = 1, sizes: BodySizes? = nil, controlsCollector: Bool = true)
    {
        self.pace = pace
        let plans = document.plans(start: document.simulatedStart, controlsCollector: controlsCollector)
        let seconds = max(document.duration.fractionalSeconds, 1e-9)
        var offer = Offer(pace: pace)
        for plan in plans.populations {
            add(
                plan, of: plans, seconds: seconds, sizes: sizes?.model(of: plan.index), to: &offer)
            prefilled += UInt64(plan.prefill) * UInt64(plan.deviceCount)
            devices += plan.deviceCount
        }
        let scale = Double(pace) / seconds
        eventsRange = offer.low * scale...offer.high * scale
        eventsPeak = max(offer.events.peak * Double(pace), eventsRange.upperBound)
        eventsMean *= Double(pace)
        // What leaves in the drain is divided by the users' time as well: in a short run, that is no second's rate.
        requestsMean = min(requestsMean, offer.requests.most) * Double(pace)
        requestsPeak = max(offer.requests.peak * Double(pace), requestsMean)
        bytesMean *= Double(pace)
        growingMemory += Double(prefilled) * DeviceMemory.prefilledEvent
    }

    /// What comes together over the populations.
    private struct Offer {
        var low = 0.0
        var high = 0.0
        var events: LoadCourse
        var requests: LoadCourse

        init(pace: Int) { (events, requests) = (LoadCourse(pace: pace), LoadCourse(pace: pace)) }

        mutating func add(_ offered: OfferedEvents, _ sample: PopulationSample) {
            low += offered.range.lowerBound
            high += offered.range.upperBound
            events.add(sample.recorder.series, scale: sample.scale)
            requests.add(sample.requests, scale: sample.scale)
        }
    }

    /// Plays a sample of a population: of people and of bots apart, for one of these may do as much as a hundred of those.
    private mutating func add(
        _ plan: PopulationPlan, of plans: ScenarioPlans, seconds: Double, sizes: BodySizeModel?,
        to offer: inout Offer
    ) {
        let users = plan.forecastUsers
        let kinds = plan.kindsOfUsers
        let parts = max(1, plans.populations.count) * kinds.count
        var active = ConnectionsInUse(devices: 0, connections: 0)
        let blocked = BlockedUploads(plans, of: plan)
        for kind in kinds {
            let sample = PopulationSample(
                kind.plan, kind.plan.forecastUsers, schedule: plans.schedule,
                stepLimit: PopulationSample.stepBudget / parts, share: kind.share, pace: pace,
                sizes: sizes)
            let record = sample.recorder.populations[0]
            let outline = UserOutline(
                of: users, among: kind.members, budget: Forecast.outlineBudget / parts)
            let offered = OfferedEvents(
                parts: sample.parts, outline: outline, isSteady: kind.plan.persona.steadyRate != nil,
                tempo: kind.plan.persona.tempo, holdsSample: kind.members == nil)
            offer.add(offered, sample)
            eventsMean += offered.estimate / seconds
            let told = Double(record.ledger.captured)
            let perEvent = told > 0 ? offered.estimate / told : 0
            requestsMean += Double(record.requests) * perEvent / seconds
            bytesMean += record.sentBytes * perEvent / seconds
            let most = sample.connections.most(
                ofDevices: kind.members?.count ?? plan.deviceCount, scale: sample.scale)
            active.devices += most.devices
            active.connections += most.connections
            let memory = PopulationMemory(
                of: plan, sample, share: kind.share, events: offered.estimate,
                meanActive: outline.total(perSession: 0, perSecond: 1).value / seconds, blocked: blocked)
            growingMemory += memory.devices
            openRequestMemory += memory.openRequests
        }
        inUse.append(active)
        sockets += plan.connections(active.connections)
    }

    /// Steps of users in a look at all of them.
    private static let outlineBudget = 4_000_000

    /// The memory of the process that plays the devices, in bytes.
    ///
    /// - Parameter connections: The most that may be open at once; `nil` in virtual time, where none is.
    func memory(connections: Int?) -> Double {
        guard let connections else { return DeviceMemory.process + growingMemory + openRequestMemory }
        return DeviceMemory.liveProcess + growingMemory
            + Double(min(sockets, connections)) * DeviceMemory.connection
    }

    /// What a part of the run offers and takes: its share, whichever it is.
    func share(of part: PartNumber?) -> Forecast {
        guard let part else { return self }
        let count = part.count
        var share = self
        share.part = part
        for rate in [\Forecast.eventsMean, \.eventsPeak, \.requestsMean, \.requestsPeak, \.bytesMean] {
            share[keyPath: rate] /= Double(count)
        }
        share.eventsRange = eventsRange.lowerBound / Double(count)...eventsRange.upperBound / Double(count)
        share.prefilled = (prefilled + UInt64(count) - 1) / UInt64(count)
        share.growingMemory /= Double(count)
        share.openRequestMemory /= Double(count)
        share.sockets = (sockets + count - 1) / count
        share.inUse = inUse.map {
            ConnectionsInUse(
                devices: ($0.devices + count - 1) / count, connections: ($0.connections + count - 1) / count)
        }
        share.devices = (devices + count - 1) / count
        return share
    }

    /// How many devices would fit into so many bytes, if all populations shrank alike.
    func devicesFitting(_ bytes: Double, connections: Int?) -> Int {
        let process = connections == nil ? DeviceMemory.process : DeviceMemory.liveProcess
        let room = max(0, bytes - process)
        let count = Double(max(1, devices))
        guard let connections else {
            return Int(room / max(1, (growingMemory + openRequestMemory) / count))
        }
        let all = Double(sockets) * DeviceMemory.connection
        let fitting = room / max(1, (growingMemory + all) / count)
        guard Double(sockets) * fitting / count > Double(connections) else { return Int(fitting) }
        return Int(
            max(0, room - Double(connections) * DeviceMemory.connection) / max(1, growingMemory / count))
    }

    /// One line for people.
    ///
    /// - Parameter mode: What is going to happen; `nil` where that is open.
    func text(for mode: Report.Mode? = nil) -> String {
        let head = pace > 1 ? "at pace \(pace), by seconds of the wall clock, " : ""
        let noun = sockets == 1 ? "socket" : "sockets"
        let live = "up to \(sockets) \(noun), about \(Forecast.size(memory(connections: .max))) of memory"
        let simulated = "about \(Forecast.size(memory(connections: nil))) of memory"
        let needs =
            switch mode {
            case .live: live
            case .virtual: simulated
            case nil: "live \(live), simulated \(simulated)"
            }
        return head
            + "offers \(Forecast.text(eventsRange)) events/s on average (peak \(Forecast.figure(eventsPeak))), "
            + "\(Forecast.figure(requestsMean)) requests/s (peak \(Forecast.figure(requestsPeak))), \(Forecast.figure(bytesMean / 1000)) kB/s, \(needs)"
            + (prefilled > 0 ? "; besides, \(Numbers.count(prefilled, of: "event")) from before the run" : "")
    }

    static func figure(_ value: Double) -> String {
        // What is not nothing is not told as nothing.
        if value > 0, value < 0.1 { return Numbers.short(value) }
        return value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
    }

    /// A range for people, that what is in it is also in what they read.
    static func text(_ range: ClosedRange<Double>) -> String {
        let step = range.upperBound >= 1000 ? 1.0 : range.upperBound >= 10 ? 0.1 : 0.001
        let low = (range.lowerBound / step).rounded(.down) * step
        let high = (range.upperBound / step).rounded(.up) * step
        func figure(_ value: Double) -> String {
            step == 1 ? "\(Int(value))" : "\((value / step).rounded() / (1 / step).rounded())"
        }
        return "\(figure(low)) to \(figure(high))"
    }

    /// Bytes for people.
    static func size(_ bytes: Double) -> String {
        bytes >= 1e10 ? "\(figure(bytes / 1e9)) GB" : "\(figure(bytes / 1e6)) MB"
    }
}

extension PopulationPlan {
    /// A kind of users, as if all devices had it, and those that do.
    fileprivate struct KindOfUsers {
        var plan: PopulationPlan
        /// By their indices; `nil` for all.
        var members: [Int]?
        /// Of the devices.
        var share = 1.0
    }

    /// People, and each group of bots among them. O(devices) where there are bots.
    fileprivate var kindsOfUsers: [KindOfUsers] {
        guard !patterns.bots.isEmpty else { return [KindOfUsers(plan: self)] }
        let calendar = calendar
        var members = [[Int]](repeating: [], count: patterns.bots.count + 1)
        for index in 0..<deviceCount {
            members[calendar.groupOfBots(index).map { $0 + 1 } ?? 0].append(index)
        }
        var people = self
        people.patterns.bots = []
        let plans =
            [people]
            + patterns.bots.map { group in
                var bots = people
                bots.persona = group.persona
                bots.week = group.persona.hours.flatMap { $0.isFlat ? nil : $0 }
                return bots
            }
        return zip(plans, members).filter { !$1.isEmpty }.map { plan, members in
            KindOfUsers(
                plan: plan, members: members, share: Double(members.count) / Double(max(1, deviceCount)))
        }
    }

    /// Events that each device brings along.
    fileprivate var prefill: Int { system.prefill }
}

extension PopulationRecord {
    fileprivate var sentBytes: Double {
        switch metrics(seconds: 1).first(where: { $0.name == "data_sent" })?.value {
        case .counter(let count, _): count
        default: 0
        }
    }
}
