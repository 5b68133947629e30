import AppModel
package import CollectorModel
package import DeviceSDK
package import Timebase
import Wire
package import World

/// What the engines and the collector need of a scenario, at absolute times.
package struct ScenarioPlans: Sendable {
    package var populations: [PopulationPlan]
    package var schedule: RunSchedule
    package var collector: CollectorPlan
    /// The modelled server of a simulation.
    package var server = ServerRules()
    /// The timeline for charts, by time.
    package var marks: [ScenarioMark]

    /// Whether devices meet in a queue: how long one waits depends on the others.
    package var hasSharedQueue: Bool {
        server.work != nil || collector.faults.contains(where: \.fault.isQueue)
    }
}

/// A stretch of the run with a name.
package struct ScenarioMark: Hashable, Sendable {
    package var from: Instant
    /// `nil` for the end of the run.
    package var until: Instant?
    package var text: String
    /// The entry's name, else its index in the timeline as written.
    package var name: String
}

extension ScenarioDocument {
    /// The default beginning of virtual runs: 2026-01-05T00:00:00Z.
    package static let virtualStart = Instant(milliseconds: 1_767_571_200_000)

    /// When its run begins in virtual time.
    package var simulatedStart: Instant { start ?? ScenarioDocument.virtualStart }

    /// The address to which clients of the embedded collector (or of a modelled one) send; its path is the
    /// Sensors clients'.
    package static func embeddedTarget(host: String = "127.0.0.1", port: Int = 8106) -> PopulationPlan.Target
    {
        PopulationPlan.Target(scheme: "http", host: host, port: port, pathAndQuery: "/sa?project=default")
    }

    /// Puts the scenario on the run's clock.
    ///
    /// - Parameters:
    ///   - start: The beginning of the run.
    ///   - embedded: The target of populations without one of their own.
    ///   - controlsCollector: Whether the collector can be made to follow the timeline. If not,
    ///     entries of ``collectorEntries`` are left out of the plan and of the marks.
    package func plans(
        start: Instant, embedded: PopulationPlan.Target = embeddedTarget(), controlsCollector: Bool = true
    ) -> ScenarioPlans {
        var schedule = RunSchedule(start: start, duration: duration, drain: drain)
        // However long the drain takes: its end belongs to what is measured.
        schedule.measured = measureFrom.map { start + $0..<Instant.distantFuture }
        var collector = CollectorPlan()
        collector.seed = seed
        collector.growingCiphers = growingCiphers
        let entries = timeline.filter { controlsCollector || !$0.needsOwnCollector }
            .enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        for entry in entries { entry.enter(&schedule, &collector) }
        let editions = RemoteConfigTimeline.editions(of: entries, start: start)
        collector.configs = editions.map(\.config)
        let marks = entries.map { entry in
            ScenarioMark(
                from: start + entry.at, until: entry.until.map { start + $0 }, text: entry.text,
                name: entry.reportName)
        }
        schedule.entries = entries.prefix(CloseUpRange.limit).map { entry in
            start + entry.at..<(entry.until.map { start + $0 } ?? .distantFuture)
        }
        schedule.closeUps = entries.prefix(CloseUpRange.limit).map { CloseUpRange.around($0, schedule) }
        let populations = populationPlans(schedule, embedded, editions)
        collector.descriptions = uploadDescriptions
        collector.ownDescriptions = ownDescriptions.map { own in
            own.flatMap { collector.descriptions.firstIndex(of: $0) }
        }
        collector.learn(populations.flatMap(\.uploadPaths))
        var rules = ServerRules()
        rules.work = server
        return ScenarioPlans(
            populations: populations, schedule: schedule, collector: collector, server: rules, marks: marks)
    }

    /// What the tag `{entry:NAME}` of a figure may say, as reports show it: the names, else the indices, of the entries
    /// that come first.
    package var entryNames: [String] {
        timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .prefix(CloseUpRange.limit).map { redact($0.element.reportName) }
    }

    private func populationPlans(
        _ schedule: RunSchedule, _ embedded: PopulationPlan.Target,
        _ editions: [RemoteConfigTimeline.Edition]
    ) -> [PopulationPlan] {
        var firstDevice: UInt32 = 0
        return populations.enumerated().map { index, population in
            let own = population.embedded(at: embedded)
            var plan = PopulationPlan(
                name: population.name, deviceCount: population.devices, start: schedule.start,
                usersEnd: schedule.usersEnd, app: population.app, persona: population.persona,
                target: own, system: population.system)
            if !population.targets.isEmpty { plan.targets = population.targets }
            plan.index = index
            plan.firstDevice = firstDevice
            plan.seed = seed
            plan.users = population.users
            plan.network = population.network
            plan.arrival = population.arrival
            plan.startsInSteadyState = population.startsInSteadyState
            plan.activity = population.activity
            plan.pushes = pushes(to: index, start: schedule.start)
            let toStart = schedule.start - ScenarioBinder.epoch
            plan.patterns = population.patterns.users.shifted(by: toStart)
            plan.trackingBugs = population.patterns.bugs.map { $0.shifted(by: toStart) }
            plan.disk = disk(of: index, start: schedule.start)
            plan.consents = consents(of: index, start: schedule.start)
            plan.utcOffset = population.zones.usualOffset(at: schedule.start)
            plan.week = population.week
            plan.zones = population.zones
            plan.tagsEvents = population.tagsEvents
            plan.plugins = population.plugins
            plan.clock = population.clock
            plan.rollOuts = population.rollOuts.map { $0.plan(start: schedule.start) }
            plan.servedEditions = RemoteConfigTimeline.served(
                editions, to: population.system, key: (population.target ?? own).apiKey)
            firstDevice += UInt32(population.devices)
            return plan
        }
    }
}

