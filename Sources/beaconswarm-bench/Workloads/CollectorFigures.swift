import CollectorServer
import DeviceSDK
import Foundation
import LiveEngine
import NIOCore
import NIOPosix
import SensorsSDK
import Timebase

/// The collector: HTTP, decoding, deduplication, commits to SQLite, all on one core that a client on
/// the other keeps busy.
enum CollectorFigures {
    private static let name = "decode, deduplicate, commit"
    private static let peerName = "nginx with access log, the same requests"

    static func measure(_ rounds: Rounds, port: Int) async -> [Figure] {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let body = TransportFigures.body(events: Fixture.batchSize)
        var figures: [Figure] = []
        for log in ["always", "auto"] {
            figures.append(
                await measureCollector(rounds, port: port, log: log, body: body, loop: loops.next()))
        }
        figures.append(await measurePeer(rounds, port: port + 1, body: body, loop: loops.next()))
        try? await loops.shutdownGracefully()
        for figure in figures { Output.note(figure.line) }
        return figures
    }

    /// HTTP alone: a server that reads each body and writes a line about it.
    private static func measurePeer(
        _ rounds: Rounds, port: Int, body: [UInt8], loop: any EventLoop
    ) async -> Figure {
        let server = WebServer(port: port, keepsLog: true)
        guard await server.start() else { return .skip("collector", peerName, because: "there is no nginx") }
        defer { server.stop() }
        let figure = Figure(
            group: "collector", name: peerName, unit: "events/s per core", values: [],
            note: "nothing is read in them")
        return await load(
            rounds, into: figure, port: port, body: body, loop: loop,
            cpuSeconds: { server.cpuSeconds })
    }

    private static func measureCollector(
        _ rounds: Rounds, port: Int, log: String, body: [UInt8], loop: any EventLoop
    ) async -> Figure {
        let folder = NSTemporaryDirectory() + "beaconswarm-store-\(port)"
        guard let program = Bundle.main.executablePath,
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil,
            let server = WebServer.launch(
                on: WebServer.core, program, ["collector", "\(port)", folder + "/events.sqlite", log])
        else { return .skip("collector", name, because: "the server did not start") }
        defer {
            server.terminate()
            server.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try? await Task.sleep(for: .seconds(1))
        let process = server.processIdentifier
        let figure = Figure(
            group: "collector", name: log == "auto" ? name : name + ", log first", unit: "events/s per core",
            values: [], goal: log == "auto" ? "≥ 0.12 M" : "≥ 0.5 M",
            note: log == "auto"
                ? "HTTP included, store on disk"
                : "HTTP included, log on disk; the table follows at lower priority")
        var measured = await load(
            rounds, into: figure, port: port, body: body, loop: loop,
            cpuSeconds: { Programs.cpuSeconds(of: process) })
        measured.peakMegabytes = [Double(Programs.peakBytes(of: process)) / 1e6]
        return measured
    }

    private static func load(
        _ rounds: Rounds, into figure: Figure, port: Int, body: [UInt8], loop: any EventLoop,
        cpuSeconds: () -> Double
    ) async -> Figure {
        var figure = figure
        let target = Fixture.plan(.v4, port: port).target
        var disturbed: [Double] = []
        for attempt in 0..<rounds.count * 2 where attempt < rounds.count || figure.values.count < rounds.count
        {
            await Machine.waitUntilQuiet()
            let (value, share) = await Machine.disturbance {
                let before = cpuSeconds()
                let outcome = try? await TransportBench.run(
                    target: target, connections: 32, seconds: rounds.seconds * 2, body: body, on: loop)
                let seconds = cpuSeconds() - before
                if let outcome, outcome.succeeded > 0 {
                    figure.cpuPerThousand.append(seconds * 1e6 / Double(outcome.succeeded))
                }
                return ((outcome?.requestsPerSecond ?? 0) * Double(Fixture.batchSize), seconds)
            }
            if share > Machine.disturbanceLimit {
                disturbed.append(value)
            } else {
                figure.values.append(value)
            }
        }
        figure.discard(disturbed)
        return figure
    }

    /// Serves until the process is terminated.
    ///
    /// - Parameter log: `always` for a log in front of the table, whatever the load.
    static func serve(port: Int, path: String, log: String) async throws {
        var configuration = CollectorServerConfiguration()
        configuration.port = port
        configuration.storePath = path
        if log == "always" { configuration.logging = .always }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await CollectorServer.start(configuration: configuration, on: group)
        withExtendedLifetime(server) {}
        try await Task.sleep(for: .seconds(3600))
        await server.stop()
    }
}
