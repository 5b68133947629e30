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
    /// Of those, what was played again, and which parts these are.
    private(set) var temporary: [PartFolder] = []
    private(set) var replayed: [PartNumber] = []

    /// - Parameter playAgain: Plays a part again up to the end of the whole run's drain.
    /// - Throws: ``CommandFailure`` for parts that cannot be read or do not fit, and what `playAgain` throws.
    init(
        _ set: PartSet, plans: ScenarioPlans,
        playAgain: (PartSet.Member, Instant) throws(CommandFailure) -> PartFolder
    ) throws(CommandFailure) {
        var levels = try JoinedLevels(set, plans: plans)
        folders = set.members.map(\.folder)
        if let end = levels.drainEnd {
            for (index, member) in set.members.enumerated() {
                if let quiet = member.levels.quietSince, quiet < end { continue }
                folders[index] = try playAgain(member, end)
                temporary.append(folders[index])
                replayed.append(member.number)
            }
        }
        var sum = try Sum(folders)
        guard sum.recorder.fits(levels.recorder) else { throw PartSum.misfit(folders[0]) }
        if let end = levels.drainEnd { sum.simulated = end - sum.recorder.series.start }
        levels.close(with: sum.closing, at: sum.recorder.series.start + sum.simulated)
        sum.recorder.takeLevels(of: levels.recorder)
        progress = sum.progress(fingerprint: sum.recorder.eventFingerprint)
        progress.drainEndedAt = levels.drainEnd ?? levels.lastLook
        unexpectedAnswers = sum.firstAnswers
    }

    /// Joins the parts of a live run, which went on side by side as the threads of one process do.
    ///
    /// - Throws: ``CommandFailure`` for parts that cannot be read.
    init(live set: PartSet) throws(CommandFailure) {
        folders = set.members.map(\.folder)
        let sum = try Sum(folders)
        unexpectedAnswers = sum.firstAnswers
        let parts = set.members.compactMap { member in member.live.map { (member.number, $0) } }
        progress = sum.progress(fingerprint: parts.reduce(0) { $0 &+ $1.1.fingerprint })
        for (number, part) in parts { progress.generator.merge(part.generator, of: number) }
        progress.generator.scheduleLag = TrendSummary(sum.recorder.scheduleLag)
        progress.wall = set.wall
        progress.targetMetrics = parts.compactMap { number, part in
            var metrics = part.scraped
            metrics?.part = number.text
            return metrics
        }
        progress.interrupted = parts.contains { $0.1.isInterrupted }
        progress.endedBy = Report.EarlyEnd.heaviestFirst(parts.compactMap(\.1.endedBy)).first
        let stops = parts.map(\.1.usersStoppedAt)
        // Nobody stopped the users of a part that does not tell when.
        if !stops.contains(nil) { progress.usersStoppedAt = stops.compactMap { $0 }.max() }
        if let from = parts.map(\.1.wall.lowerBound).min(), let until = parts.map(\.1.wall.upperBound).max() {
            progress.wallTimes = from...until
        }
    }

    /// What adds up.
    private struct Sum {
        var recorder: RunRecorder
        var audit: Audit?
        var simulated: Interval
        var started: Int
        var closing: [FleetLook]
        var answers: [UnexpectedAnswer]
        /// Of simulations.
        var generator = Report.Generator()

        init(_ folders: [PartFolder]) throws(CommandFailure) {
            let first = try PartSum.state(in: folders[0])
            (recorder, audit, simulated) = (first.recorder, first.audit, first.simulated)
            (started, closing, answers) = (
                first.devicesStarted, [first.levels.closing], first.unexpectedAnswers
            )
            generator.add(first.ownFailures, of: first.number)
            for folder in folders.dropFirst() {
                let state = try PartSum.state(in: folder)
                guard recorder.fits(state.recorder) else { throw PartSum.misfit(folder) }
                recorder.merge(state.recorder)
                if let theirs = state.audit { audit?.merge(theirs) }
                answers += state.unexpectedAnswers
                simulated = max(simulated, state.simulated)
                closing.append(state.levels.closing)
                started += state.devicesStarted
                generator.add(state.ownFailures, of: state.number)
            }
        }

        func progress(fingerprint: UInt64) -> ReportBuilder.Progress {
            var progress = ReportBuilder.Progress(
                recorder: recorder, simulated: simulated, wall: .zero, devicesStarted: started,
                fingerprint: fingerprint)
            progress.audit = audit
            progress.generator = generator
            return progress
        }

        var firstAnswers: [UnexpectedAnswer] {
            Array(answers.sorted { ($0.at, $0.device) < ($1.at, $1.device) }.prefix(UnexpectedAnswer.limit))
        }
    }

    /// What is added up has to be of one run. Nothing that a part says of itself makes sure of it: it may be
    /// of a version that makes something else of the same scenario.
    fileprivate static func misfit(_ folder: PartFolder) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(folder.path): what the part measured is not of the scenario that it keeps, as this version "
                + "reads it; nothing was written")
    }

    /// What a part measured, its devices' beliefs included.
    private static func state(in folder: PartFolder) throws(CommandFailure) -> PartState {
        var state = try folder.read()
        state.recorder.beliefs = try beliefs(in: folder)
        return state
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
                if let look, look.levels.count != plans.populations.count {
                    throw PartSum.misfit(logs[index].folder)
                }
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
