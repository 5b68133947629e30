import AppModel
import DeviceSDK
import Foundation
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import Timebase
import Wire

/// The live path: requests over sockets against nginx, beside wrk, and whole fleets.
enum TransportFigures {
    static func measure(_ rounds: Rounds, peers: Peers) async -> [Figure] {
        guard await peers.startServer() else {
            return [.skip("transport", "POST", because: "nginx is not installed (apt-get install nginx)")]
        }
        defer { peers.stopServer() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var figures: [Figure] = []
        for connections in [100, 2000] {
            figures += await compare(rounds, peers: peers, connections: connections, loop: group.next())
        }
        figures.append(await live(rounds, peers: peers, loop: group.next()))
        try? await group.shutdownGracefully()
        return figures
    }

    /// The body of a request, of as many events as are asked for.
    static func body(events: Int) -> [UInt8] {
        var body = WireBuffer()
        Fixture.Events(.v4, count: events).writeBody(into: &body)
        return body.bytes
    }

    /// The body that all requests carry: the largest batch of at most 3.6 kB.
    private static func preparedBody() -> [UInt8] {
        var best = body(events: 1)
        for events in 2...Fixture.batchSize {
            let larger = body(events: events)
            guard larger.count <= 3600 else { break }
            best = larger
        }
        return best
    }

    /// Alternates the own transport and wrk, so that both meet the same machine.
    private static func compare(
        _ rounds: Rounds, peers: Peers, connections: Int, loop: any EventLoop
    ) async -> [Figure] {
        let body = preparedBody()
        let target = Fixture.plan(.v4, port: peers.port).target
        let note = "\(body.count) bytes, keep-alive"
        func figure(_ name: String, _ unit: String, goal: String = "") -> Figure {
            Figure(
                group: "transport, \(connections) connections", name: name, unit: unit, values: [],
                goal: goal,
                note: note)
        }
        var own = figure("beaconswarm", "requests/s")
        var wrk = figure("wrk", "requests/s")
        var ratio = figure("beaconswarm / wrk", "", goal: "≥ 1.0")
        var disturbed: [(own: Double, wrk: Double)] = []
        for attempt in 0..<rounds.count * 2 where attempt < rounds.count || own.values.count < rounds.count {
            let (values, share) = await Machine.disturbance {
                let before = peers.serverSeconds
                let outcome = try? await TransportBench.run(
                    target: target, connections: connections, seconds: rounds.seconds * 2, body: body,
                    on: loop)
                // wrk's own CPU time: it keeps one core busy, as the own client does.
                let begin = Machine.seconds
                let rival = peers.measureWrk(
                    connections: connections, seconds: rounds.seconds * 2, body: body)
                let elapsed = Machine.seconds - begin
                let children = peers.serverSeconds - before + (rival == nil ? 0 : elapsed)
                return ((own: outcome?.requestsPerSecond ?? 0, wrk: rival ?? 0), children)
            }
            if share > Machine.disturbanceLimit {
                disturbed.append(values)
            } else {
                own.values.append(values.own)
                wrk.values.append(values.wrk)
            }
        }
        own.settle(disturbed.map(\.own))
        wrk.settle(disturbed.map(\.wrk))
        ratio.values = zip(own.values, wrk.values).filter { $1 > 0 }.map { $0 / $1 }
        ratio.isDisturbed = own.isDisturbed
        ratio.discarded = own.discarded
        if ratio.values.isEmpty { ratio.skipped = "wrk is not installed (apt-get install wrk)" }
        let figures = ratio.values.isEmpty ? [own, ratio] : [own, wrk, ratio]
        for figure in figures { Output.note(figure.line) }
        return figures
    }

    /// Whole devices of 4.9.1 on the real clock: each batch is made anew. Batches per second that the
    /// event loop's thread was busy.
    private static func live(_ rounds: Rounds, peers: Peers, loop: any EventLoop) async -> Figure {
        var persona = Presets.steady
        // More than a core takes: what counts is what it does meanwhile.
        persona.steadyRate = 150
        let devices = 1000
        var figure = Figure(
            group: "live", name: "batches of 50, 4.9.1 against nginx", unit: "batches/s per core", values: [],
            goal: "≥ 4 k", note: "\(devices) devices, each batch made anew, gzip 6")
        var disturbed: [Double] = []
        for attempt in 0..<rounds.count * 2 where attempt < rounds.count || figure.values.count < rounds.count
        {
            let (value, share) = await Machine.disturbance {
                let before = peers.serverSeconds
                let value = try? await liveRound(
                    devices: devices, seconds: max(5, rounds.seconds * 3).rounded(), persona: persona,
                    port: peers.port,
                    loop: loop)
                return (value ?? 0, peers.serverSeconds - before)
            }
            if share > Machine.disturbanceLimit {
                disturbed.append(value)
            } else {
                figure.values.append(value)
            }
        }
        figure.settle(disturbed)
        Output.note(figure.line)
        return figure
    }

    private static func liveRound(
        devices: Int, seconds: Double, persona: PersonaDescription, port: Int, loop: any EventLoop
    ) async throws -> Double {
        let clock = RunClock.wall()
        let length = Interval.milliseconds(Int64(seconds * 1000))
        let schedule = RunSchedule(
            start: clock.now() + RunClock.lead(devices: devices), duration: length, drain: .seconds(2))
        var plan = Fixture.plan(.v4, devices: devices, port: port, persona: persona) {
            // A flush as soon as there is a full batch, and none smaller.
            $0.upload.flushBulkSize = Fixture.batchSize - 1
            $0.upload.flushInterval = .hours(1)
            $0.upload.onLaunch = false
            $0.remoteConfig.enabled = false
        }
        plan.start = schedule.start
        plan.usersEnd = schedule.usersEnd
        plan.arrival = ArrivalSchedule(over: .seconds(2))
        let configuration = LiveConfiguration(
            plans: [plan], schedule: schedule, clock: clock, descriptorBudget: 4000)
        let run = try await LiveRun.start(configuration, on: [loop])
        let result = try await run.result()
        let busy = (result.health.busyShares.first ?? 0) * seconds
        // Only what was answered while users acted, as the busy share is told of that time.
        let answered = result.recorder.series.buckets.prefix(Int(seconds)).reduce(0) { $0 + $1.requests }
        return busy > 0 ? Double(answered) / busy : 0
    }
}
