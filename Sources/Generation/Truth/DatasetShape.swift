import AppModel
import DeviceSDK
package import Measurement
import Snapshots
import Timebase

/// How people's days, sessions and events came out, while the truth streams by.
package final class DatasetShape {
    /// What is counted of a population's people; those of a dataset's parts add up.
    package struct Population {
        package var hours = [Int](repeating: 0, count: 24)
        package var sessions = 0
        package var launches = 0
        package var events = 0
        /// Devices on which programs play, of which nothing else is counted.
        package var bots = 0
        package var lengths = LatencyHistogram()
        package var gaps = LatencyHistogram()
    }

    package let plans: DatasetPlans
    package private(set) var populations: [Population]
    /// The event before, where the next may belong to its session.
    private var last: (session: Int, at: Instant)?
    /// The present device's user is a program, of whom the persona says nothing.
    private var isBot = false

    package init(_ plans: DatasetPlans) {
        self.plans = plans
        populations = plans.populations.map { _ in Population() }
    }

    func begin(_ device: DeviceTruth) {
        last = nil
        isBot = device.plan.calendar.groupOfBots(device.index) != nil
    }

    func note(_ event: TruthEvent, at instant: Instant, in session: DeviceLife.Session?) {
        guard !isBot else { return }
        populations[event.population].events += 1
        if let last, let session, last.session == session.number {
            populations[event.population].gaps.record(instant - last.at)
        }
        last = session.map { ($0.number, instant) }
    }

    func endDevice(_ device: DeviceTruth) {
        let index = device.plan.index
        guard !isBot else {
            populations[index].bots += 1
            return
        }
        let zone = device.plan.calendar.zone(of: device.index)
        populations[index].sessions += device.life.sessions.count
        populations[index].launches += device.life.launches
        for session in device.life.sessions {
            let local = CivilTime(session.from, offset: zone.offset(at: session.from).offset)
            populations[index].hours[local.hour] += 1
            if let until = session.until { populations[index].lengths.record(until - session.from) }
        }
    }

    /// Adds what was counted of other devices, by population.
    ///
    /// - Precondition: of the same populations.
    package func merge(_ others: [Population]) {
        for (index, other) in others.enumerated() { populations[index].merge(other) }
    }
}

extension DatasetShape.Population {
    mutating func merge(_ other: DatasetShape.Population) {
        for hour in hours.indices { hours[hour] += other.hours[hour] }
        sessions += other.sessions
        launches += other.launches
        events += other.events
        bots += other.bots
        lengths.merge(other.lengths)
        gaps.merge(other.gaps)
    }
}

extension DatasetShape.Population: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(WholeNumbers(hours + [sessions, launches, events, bots]))
        writer.write(lengths)
        writer.write(gaps)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let numbers: WholeNumbers = try reader.value()
        let counts = try numbers.exactly(28, reader)
        hours = Array(counts[..<24])
        (sessions, launches, events, bots) = (counts[24], counts[25], counts[26], counts[27])
        lengths = try reader.value()
        gaps = try reader.value()
    }
}
