import Accounting
import Snapshots
import Testing
import Timebase
import World

@testable import Measurement

/// What parts of a run recorded, joined, is what one recorder records of all of it.
@Suite("Recorders of parts")
struct PartTests {
    private static let start = Instant(nanoseconds: 1_700_000_000_000_000_000)
    private static let populations = 2

    private static func recorder() -> RunRecorder {
        RunRecorder(
            start: start, populationCount: populations,
            measured: start + .seconds(20)..<start + .seconds(900),
            closeUps: [start + .seconds(30)..<start + .seconds(200)],
            entries: [start + .seconds(40)..<start + .seconds(90)])
    }

    /// Records a random course in a whole run's recorder and, each event in one of them, in those of parts.
    private struct Course {
        var whole = PartTests.recorder()
        var parts: [RunRecorder]
        var logs: [LevelLog]
        private var stream: RandomStream
        private var levels: [[FleetLevels]]
        private var sequence: UInt32 = 0

        init(seed: UInt64, parts count: Int) {
            stream = RandomStream(key: seed)
            parts = Array(repeating: PartTests.recorder(), count: count)
            logs = Array(repeating: LevelLog(populationCount: PartTests.populations), count: count)
            levels = Array(
                repeating: Array(repeating: FleetLevels(), count: PartTests.populations), count: count)
        }

        mutating func play(seconds: Int) {
            for second in 1...seconds {
                let end = PartTests.start + .seconds(Int64(second)) - Interval(nanoseconds: 1)
                for _ in 0..<Int(stream.below(3)) { record(before: end) }
                for part in parts.indices { look(at: end, part) }
                for population in 0..<PartTests.populations {
                    let sum = levels.dropFirst().reduce(levels[0][population]) { $0 + $1[population] }
                    whole.note(sum, population: population, at: end)
                }
            }
        }

        private mutating func record(before end: Instant) {
            let part = Int(stream.below(UInt64(parts.count)))
            let population = Int(stream.below(UInt64(PartTests.populations)))
            let at = end - .milliseconds(Int64(stream.below(900)))
            let isLost = stream.below(3) == 0
            let event = SealedEvent(
                id: EventID(device: UInt32(part), sequence: sequence), label: UInt16(stream.below(4)),
                attempts: UInt16(stream.below(4)), disposition: isLost ? .lost(.killed) : .delivered,
                capturedAt: at - .milliseconds(Int64(stream.below(90_000))),
                ackedAt: isLost ? .distantFuture : at)
            sequence += 1
            var sample = RequestSample(plannedAt: at - .milliseconds(70), finishedAt: at)
            sample.status = stream.below(4) == 0 ? 503 : 200
            sample.isAcknowledged = sample.status == 200
            sample.eventCount = UInt32(stream.below(50))
            sample.bytesSent = stream.below(5000)
            sample.waiting = .milliseconds(Int64(stream.below(60)))
            for index in [0, 1] {
                let events: ContiguousArray = [event]
                if index == 0 {
                    whole.note(events, population: population)
                    whole.note(sample, population: population)
                } else {
                    parts[part].note(events, population: population)
                    parts[part].note(sample, population: population)
                }
            }
        }

        private mutating func look(at instant: Instant, _ part: Int) {
            for population in levels[part].indices {
                levels[part][population].gauges.storedRows = stream.below(100)
                levels[part][population].gauges.devicesActive = stream.below(10)
                levels[part][population].captured += stream.below(3)
                let awake = levels[part][population].radioTime ?? .zero
                levels[part][population].radioTime =
                    awake + TotalTime(.milliseconds(Int64(stream.below(500))))
                levels[part][population].radioWakeups = stream.below(9)
                var gauges = levels[part][population].gauges
                gauges.devicesUpdatable += stream.below(2)
                gauges.devicesUpdated = stream.below(gauges.devicesUpdatable + 1)
                levels[part][population].gauges = gauges
                parts[part].note(levels[part][population], population: population, at: instant)
            }
            logs[part].append(FleetLook(at: instant, levels: levels[part], isDrained: false))
        }
    }

    private static func bytes(_ recorder: RunRecorder) -> [UInt8] {
        var writer = SnapshotWriter()
        writer.write(recorder)
        return writer.bytes
    }

