import Files
import Accounting
import DeviceSDK
import Measurement
import Reporting
import Scenario
import Snapshots
import Timebase
import VirtualEngine
import Wire

/// Joins the parts of a run, exactly as if one process had played all devices.
///
/// What was counted adds up. Levels that all devices reach together (the rows in all stores, the apps in the foreground)
/// are added look by look. And the end of the drain, which hangs on all devices, is found among the parts' looks: the first
/// at which every part was drained. A part in which something happened after it is played again up to there.
struct MergeRunner {
    let options: MergeOptions
    let control: MergeControl

    func run() throws(CommandFailure) -> CommandStatus {
        let found = try PartFolder.found(in: options.folders)
        let several = found.filter(\.isOfSeveral)
        if let first = several.first {
            // By whatever it was played, it is nothing that the others lack.
            if let single = found.first(where: { $0.isWhole && !$0.isOfSeveral }) {
                throw CommandFailure(
                    .usage,
                    "\(single.path) is a part of a single run, and \(first.path) one of several simulations (--seeds, "
                        + "variants); nothing was written")
            }
            return try LabMerge(options: options, control: control).run(several)
        }
        let set = try PartSet(found)
        let scenario = try KeptScenario.read(
            set.scenarioPath, sha256: set.identity.scenarioSHA256,
            variables: set.identity.sum.variables, as: set.reference)
        let own = try ownOptions(set)
        try set.checkFiles(readsEvents: own.events != nil)
        let console = RunConsole(own)
        try control.begin(console)
        let plans = scenario.document.plans(start: set.identity.start)
        let output = try RunOutput(
            scenario: scenario, plans: plans, mode: set.isLive ? .live : .virtual, options: own,
            startedAt: set.identity.at)
        do throws(CommandFailure) {
            return try write(set, plans, scenario, to: output, console)
        } catch {
            // Nothing of it is whole, and the parts are as they were.
            output.discard()
            throw error
        }
    }

    private func write(
        _ set: PartSet, _ plans: ScenarioPlans, _ scenario: LoadedScenario, to output: RunOutput,
        _ console: RunConsole
    ) throws(CommandFailure) -> CommandStatus {
        let own = output.options
        var builder = output.builder(
            target: set.isLive ? set.target : Report.modelledTarget, bodies: own.bodies)
        builder.warnings = set.warnings
        builder.context.parts = set.reportedParts
        builder.context.missingParts = set.missingText(
            zip(builder.populations, plans.populations).map { ($0.name, $1.firstDevice, $1.deviceCount) })
        if set.isLive { builder.pace = scenario.document.pace }
        if !own.quiet { console.say(set.introduction) }
        let sum = try sum(set, plans, scenario, for: output)
        defer { for folder in sum.temporary { RunFolder(existing: folder.path).delete() } }
        if let events = output.events { try EventMerge(sum.folders).write(to: events, control) }
        try output.copies?.join(sum.folders, control)
        if !sum.temporary.isEmpty, let missing = KeptScenario.missing(in: scenario) {
            builder.warnings.append(MergeRunner.inexact(sum.replayed, missing: missing))
        }
        var progress = sum.progress
        let isExternal = set.isLive && progress.audit == nil
        progress.auditNote = Report.note(isExternal ? LiveRunner.joinedNote : nil, scenario.untaggedNote)
        progress.unexpectedAnswers = output.redacted(sum.unexpectedAnswers, of: builder.populations)
        try control.finish(console)
        return try output.finish(progress, builder: builder, console: console)
    }

    /// The options of a run that would write what is written here.
    private func ownOptions(_ set: PartSet) throws(CommandFailure) -> RunOptions {
        var own = RunOptions(source: ScenarioSource(path: set.scenarioPath))
        (own.out, own.events, own.json) = (options.out, options.events, options.json)
        (own.quiet, own.color) = (options.quiet, options.color)
        own.bodies = Bodies(rawValue: set.identity.bodies)
        if own.events != nil, let without = set.members.first(where: { !$0.hasEvents }) {
            throw CommandFailure(
                .usage,
                "--events: part \(without.number.text) was played without --events, so that its lines are not there"
            )
        }
        return own
    }

    /// Adds the parts up; no part that was played again is left where they cannot be.
    private func sum(
        _ set: PartSet, _ plans: ScenarioPlans, _ scenario: LoadedScenario, for output: RunOutput
    ) throws(CommandFailure) -> PartSum {
        let folder = output.folder
        do {
            if set.isLive { return try PartSum(live: set) }
            return try PartSum(set, plans: plans) { member, drainEnd throws(CommandFailure) in
                try self.playAgain(member, scenario, output.options, until: drainEnd, in: folder)
            }
        } catch {
            for name in Folder.names(in: folder.path) where name.hasPrefix(MergeRunner.againPrefix) {
                RunFolder(existing: folder.file(name)).delete()
            }
            throw error
        }
    }

    private static func inexact(_ parts: [PartNumber], missing: String) -> String {
        "\(parts.count == 1 ? "part" : "parts") \(parts.map(\.text).joined(separator: ", ")) had to be played again up "
            + "to the end of all parts' drain, by the scenario that the parts keep, and \(missing): bytes sent, and times "
            + "that hang on them, may differ from those of one process"
    }

    /// Of the folders of parts that are played again.
    private static let againPrefix = "again-"

    /// Plays a part again, with the drain that all parts together have.
    private func playAgain(
        _ member: PartSet.Member, _ scenario: LoadedScenario, _ options: RunOptions, until drainEnd: Instant,
        in folder: RunFolder
    ) throws(CommandFailure) -> PartFolder {
        var own = options
        own.events = member.hasEvents ? PartFolder.eventsName : nil
        own.quiet = true
        let again = PartFolder(
            path: folder.file("\(MergeRunner.againPrefix)\(member.number.index)"), attempt: 1)
        do { try Folder.make(again.path) } catch { throw CommandFailure(.internalError, error) }
        let runner = PartRunner(
            scenario: scenario, options: own, part: member.number, console: .mute,
            interruption: control.ofPart)
        guard try runner.play(into: again, drainEnd: drainEnd, isAlone: false) != nil else {
            throw CommandFailure(
                .interrupted,
                "interrupted while part \(member.number.text) was played again; nothing was written")
        }
        return again
    }
}
