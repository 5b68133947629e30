import Accounting
import DeviceSDK
import Files
import Generation
import Measurement
import Reporting
import Scenario
import Timebase
import VirtualEngine
import Wire

/// Plays a part of a scenario's devices in virtual time, and leaves behind what joins it with the others.
///
/// A part judges nothing: a threshold is about all devices.
struct PartRunner {
    let scenario: LoadedScenario
    let options: RunOptions
    let part: PartNumber
    let console: RunConsole
    let interruption: any RunControl

    func run() throws(CommandFailure) -> CommandStatus {
        let shared = try PartFolder.meeting(of: options)
        guard !options.json else {
            throw CommandFailure(.usage, "--json: a part of a run has no report; beaconswarm merge makes it")
        }
        guard options.keepStores == nil else {
            throw CommandFailure(
                .usage,
                "--keep-stores: a part does not know when the drain of all parts is over, so what it would keep is not what "
                    + "the run leaves in the devices' stores; keep those of a whole run; nothing was run")
        }
        let plans = scenario.document.plans(start: scenario.document.simulatedStart)
        guard !plans.hasSharedQueue else { throw PartRunner.shared }
        try PartRunner.check(scenario)
        if Room.isNeeded(for: scenario.document) {
            let forecast = Forecast(scenario.document)
            try Room.checkMemory(forecast.share(of: part), connections: nil)
        }
        // From the first folder on it is an attempt, which an interrupt ends with a word.
        interruption.begin {}
        let folder = try PartFolder.claim(part, in: shared)
        let state = try play(into: folder, isAlone: true)
        guard let state else {
            console.status("")
            console.interrupted(
                "part \(part.text) was not played to its end and does not count; when it is played again, it takes the "
                    + "next attempt")
            return .interrupted
        }
        console.say(state.announcement(ofAll: scenario.document.deviceCount, in: folder, of: shared))
        if state.balance != 0 || state.audit?.failed == true { return .unaccounted }
        guard let reason = state.ownFailureReason else { return .success }
        console.warn(reason)
        return .invalidRun
    }

    static let shared = CommandFailure(
        .usage,
        "--shard: the devices of this scenario wait for each other (a server with a queue, or a fault \"capacity\"): "
            + "how long one waits depends on all others, so that no part can be played alone; nothing was run"
    )

    /// Refuses what no part can know.
    static func check(_ scenario: LoadedScenario) throws(CommandFailure) {
        if let threshold = scenario.thresholds.first(where: \.abortOnFail) {
            throw CommandFailure(
                .invalidScenario,
                "--shard: the threshold on \(threshold.metric) has \"abortOnFail\": when all devices together break it, no "
                    + "part knows; nothing was run")
        }
    }

    /// Plays the part.
    ///
    /// - Parameters:
    ///   - drainEnd: When the drain of all parts was over; `nil` while nobody knows.
    ///   - isAlone: Whether anybody else tells of what goes on.
    /// - Returns: what it measured, written already; `nil` if it was interrupted.
    func play(
        into folder: PartFolder, drainEnd: Instant? = nil, isAlone: Bool
    ) throws(CommandFailure) -> PartState? {
        let stores = try RunStores(ofSimulated: scenario)
        defer { stores.removeIfTemporary() }
        let start = scenario.document.simulatedStart
        let bodies = options.bodies ?? .encode
        let sizes = UploadSizes(of: scenario.document, for: bodies)
        var plans = scenario.document.plans(start: start)
        plans.take(sizes)
        let output = try RunOutput(
            partIn: folder, of: scenario, plans: plans, mode: .virtual, options: options)
        plans = output.attached(to: plans)
        let builder = output.builder(target: Report.modelledTarget, bodies: bodies)
        if isAlone { console.begin(builder, forecast: nil) }
        let state = RunState(builder, folder: output.folder, start: start, console: console)
        state.begin(interruption) { stores.removeIfTemporary() }
        let began = Host.monotonic
        var configuration = VirtualConfiguration(plans, sizes: sizes.byReference)
        configuration.isPart = true
        if let drainEnd { configuration.schedule.drain = drainEnd - plans.schedule.usersEnd }
        var observer = VirtualRunner.Observer(
            interruption: interruption,
            follower: RunFollower(
                console: console, builder: builder, state: state, events: output.events, start: start,
                began: began, planned: scenario.document.duration,
                drain: scenario.document.drain))
        let result = runVirtually(
            configuration, fleets: plans.populations.map { stores.fleetFactory($0, part.share) },
            observer: &observer)
        guard !interruption.isRequested, let levels = result.levels else {
            state.writeLastWords()
            return nil
        }
        var partState = PartState(
            result, levels: levels, of: part, plans: plans, output: output, builder: builder)
        partState.wall = Host.monotonic - began
        partState.warnings += stores.warnings
        partState.ownFailures = OwnFailures.of(devices: stores.hostFailures)
        try output.finish(partState, in: folder)
        return partState
    }
}

