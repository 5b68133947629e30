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

    static func measure(_ rounds: Rounds, port: Int) async -> [Figure] {
        let folder = NSTemporaryDirectory() + "beaconswarm-store-\(port)"
        guard let program = Bundle.main.executablePath,
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil,
            let server = WebServer.launch(
                on: WebServer.core, program, ["collector", "\(port)", folder + "/events.sqlite"])
        else { return [.skip("collector", name, because: "the server did not start")] }
        defer {
            server.terminate()
            server.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try? await Task.sleep(for: .seconds(1))
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let figure = await load(rounds, server: server.processIdentifier, port: port, loop: loops.next())
        try? await loops.shutdownGracefully()
        Output.note(figure.line)
        return [figure]
    }

    private static func load(
        _ rounds: Rounds, server: Int32, port: Int, loop: any EventLoop
    ) async -> Figure {
        let body = TransportFigures.body(events: Fixture.batchSize)
        let target = Fixture.plan(.v4, port: port).target
        var figure = Figure(
            group: "collector", name: name, unit: "events/s per core", values: [], goal: "≥ 0.12 M",
            note: "HTTP included, store on disk")
        var disturbed: [Double] = []
        for attempt in 0..<rounds.count * 2 where attempt < rounds.count || figure.values.count < rounds.count
        {
            await Machine.settle()
            let (value, share) = await Machine.disturbance {
                let before = Programs.cpuSeconds(of: server)
                let outcome = try? await TransportBench.run(
                    target: target, connections: 32, seconds: rounds.seconds * 2, body: body, on: loop)
                let seconds = Programs.cpuSeconds(of: server) - before
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
        figure.peakMegabytes = [Double(Programs.peakBytes(of: server)) / 1e6]
        figure.settle(disturbed)
        return figure
    }

    /// Serves until the process is terminated.
    static func serve(port: Int, path: String) async throws {
        var configuration = CollectorServerConfiguration()
        configuration.port = port
        configuration.storePath = path
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await CollectorServer.start(configuration: configuration, on: group)
        withExtendedLifetime(server) {}
        try await Task.sleep(for: .seconds(3600))
        await server.stop()
    }
}
