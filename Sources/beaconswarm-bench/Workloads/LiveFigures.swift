import AppModel
import DeviceSDK
import Foundation
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import SensorsSDK
import Timebase
import Wire

/// Whole devices on the real clock, each batch made anew; beside Locust users that do the same work.
enum LiveFigures {
    /// Devices of the loaded run, and users of the rival.
    static let devices = 1000

    static func measure(_ rounds: Rounds, server: WebServer, isQuick: Bool) async -> [Figure] {
        guard let event = server.write(sampleEvent(), as: "event.json") else {
            return [.skip("live", "batches", because: "the event cannot be written for the rival")]
        }
        let locust = Contender.locust(server, mode: "build", input: event)
        var figures: [Figure] = []
        for effort in ["default", "fast"] {
            let contest = Contest(
                group: "live, batches of 50, compression \(effort)", unit: "batches/s per core",
                note: "1.10.17, \(devices) devices, each batch made anew", own: own(server, effort: effort),
                rivals: effort == "default" ? [locust] : [], goals: ["Locust, FastHttpUser": "≥ 20"])
            var measured = await contest.measure(rounds, server: server, connections: devices)
            if !measured.isEmpty { measured[0].goal = effort == "fast" ? "≥ 7 k" : "≥ 4 k" }
            figures += measured
        }
        figures.append(connected(server, devices: isQuick ? 2000 : 9000))
        return figures
    }

    /// One event's JSON, as it stands in a batch.
    private static func sampleEvent() -> [UInt8] {
        let events = Fixture.Events(.v1, count: 1)
        var json = WireBuffer()
        events.write(into: &json)
        return json.bytes
    }

    private static func own(_ server: WebServer, effort: String) -> Contender {
        Contender(
            name: "beaconswarm",
            command: { devices, seconds in
                Bundle.main.executablePath.map {
                    ($0, ["live", "\(server.port)", "\(devices)", "\(max(5, seconds))", effort])
                }
            }, rate: { Contender.number(after: "rate", in: $0) })
    }

    // MARK: - In a process of its own

    /// Batches per second that the event loop's thread was busy; more is offered than a core can take.
    static func load(port: Int, devices: Int, seconds: Double, effort: String) async -> String {
        var persona = Presets.steady
        // Somewhat more than a core takes, so that it is always busy; far more would measure the capture of
        // events that nobody sends.
        persona.steadyRate = (effort == "fast" ? 400_000 : 260_000) / Double(devices)
        let length = Interval.milliseconds(Int64(seconds * 1000))
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let run = try? await start(
            devices: devices, length: length, persona: persona, port: port, budget: 4000,
            loop: loops.next()
        ) {
            // A flush as soon as there is a full batch, and none smaller.
            $0.upload.flushBulkSize = Fixture.batchSize
            $0.upload.maxBatchesPerFlush = 1
            $0.upload.flushInterval = .hours(1)
            $0.upload.onLaunch = false
            $0.remoteConfig.enabled = false
            $0.upload.compression = SensorsRules.Compression(rawValue: effort) ?? .default
        }
        let result = try? await run?.result()
        try? await loops.shutdownGracefully()
        guard let result else { return "failed" }
        let busy = (result.health.busyShares.first ?? 0) * seconds
        // Only what was answered while users acted, as the busy share is told of that time.
        let answered = result.recorder.series.buckets.prefix(Int(seconds)).reduce(0) { $0 + $1.requests }
        return "rate \(busy > 0 ? Double(answered) / busy : 0)\nrequests \(answered)"
    }

    private static func start(
        devices: Int, length: Interval, persona: PersonaDescription, port: Int, budget: Int,
        loop: any EventLoop, _ change: (inout SensorsRules) -> Void
    ) async throws -> LiveRun {
        let clock = RunClock.wall()
        let schedule = RunSchedule(
            start: clock.now() + RunClock.lead(devices: devices), duration: length, drain: .seconds(2))
        var plan = Fixture.plan(.v1, devices: devices, port: port, persona: persona, change)
        plan.start = schedule.start
        plan.usersEnd = schedule.usersEnd
        plan.arrival = ArrivalSchedule(over: .seconds(2))
        let configuration = LiveConfiguration(
            plans: [plan], schedule: schedule, clock: clock, descriptorBudget: budget)
        return try await LiveRun.start(configuration, on: [loop])
    }

    // MARK: - Memory

    /// Bytes per live device that keeps a connection, measured in a process of its own.
    private static func connected(_ server: WebServer, devices: Int) -> Figure {
        let output = Bundle.main.executablePath.flatMap {
            Programs.run($0, ["connected", "\(server.port)", "\(devices)"])?.output
        }
        guard let output, let bytes = Contender.number(after: "bytes", in: output),
            let open = Contender.number(after: "open", in: output)
        else { return .skip("memory", "connected device", because: "the process failed: \(output ?? "")") }
        let figure = Figure(
            group: "memory", name: "live device with a connection", unit: "bytes", values: [bytes],
            goal: "≤ 6000", note: "resident set, \(Int(open)) connections open")
        Output.note(figure.line)
        return figure
    }

    /// Lets devices connect, send, and stay; tells the resident bytes that came with them.
    static func connect(port: Int, devices: Int) async -> String {
        var persona = Presets.steady
        persona.steadyRate = 0.2
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // What is made once, and pages that any run touches, come before.
        let warm = try? await start(
            devices: 10, length: .seconds(2), persona: persona, port: port, budget: 16_000,
            loop: loops.next()
        ) { $0.upload.flushInterval = .seconds(1) }
        _ = try? await warm?.result()
        let before = Machine.residentBytes
        let run = try? await start(
            devices: devices, length: .seconds(25), persona: persona, port: port, budget: 16_000,
            loop: loops.next()
        ) {
            $0.upload.flushInterval = .seconds(5)
            // A second connection besides would be for its fetch.
            $0.remoteConfig.enabled = false
        }
        guard let run else { return "failed to start" }
        var best = (open: 0, bytes: 0)
        for _ in 0..<23 {
            try? await Task.sleep(for: .seconds(1))
            guard let snapshot = try? await run.snapshot() else { break }
            if snapshot.openConnections >= best.open {
                best = (snapshot.openConnections, Machine.residentBytes - before)
            }
        }
        run.stop()
        _ = try? await run.result()
        try? await loops.shutdownGracefully()
        return "open \(best.open)\nbytes \(Double(best.bytes) / Double(devices))"
    }
}
