import DeviceSDK
import Accounting
import Measurement
import Reporting
import Scenario
import Snapshots
import Timebase
import VirtualEngine

/// The sum of the parts of a run.
struct PartSum {
    private(set) var progress: ReportBuilder.Progress
    /// The first of all parts.
    private(set) var unexpectedAnswers: [UnexpectedAnswer] = []
    /// Where each part's files are, in order.
    private(set) var folders: [PartFolder]
    /// Of those, what was played again.
    private(set) var temporary: [PartFolder] = []

    /// - Parameter playAgain: Plays a part again up to the end of the whole run's drain.
    /// - Throws: ``CommandFailure`` for parts that cannot be read or do not fit, and what `playAgain` throws.
    init(
        _ set: PartSet, plans: ScenarioPlans,
        playAgain: (PartSet.Member, Instant) throws(CommandFailure) -> PartFolder
    ) throws(CommandFailure) {
        var joined = try JoinedLevels(set, plans: plans)
        folders = set.members.map(\.folder)
        if let end = joined.drainEnd {
            for (index, member) in set.members.enumerated() {
                if let quiet = member.levels.quietSince, quiet < end { continue }
                folders[index] = try playAgain(member, end)
                temporary.append(folders[index])
            }
        }
        let first = try folders[0].read()
        var (recorder, audit, simulated) = (first.recorder, first.audit, first.simulated)
        (recorder.beliefs, unexpectedAnswers) = (try PartSum.beliefs(in: folders[0]), first.unexpectedAnswers)
        var closing = [first.levels.closing]
        var started = first.devicesStarted
        for folder in folders.dropFirst() {
            var state = try folder.read()
            state.recorder.beliefs = try PartSum.beliefs(in: folder)
            recorder.merge(state.recorder)
            audit.merge(state.audit)
            unexpectedAnswers += state.unexpectedAnswers
            simulated = max(simulated, state.simulated)
            closing.append(state.levels.closing)
            started += state.devicesStarted
        }
        if let end = joined.drainEnd { simulated = end - recorder.series.start }
        joined.close(with: closing, at: recorder.series.start + simulated)
        recorder.takeLevels(of: joined.recorder)
        progress = ReportBuilder.Progress(
            recorder: recorder, simulated: simulated, wall: .zero, devicesStarted: started,
            fingerprint: recorder.eventFingerprint)
        progress.audit = audit
        progress.drainEndedAt = joined.drainEnd ?? joined.lastLook
        unexpectedAnswers = Array(
            unexpectedAnswers.sorted { ($0.at, $0.device) < ($1.at, $1.device) }.prefix(
                UnexpectedAnswer.limit))
    }

    private static func beliefs(in folder: PartFolder) throws(CommandFailure) -> DeviceBeliefs {
        let path = folder.file(PartFolder.beliefsName)
        return try BeliefsFile.parse(OutputFile.read(path, failing: .usage), path: path).beliefs
    }
}

/// The levels of all parts, added up look by look, as the one recorder of a whole run notes them.
struct JoinedLevels {
    private(set) var recorder: RunRecorder
    /// The end of the drain, where it was over before its time.
    private(set) var drainEnd: Instant?
    /// When the last look was.
    private(set) var lastLook: Instant?
    private var last: FleetLook?

    init(_ set: PartSet, plans: ScenarioPlans) throws(CommandFailure) {
        let schedule = plans.schedule
        recorder = RunRecorder(
            start: schedule.start, populationCount: plans.populations.count, measured: schedule.measured,
            closeUps: schedule.closeUps, entries: schedule.entries)
        var logs = set.members.map { (folder: $0.folder, looks: $0.levels.log.looks) }
        while drainEnd == nil {
            var sum: FleetLook?
            for index in logs.indices {
                let look = try JoinedLevels.next(&logs[index].looks, of: logs[index].folder)
                guard index > 0 else {
                    sum = look
                    continue
                }
                guard look?.at == sum?.at else {
                    throw CommandFailure(
                        .usage,
                        "\(logs[index].folder.path) does not fit to \(logs[0].folder.path): they looked at other times"
                    )
                }
                if let look { sum = sum.map { $0 + look } }
            }
            guard let sum else { return }
            note(sum)
        }
    }

    private static func next(
        _ looks: inout LevelLog.Looks, of folder: PartFolder
    ) throws(CommandFailure) -> FleetLook? {
        do throws(SnapshotError) { return try looks.next() } catch {
            throw CommandFailure(.usage, "\(folder.file(PartFolder.stateName)): \(error)")
        }
    }

    private mutating func record(_ look: FleetLook) {
        for (population, levels) in look.levels.enumerated() {
            recorder.note(levels, population: population, at: look.at)
        }
    }

    private mutating func note(_ look: FleetLook) {
        record(look)
        last = look
        // A look is at the last moment before a tick.
        lastLook = look.at + Interval(nanoseconds: 1)
        if look.isDrained { drainEnd = lastLook }
    }

    /// Records the levels at the end, when the books are closed: that is no look at the drain.
    mutating func close(with looks: [FleetLook], at end: Instant) {
        guard var sum = looks.first else { return }
        for look in looks.dropFirst() { sum = sum + look }
        sum.at = max(recorder.series.start, end - Interval(nanoseconds: 1))
        if drainEnd != nil, let last {
            // Parts went on with their own drains: radios may have been awake for longer.
            for population in sum.levels.indices {
                sum.levels[population].radioTime = last.levels[population].radioTime
                sum.levels[population].radioWakeups = last.levels[population].radioWakeups
            }
        }
        record(sum)
    }
}