extension PartState {
    fileprivate init(
        _ result: VirtualResult, levels: PartLevels, of part: PartNumber, plans: ScenarioPlans,
        output: RunOutput, builder: ReportBuilder
    ) {
        self.init(
            identity: output.identity(
                of: part, plans: plans, seed: builder.seed, bodies: builder.context.bodies ?? ""),
            index: part.index,
            devices: plans.populations.reduce(0) { $0 + part.share.deviceCount(of: $1.deviceCount) },
            host: builder.context.host,
            hasEvents: output.events != nil, reference: builder.scenario, warnings: builder.warnings,
            command: builder.context.command, recorder: result.recorder,
            audit: Audit.compare(beliefs: result.recorder.beliefs, receipts: result.receipts),
            unexpectedAnswers: result.unexpectedAnswers, devicesStarted: result.devicesStarted,
            simulated: result.simulated, levels: levels)
    }
}

extension RunOutput {
    /// What a part of a run leaves behind.
    init(
        partIn folder: PartFolder, of scenario: LoadedScenario, plans: ScenarioPlans, mode: Report.Mode,
        options: RunOptions, startedAt: Instant? = nil
    ) throws(CommandFailure) {
        var own = options
        own.events = options.events == nil ? nil : folder.file(PartFolder.eventsName)
        try self.init(
            scenario: scenario, plans: plans, mode: mode, options: own, partFolder: folder,
            startedAt: startedAt)
    }

    /// What the other parts of the run have to have in common with one.
    func identity(
        of part: PartNumber, plans: ScenarioPlans, seed: UInt64, bodies: String = "", at: Instant? = nil
    ) -> PartIdentity {
        PartIdentity(
            toolVersion: Beaconswarm.version,
            scenarioSHA256: SHA256.hexadecimal(of: scenario.resolvedBytes),
            sum: ScenarioSum(scenario.document), seed: seed, count: part.count, bodies: bodies,
            start: plans.schedule.start, zonesSHA256: plans.zonesSHA256, at: at)
    }

    /// Writes everything of a part, the state last.
    func finish(_ state: PartState, in part: PartFolder) throws(CommandFailure) {
        reserve.release()
        try OutputFile.write(scenario.resolvedBytes, to: folder.file(ReplayRecord.scenarioName))
        try OutputFile.write(
            BeliefsFile.render(state.recorder.beliefs, times: nil), to: folder.file(PartFolder.beliefsName))
        try events?.finish()
        try copies?.finish()
        var whole = state
        do throws(FileFailure) {
            whole.sums = try FileSums(
                of: [ReplayRecord.scenarioName, PartFolder.beliefsName, PartFolder.eventsName]
                    + (copies?.fileNames ?? []),
                in: part.path)
        } catch {
            throw CommandFailure(.internalError, error)
        }
        try part.write(whole)
        folder.remove("report.partial.json")
        folder.remove("timeseries.csv")
    }
}
