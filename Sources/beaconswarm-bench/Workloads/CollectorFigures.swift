import CollectorServer
import DeviceSDK
import Foundation
import LiveEngine
import NIOCore
import NIOPosix
import Timebase

/// The collector: HTTP, decoding, deduplication, commits to SQLite, all on one core that a client on
/// the other keeps busy.
enum CollectorFigures {
    static func measure(_ rounds: Rounds, port: Int) async -> [Figure] {
        let group = "collector"
        let name = "decode, deduplicate, commit"
        let folder = NSTemporaryDirectory() + "beaconswarm-store-\(port)"
        guard let program = Bundle.main.executablePath,
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil,
            let server = Peers.launch(
                on: Peers.serverCore, program, ["collector", "\(port)", folder + "/events.sqlite"])
        else { return [.skip(group, name, because: "the server did not start")] }
        defer {
            server.terminate()
            server.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try? await Task.sleep(for: .seconds(1))
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let body = TransportFigures.body(events: Fixture.batchSize)
        let target = Fixture.plan(.v4, port: port).target
        var figure = Figure(
            group: group, name: name, unit: "events/s per core", values: [], goal: "≥ 0.12 M",
            note: "HTTP included, store on disk")
        var disturbed: [Double] = []
        for attempt in 0..<rounds.count * 2 where attempt < rounds.count || figure.values.count < rounds.count
        {
            let (value, share) = await Machine.disturbance {
                let before = Programs.cpuSeconds(of: server.processIdentifier)
                let outcome = try? await TransportBench.run(
                    target: target, connections: 32, seconds: rounds.seconds * 2, body: body, on: loops.next()
                )
                let rate = (outcome?.requestsPerSecond ?? 0) * Double(Fixture.batchSize)
                return (rate, Programs.cpuSeconds(of: server.processIdentifier) - before)
            }
            if share > Machine.disturbanceLimit {
                disturbed.append(value)
            } else {
                figure.values.append(value)
            }
        }
        try? await loops.shutdownGracefully()
        figure.settle(disturbed)
        Output.note(figure.line)
        return [figure]
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
