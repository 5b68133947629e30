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

/// A short live run of scripted devices.
struct ScriptedRun {
    var devices = 1
    var duration = Interval.milliseconds(50)
    /// How long before its start it is begun; less than nothing for one that begins late.
    var lead = Interval.milliseconds(20)
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
    /// In place of what the targets say; with `two` the server speaks it.
    var http: PopulationPlan.Target.HTTPVersions?
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
            if let http { plan.targets[index].http = http }
            if plan.targets[index].port == 0 { plan.targets[index].port = port }
        }
        var configuration = LiveConfiguration(
            plans: [plan], schedule: schedule,
            clock: RunClock(reaching: ScriptedRun.start, in: lead, pace: pace),
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
            let server = try await ScriptedServer.start(
                on: group, tls: tls, speaksHTTP2: http == .two, answers)
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
