import Accounting
import AppModel
import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import NIOSSL
import SensorsSDK
import Synchronization
import TestSupport
import Timebase
import Wire
import World

@testable import LiveEngine

/// What the devices of a test do, and when.
enum Step: Sendable {
    case upload(number: UInt32, timeout: Interval = .seconds(10))
    case config(number: UInt32)
    case offlineUpload(number: UInt32)
    case die
    /// Waits until no request is open; the times of what follows count from that moment.
    case awaitAnswers
    /// An event is captured, and sealed as delivered at once.
    case seal
}

/// What was done to the devices of a test.
final class FleetLog: Sendable {
    enum Entry: Equatable, Sendable {
        case encoded(device: UInt32, number: UInt32)
        case completed(device: UInt32, number: UInt32, RequestOutcome)
        case givenBack(device: UInt32, number: UInt32)
        case network(device: UInt32, NetworkChange)
        case usersStopped
        case finished
    }

    private let entries = Mutex<[Entry]>([])
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    var all: [Entry] { entries.withLock { $0 } }
    var outcomes: [RequestOutcome] {
        all.compactMap { if case .completed(_, _, let outcome) = $0 { outcome } else { nil } }
    }
    /// Numbers of the requests that came back unsent.
    var givenBack: [UInt32] {
        all.compactMap { if case .givenBack(_, let number) = $0 { number } else { nil } }
    }
}

/// Devices that do what a script says.
final class ScriptedFleet: DeviceFleet {
    typealias Script = [(at: Interval, step: Step)]

    private let plan: PopulationPlan
    private let share: ShardShare
    private let log: FleetLog
    private var scripts: [ArraySlice<(at: Interval, step: Step)>]
    private var bases: [Instant]
    private var openRequests: [Int]
    private var captured: [UInt32]
    private var isStopped = false
    let bodySize: Int

    init(
        plan: PopulationPlan, share: ShardShare, log: FleetLog, bodySize: Int, script: (Int) -> Script
    ) {
        self.plan = plan
        self.share = share
        self.log = log
        self.bodySize = bodySize
        let count = share.deviceCount(of: plan.deviceCount)
        scripts = (0..<count).map { script(share.populationIndex(ofSlot: $0))[...] }
        bases = Array(repeating: plan.start, count: count)
        openRequests = Array(repeating: 0, count: count)
        captured = Array(repeating: 0, count: count)
    }

    var deviceCount: Int { scripts.count }
    var populationIndex: Int { plan.index }
    var labels: [EventLabel] { [EventLabel(type: "track", name: "Scripted")] }
    func globalNumber(of slot: Int) -> UInt32 {
        plan.firstDevice + UInt32(share.populationIndex(ofSlot: slot))
    }
    func arrival(of slot: Int) -> Instant { plan.start }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        while let next = scripts[slot].first, wake(slot) <= now {
            let due = wake(slot)
            scripts[slot].removeFirst()
            if case .awaitAnswers = next.step { bases[slot] = now }
            perform(next.step, slot: slot, at: due, effects: &effects)
        }
        return wake(slot)
    }

    private func wake(_ slot: Int) -> Instant {
        guard !isStopped, let next = scripts[slot].first else { return .distantFuture }
        if case .awaitAnswers = next.step { return openRequests[slot] == 0 ? bases[slot] : .distantFuture }
        return bases[slot] + next.at
    }

    private func perform(_ step: Step, slot: Int, at: Instant, effects: inout DeviceEffects) {
        func request(
            _ kind: RequestNumber.Kind, _ number: UInt32, timeout: Interval = .seconds(10),
            network: NetworkKind = .wifi
        ) {
            openRequests[slot] += 1
            effects.requests.append(
                OutgoingRequest(
                    slot: UInt32(slot), number: RequestNumber(kind: kind, number: number), plannedAt: at,
                    timeout: timeout, eventCount: kind == .upload ? 1 : 0, isRetry: false, network: network))
        }
        switch step {
        case .upload(let number, let timeout): request(.upload, number, timeout: timeout)
        case .config(let number): request(.config, number)
        case .offlineUpload(let number): request(.upload, number, network: .none)
        case .awaitAnswers: break
        case .die:
            openRequests[slot] = 0
            effects.died.append(UInt32(slot))
        case .seal:
            effects.sealed.append(
                SealedEvent(
                    id: EventID(device: globalNumber(of: slot), sequence: captured[slot]), label: 0,
                    attempts: 1,
                    disposition: .delivered, capturedAt: at, ackedAt: at))
            captured[slot] += 1
        }
    }

    func encode(_ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer)
        -> RequestHead
    {
        log.note(.encoded(device: globalNumber(of: slot), number: request.number))
        if request.kind == .config { return RequestHead(method: .get, path: "/config", headerLines: "") }
        body.append("device=\(globalNumber(of: slot))&upload=\(request.number)&")
        for _ in 0..<bodySize { body.append(0x78) }
        return RequestHead(
            method: .post, path: "/sa?project=p", headerLines: "User-Agent: Test\r\nX-Env: test\r\n")
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        log.note(.completed(device: globalNumber(of: slot), number: request.number, outcome))
        openRequests[slot] -= 1
        if case .answered(let status, _, _, _) = outcome { effects.isAcknowledged = status / 100 == 2 }
        if openRequests[slot] == 0, case .awaitAnswers = scripts[slot].first?.step {
            bases[slot] = now
            scripts[slot].removeFirst()
        }
        return wake(slot)
    }

    func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        log.note(.givenBack(device: globalNumber(of: slot), number: request.number))
        openRequests[slot] -= 1
    }

    func setNetwork(_ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects)
        -> Instant
    {
        log.note(.network(device: globalNumber(of: slot), change))
        return wake(slot)
    }

    func stopUsers(at now: Instant) {
        log.note(.usersStopped)
        isStopped = true
    }

    /// Holds the run up until its script is at the end.
    func isDraining(_ slot: Int) -> Bool { !isStopped && !scripts[slot].isEmpty }
    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) { log.note(.finished) }
    var capturedCount: UInt64 { captured.reduce(0) { $0 + UInt64($1) } }
    func capturedCount(of slot: Int) -> UInt32 { captured[slot] }
    var storedCount: UInt64 { UInt64(foregroundCount) }
    var startedCount: Int { deviceCount }
    var foregroundCount: Int { scripts.indices.count { isDraining($0) } }
    var planFingerprint: UInt64 { 7 }
}

