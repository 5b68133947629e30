package import Accounting
import DeviceSDK
import Measurement
package import NIOCore
import NIOPosix
import Synchronization
import Timebase

/// A live run under way: one shard of the devices on each event loop, nothing shared between them.
///
/// ```swift
/// let run = try await LiveRun.start(configuration, on: loops)
/// let result = try await run.result()
/// ```
package final class LiveRun: Sendable {
    private let configuration: LiveConfiguration
    private let shards: [NIOLoopBound<Shard>]
    private let loops: [any EventLoop]
    private let results: [EventLoopFuture<ShardResult>]
    private let stops = Atomic<Int>(0)
    /// What ``SealedEvent/label`` points into, for each population.
    package let labels: [[EventLabel]]

    private init(
        configuration: LiveConfiguration, shards: [NIOLoopBound<Shard>], loops: [any EventLoop],
        results: [EventLoopFuture<ShardResult>], labels: [[EventLabel]]
    ) {
        self.configuration = configuration
        self.shards = shards
        self.loops = loops
        self.results = results
        self.labels = labels
    }

    /// Makes the devices and begins to drive them; returns when every shard is set up.
    ///
    /// Making devices takes time: let `schedule.start` be ``RunClock/lead(devices:)`` ahead of the clock.
    ///
    /// - Parameter loops: The event loops that carry a shard each, at least one, used for nothing else;
    ///   the last ones stay unused if the devices share fewer connections than that.
    /// - Throws: ``LiveEngineError`` if a target cannot be used.
    package static func start(
        _ configuration: LiveConfiguration, on loops: [any EventLoop]
    ) async throws -> LiveRun {
        precondition(!loops.isEmpty, "a run needs an event loop")
        let loops = Array(loops.prefix(PoolSplit.shards(loops.count, for: configuration.plans)))
        let endpoints = try await endpoints(of: configuration.plans)
        var shards: [NIOLoopBound<Shard>] = []
        var results: [EventLoopFuture<ShardResult>] = []
        var labels: [[EventLabel]] = []
        for (index, loop) in loops.enumerated() {
            let share = ShardShare(index: index, count: loops.count)
            let made = try await loop.submit { [endpoints] in
                let shard = Shard(
                    configuration: configuration, endpoints: endpoints, share: share, loop: loop)
                return (NIOLoopBound(shard, eventLoop: loop), shard.result, shard.labels)
            }.get()
            shards.append(made.0)
            results.append(made.1)
            if index == 0 { labels = made.2 }
        }
        for (shard, loop) in zip(shards, loops) { loop.execute { shard.value.begin() } }
        return LiveRun(
            configuration: configuration, shards: shards, loops: loops, results: results, labels: labels)
    }

    /// Reads what `https` targets need on a thread that may block, once for those with the same rules.
    private static func endpoints(of plans: [PopulationPlan]) async throws -> [[Endpoint]] {
        try await NIOThreadPool.singleton.runIfActive {
            var known: [PopulationPlan.Target.TLSRules: [String: TLSClient]] = [:]
            return try plans.map { plan in
                try plan.targets.map { target in
                    guard target.isSecure else { return try Endpoint(target) }
                    let tls = try known[target.tls]?[target.host] ?? TLSClient(target)
                    known[target.tls, default: [:]][target.host] = tls
                    return try Endpoint(target, tls: tls)
                }
            }
        }
    }

    /// How the run stands now. Copies every histogram, so once a second is often enough.
    ///
    /// - Throws: `EventLoopError.shutdown` if the loops were shut down under the run.
    package func snapshot() async throws -> LiveSnapshot {
        var merged: LiveSnapshot?
        for (shard, loop) in zip(shards, loops) {
            let part = try await loop.submit { shard.value.snapshot() }.get()
            guard var sum = merged else {
                merged = part
                continue
            }
            sum.recorder.merge(part.recorder)
            sum.phase = min(sum.phase, part.phase)
            sum.openConnections += part.openConnections
            sum.requestsInFlight += part.requestsInFlight
            sum.now = max(sum.now, part.now)
            merged = sum
        }
        guard let merged else { preconditionFailure("a run has at least one shard") }
        return merged
    }

    /// Ends the run early: users stop at once, then the drain runs as ever. The second call ends
    /// everything at once; what is then unanswered stays pending.
    package func stop() {
        let atOnce = stops.add(1, ordering: .relaxed).newValue > 1
        for (shard, loop) in zip(shards, loops) { loop.execute { shard.value.stop(atOnce: atOnce) } }
    }

    /// Waits for the end of the run.
    ///
    /// - Throws: what a shard ended with, if it broke off: `EventLoopError.shutdown` if the loops were shut down
    ///   under it.
    package func result() async throws -> LiveResult {
        var parts: [ShardResult] = []
        for result in results { parts.append(try await result.get()) }
        var recorder = parts[0].recorder
        for part in parts.dropFirst() { recorder.merge(part.recorder) }
        let captured = capturedPerDevice(parts)
        recorder.beliefs.capturedCounts = captured
        return LiveResult(
            recorder: recorder, capturedPerDevice: captured,
            devicesStarted: parts.reduce(0) { $0 + $1.devicesStarted },
            planFingerprint: parts.reduce(0) { $0 &+ $1.planFingerprint },
            health: GeneratorHealth(
                scheduleLag: recorder.scheduleLag, busyShares: parts.map(\.busyShare),
                peakBusyShares: parts.map(\.peakBusyShare)),
            connectionsOpened: parts.reduce(0) { $0 + $1.connectionsOpened },
            connectionsRecycled: parts.reduce(0) { $0 + $1.connectionsRecycled },
            connectionsPeak: parts.reduce(0) { $0 + $1.connectionsPeak },
            handshakes: parts.reduce(0) { $0 + $1.handshakes },
            unexpectedAnswers: Array(
                parts.flatMap(\.unexpectedAnswers).sorted { $0.at < $1.at }.prefix(UnexpectedAnswer.limit)),
            wasStopped: stops.load(ordering: .relaxed) > 0,
            finishedAt: parts.map(\.finishedAt).max() ?? configuration.schedule.start)
    }

    private func capturedPerDevice(_ parts: [ShardResult]) -> [UInt32] {
        let total = configuration.plans.map { Int($0.firstDevice) + $0.deviceCount }.max() ?? 0
        var counts = [UInt32](repeating: 0, count: total)
        for part in parts {
            for entry in part.captured where Int(entry.device) < total {
                counts[Int(entry.device)] = entry.count
            }
        }
        return counts
    }
}