    @Test("add up to the whole, through bytes, in any order", arguments: [40, 1300])
    func sum(seconds: Int) throws {
        let seed = UInt64.random(in: 0...(.max))
        var course = Course(seed: seed, parts: 3)
        course.play(seconds: seconds)
        for order in [[0, 1, 2], [2, 0, 1]] {
            var read: [RunRecorder] = []
            for part in order {
                var reader = SnapshotReader(PartTests.bytes(course.parts[part])[...])
                read.append(try reader.value())
                #expect(reader.isAtEnd)
            }
            var joined = read[0]
            for other in read.dropFirst() { joined.merge(other) }
            joined.takeLevels(of: try PartTests.levels(of: course.logs))
            // Not the bytes themselves: nobody reads them.
            let isSame = PartTests.bytes(joined) == PartTests.bytes(course.whole)
            #expect(isSame, "seed \(seed), \(seconds) s, \(order)")
        }
    }

    @Test("fit where they measure the same stretches of a run")
    func fit() {
        let mine = PartTests.recorder()
        #expect(mine.fits(PartTests.recorder()))
        let range = PartTests.start + .seconds(20)..<PartTests.start + .seconds(900)
        let count = PartTests.populations
        let others = [
            RunRecorder(start: PartTests.start, populationCount: count),
            RunRecorder(start: PartTests.start, populationCount: count, measured: range),
            RunRecorder(start: PartTests.start, populationCount: count, closeUps: [range]),
            RunRecorder(start: PartTests.start, populationCount: count, entries: [range]),
            RunRecorder(start: PartTests.start, populationCount: count + 1),
            RunRecorder(start: range.lowerBound, populationCount: count),
        ]
        for (index, other) in others.enumerated() {
            #expect(!mine.fits(other), "\(index)")
            #expect(index == 0 || !others[0].fits(other), "\(index)")
        }
    }

    private static func read(_ recorder: RunRecorder) throws -> RunRecorder {
        var reader = SnapshotReader(bytes(recorder)[...])
        return try reader.value()
    }

    private static func reached(_ record: PopulationRecord?) -> [UInt64]? {
        let metric = record?.metrics(seconds: 1).first { $0.name == "rollout_reached" }
        guard case .rate(let passes, let fails) = metric?.value else { return nil }
        return [passes, fails]
    }

    @Test("of a live run, whose levels nobody looks up, add up what a roll-out has reached")
    func rollOuts() throws {
        let seed = UInt64.random(in: 0...(.max))
        var course = Course(seed: seed, parts: 3)
        course.play(seconds: 60)
        let whole = course.whole
        var joined = try PartTests.read(course.parts[0])
        for part in course.parts.dropFirst() { joined.merge(try PartTests.read(part)) }
        for population in 0..<PartTests.populations {
            let expected = PartTests.reached(whole.populations[population])
            #expect(expected != nil, "seed \(seed)")
            #expect(PartTests.reached(joined.populations[population]) == expected, "seed \(seed)")
            let ofWindow = PartTests.reached(whole.window?.populations[population])
            #expect(ofWindow != nil, "seed \(seed)")
            #expect(PartTests.reached(joined.window?.populations[population]) == ofWindow, "seed \(seed)")
        }
        let series = whole.series.buckets.map(\.gauges.devicesUpdated)
        #expect(joined.series.buckets.map(\.gauges.devicesUpdated) == series, "seed \(seed)")
    }

    /// A recorder that noted nothing but the sums of the looks.
    private static func levels(of logs: [LevelLog]) throws -> RunRecorder {
        var recorder = recorder()
        var looks = logs.map(\.looks)
        while let first = try looks[0].next() {
            var sum = first
            for part in looks.indices.dropFirst() { sum = sum + (try #require(try looks[part].next())) }
            for (population, levels) in sum.levels.enumerated() {
                recorder.note(levels, population: population, at: sum.at)
            }
        }
        return recorder
    }

    @Test("a log of looks tells each of them again")
    func log() throws {
        var log = LevelLog(populationCount: 1)
        var looks: [FleetLook] = []
        for second in 0..<50 {
            var levels = FleetLevels()
            levels.gauges.storedRows = UInt64(second * 7 % 11)
            levels.captured = UInt64(second)
            // More than 64 bits have, and back again.
            var awake = TotalTime.zero
            for _ in 0..<second % 5 { awake += Interval(nanoseconds: .max) }
            if second > 20 { (levels.radioTime, levels.radioWakeups) = (awake, 3) }
            looks.append(
                FleetLook(
                    at: PartTests.start + .seconds(Int64(second)), levels: [levels], isDrained: second > 40))
            log.append(looks[second])
        }
        var writer = SnapshotWriter()
        writer.write(log)
        var reader = SnapshotReader(writer.bytes[...])
        let again: LevelLog = try reader.value()
        var told = again.looks
        for look in looks { #expect(try told.next() == look) }
        #expect(try told.next() == nil)
    }
}