extension ScenarioPopulation {
    /// Its paths and keys at a collector in the process.
    fileprivate func embedded(at collector: PopulationPlan.Target) -> PopulationPlan.Target {
        var own = embedded
        own.scheme = collector.scheme
        own.host = collector.host
        own.port = collector.port
        return own
    }
}

extension PopulationPlan {
    /// The paths of the devices' uploads.
    var uploadPaths: [UploadPath] {
        guard let system = CollectorSystem(rawValue: system.systemName) else { return [] }
        let paths = targets.flatMap { self.system.uploadPaths(of: $0) }
        return paths.map { UploadPath(path: $0, system: system) }
    }
}

extension ScenarioDocument {
    /// What happens to the disks of a population's devices.
    private func disk(of population: Int, start: Instant) -> DiskSchedule {
        DiskSchedule(
            scheduled(for: population, start: start) { change in
                if case .disk(let failure, let share, let only) = change {
                    (failure, share, only)
                } else {
                    nil
                }
            })
    }

    /// What a population's users say to being tracked.
    private func consents(of population: Int, start: Instant) -> ConsentSchedule {
        ConsentSchedule(
            scheduled(for: population, start: start) { change in
                if case .consent(let isGiven, let share, let only) = change {
                    (isGiven, share, only)
                } else {
                    nil
                }
            })
    }

    /// The entries of the timeline that concern a population.
    ///
    /// - Parameter part: A change's value, the share of devices, and the only population, if it is of the kind that is
    ///   meant.
    private func scheduled<Value>(
        for population: Int, start: Instant,
        _ part: (TimelineEntry.Change) -> (value: Value, share: Double, only: Int?)?
    ) -> [ScheduledEntry<Value>] {
        timeline.enumerated().compactMap { number, entry in
            guard let part = part(entry.change), part.only ?? population == population else { return nil }
            return ScheduledEntry(
                from: start + entry.at, until: entry.until.map { start + $0 } ?? .distantFuture, part.value,
                share: part.share, number: number)
        }
    }

    /// The notifications that a population gets.
    private func pushes(to population: Int, start: Instant) -> [PushNotification] {
        timeline.compactMap { entry in
            guard case .push(let share, let within, let only) = entry.change, only ?? population == population
            else { return nil }
            return PushNotification(at: start + entry.at, share: share, within: within)
        }
    }
}

/// What is recorded closely around an entry of the timeline.
package enum CloseUpRange {
    /// The most entries that are looked at closely: each costs memory.
    package static let limit = 12

    /// From half of the entry's length before it to its length after it, for what comes of it shows later;
    /// at least a minute before and two after, in long runs a 200th of the run. In whole seconds.
    static func around(_ entry: TimelineEntry, _ schedule: RunSchedule) -> Range<Instant> {
        let second: Int64 = 1_000_000_000
        let length = (entry.until ?? entry.at) - entry.at
        let least = max(.minutes(1), schedule.duration / 200)
        let from = max(.zero, entry.at - max(length / 2, least)).nanoseconds / second
        let end = min(
            schedule.duration + schedule.drain, (entry.until ?? entry.at) + max(length, least * 2))
        let until = max(from + 1, (end.nanoseconds + second - 1) / second)
        return schedule.start + .seconds(from)..<schedule.start + .seconds(until)
    }
}

extension TimelineEntry {
    /// Puts what the entry does to the collector, to requests or to networks on the clock of a run.
    fileprivate func enter(_ schedule: inout RunSchedule, _ collector: inout CollectorPlan) {
        let from = schedule.start + at
        let until = until.map { schedule.start + $0 } ?? .distantFuture
        switch change {
        case .collector(let fault, let share, let device, let upload):
            var window = FaultWindow(from: from, until: until, fault: fault, share: share)
            window.device = device
            window.uploadNumber = upload
            collector.faults.append(window)
        case .client(let fault, let scope):
            schedule.clientFaults.windows.append(
                ClientFaultWindow(from: from, until: until, fault: fault, scope: scope))
        case .network(let kind, let share, let population, let region):
            var change = RunSchedule.DeviceEntry(
                from: from, until: until, network: kind, share: share, population: population)
            change.region = region.map { RandomStream.hash(of: $0) }
            schedule.deviceEntries.append(change)
        // Users' own affairs are in the populations' plans.
        case .remoteConfig, .push, .disk, .consent, .rollOut: break
        }
    }
}