/// A short live run of scripted devices.
struct ScriptedRun {
    var devices = 1
    var duration = Interval.milliseconds(50)
    /// Ends with the last answer; long, so that a machine that is busy with other tests does no harm.
    var drain = Interval.seconds(120)
    /// Seconds of the devices in a real one.
    var pace = 1
    var descriptorBudget = 100
    var shards = 1
    var bodySize = 10
    var idleLimit = Interval.seconds(60)
    var entries: [RunSchedule.DeviceEntry] = []
    var connections = PopulationPlan.Target.Connections.perDevice
    /// In place of the server's own address; the port is the server's where they have none.
    var targets: [PopulationPlan.Target] = []
    var lookup: SocketTransport.Lookup?
    var script: @Sendable (Int) -> ScriptedFleet.Script

    static let start = Instant(milliseconds: 1_767_571_200_000)

    static func plan(devices: Int, port: Int, start: Instant = ScriptedRun.start) -> PopulationPlan {
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: port, pathAndQuery: "/sa?project=p")
        target.headers = [.init(name: "X-Env", value: "test")]
        return PopulationPlan(
            name: "scripted", deviceCount: devices, start: start, usersEnd: start + .seconds(1),
            app: AppDescription(name: "app"), persona: PersonaDescription(name: "persona"), target: target,
            system: SensorsRules(version: .v4))
    }

    func begin(
        port: Int, on loops: [any EventLoop], log: FleetLog, sink: LiveConfiguration.SealedSink? = nil
    ) async throws -> LiveRun {
        var schedule = RunSchedule(start: ScriptedRun.start, duration: duration, drain: drain)
        schedule.deviceEntries = entries
        var plan = ScriptedRun.plan(devices: devices, port: port)
        if !targets.isEmpty { plan.targets = targets }
        for index in plan.targets.indices {
            plan.targets[index].connections = connections
            if plan.targets[index].port == 0 { plan.targets[index].port = port }
        }
        var configuration = LiveConfiguration(
            plans: [plan], schedule: schedule,
            clock: RunClock(reaching: ScriptedRun.start, in: .milliseconds(20), pace: pace),
            descriptorBudget: descriptorBudget,
            sealedSink: sink)
        configuration.idleLimit = idleLimit
        if let lookup { configuration.transport = SocketTransport(lookup: lookup) }
        let script = script
        let bodySize = bodySize
        configuration.fleetFactory = { plan, share in
            ScriptedFleet(plan: plan, share: share, log: log, bodySize: bodySize, script: script)
        }
        return try await LiveRun.start(configuration, on: loops)
    }

    /// Runs against a server to the end.
    ///
    /// Steps of a script are tens of milliseconds apart: a run that began later than that, or whose event loops came
    /// later to what was due, played another script, and is played again; what the last one finds then is inconclusive.
    func play(
        tls: NIOSSLContext? = nil, _ answers: @escaping ScriptedServer.Script
    ) async throws -> Played {
        var attempts = 6
        while true {
            attempts -= 1
            let (played, late) = try await playOnce(tls: tls, answers)
            if late < .milliseconds(15) || attempts == 0 {
                ClockedCase.current?.note(late)
                return played
            }
        }
    }

    typealias Played = (result: LiveResult, log: FleetLog, requests: [String])

    private func playOnce(
        tls: NIOSSLContext?, _ answers: @escaping ScriptedServer.Script
    ) async throws -> (Played, late: Interval) {
        try await withGroup(threads: shards + 1) { group in
            let loops = (0...shards).map { _ in group.next() }
            let server = try await ScriptedServer.start(on: group, tls: tls, answers)
            let log = FleetLog()
            let watch = try await LoopWatch.start(on: loops)
            let run = try await begin(port: server.port, on: Array(loops.prefix(shards)), log: log)
            let result = try await run.result()
            // A run whose beginning was kept waiting is late, though its loops were punctual meanwhile.
            let late = max(watch.stop(), result.lag)
            let requests = server.requests
            try await server.stop()
            return ((result, log, requests), late)
        }
    }
}

extension LiveResult {
    /// The latest that anything of the schedule began.
    var lag: Interval { .fractional(seconds: health.scheduleLag.maximumMilliseconds / 1000) }
}

/// Runs with event loops that are shut down afterwards.
func withGroup<Outcome>(
    threads: Int, _ body: (MultiThreadedEventLoopGroup) async throws -> Outcome
) async throws -> Outcome {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    do {
        let outcome = try await body(group)
        try await group.shutdownGracefully()
        return outcome
    } catch {
        try await group.shutdownGracefully()
        throw error
    }
}
