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
    private let shards: [MadeShard]
    private let stops = Atomic<Int>(0)
    /// What was sent to each target and what it answered, by origin, in the order of the populations.
    package let tallies: [TargetTally]
    /// What ``SealedEvent/label`` points into, for each population.
    package let labels: [[EventLabel]]

    private init(
        _ configuration: LiveConfiguration, shards: [MadeShard], endpoints: [[Endpoint]]
    ) {
        var known: Set<ObjectIdentifier> = []
        tallies = endpoints.joined().map(\.tally).filter { known.insert(ObjectIdentifier($0)).inserted }
        self.configuration = configuration
        self.shards = shards
        labels = shards[0].labels
        for made in shards { made.loop.execute { made.shard.value.begin() } }
    }

    /// Makes the devices and begins to drive them; returns when every shard is set up.
    ///
    /// Making devices takes time: let `schedule.start` be ``RunClock/lead(devices:)`` ahead of the clock.
    ///
    /// - Parameter loops: The event loops that carry a shard each, at least one, used for nothing else;
    ///   the last ones stay unused if the devices share fewer connections than that.
    /// - Throws: ``LiveEngineError`` if a target cannot be used, or the run is late and was to be punctual.
    package static func start(
        _ configuration: LiveConfiguration, on loops: [any EventLoop]
    ) async throws -> LiveRun {
        let loops = used(loops, of: configuration)
        let endpoints = try await endpoints(of: configuration.plans)
        var made: [MadeShard] = []
        for (index, loop) in loops.enumerated() {
            let position = LoopPosition(index: index, count: loops.count)
            made.append(
                try await loop.submit {
                    MadeShard(configuration, endpoints: endpoints, position: position, loop: loop)
                }.get())
        }
        let lateness = configuration.clock.now() - configuration.schedule.start
        if configuration.isPunctual, lateness > .zero {
            for made in made { try await made.loop.submit { made.shard.value.abandon() }.get() }
            throw LiveEngineError.late(by: configuration.clock.realTime(lateness))
        }
        return LiveRun(configuration, shards: made, endpoints: endpoints)
    }

    /// The loops that carry a shard.
    private static func used(
        _ loops: [any EventLoop], of configuration: LiveConfiguration
    ) -> [any EventLoop] {
        precondition(!loops.isEmpty, "a run needs an event loop")
        let count = PoolSplit.shards(loops.count, for: configuration.plans, of: configuration.share)
        return Array(loops.prefix(count))
    }

    /// The same on loops that the calling thread drives itself, such as those of a clock of one's own.
    ///
    /// - Precondition: every loop counts the caller as its own.
    /// - Throws: ``LiveEngineError`` if a target cannot be used.
    package static func startInPlace(
        _ configuration: LiveConfiguration, on loops: [any EventLoop]
    ) throws -> LiveRun {
        let loops = used(loops, of: configuration)
        let endpoints = try readEndpoints(of: configuration.plans)
        return LiveRun(
            configuration,
            shards: loops.enumerated().map { index, loop in
                MadeShard(
                    configuration, endpoints: endpoints,
                    position: LoopPosition(index: index, count: loops.count), loop: loop)
            }, endpoints: endpoints)
    }

    /// A shard that was made on its loop, as others may hold it.
    private struct MadeShard: Sendable {
        let shard: NIOLoopBound<Shard>
        let loop: any EventLoop
        let result: EventLoopFuture<ShardResult>
        let labels: [[EventLabel]]

        init(
            _ configuration: LiveConfiguration, endpoints: [[Endpoint]], position: LoopPosition,
            loop: any EventLoop
        ) {
            let made = Shard(
                configuration: configuration, endpoints: endpoints, position: position, loop: loop)
            shard = NIOLoopBound(made, eventLoop: loop)
            self.loop = loop
            result = made.result
            labels = made.labels
        }
    }

    /// Reads what `https` targets need on a thread that may block, once for those with the same rules.
    private static func endpoints(of plans: [PopulationPlan]) async throws -> [[Endpoint]] {
        try await NIOThreadPool.singleton.runIfActive { try readEndpoints(of: plans) }
    }

    private static func readEndpoints(of plans: [PopulationPlan]) throws -> [[Endpoint]] {
        var known: [PopulationPlan.Target: TLSClient] = [:]
        var tallies: [String: TargetTally] = [:]
        return try plans.map { plan in
            try plan.targets.map { target in
                let tally = tallies[target.origin] ?? TargetTally(target)
                tallies[target.origin] = tally
                guard target.isSecure else { return try Endpoint(target, tls: nil, tally: tally) }
                let rules = tlsKey(target)
                let tls = try known[rules] ?? TLSClient(target)
                known[rules] = tls
                return try Endpoint(target, tls: tls, tally: tally)
            }
        }
    }

    /// What of a target its TLS depends on.
    private static func tlsKey(_ target: PopulationPlan.Target) -> PopulationPlan.Target {
        var key = PopulationPlan.Target(scheme: "https", host: target.host, port: 0, pathAndQuery: "")
        (key.tls, key.http) = (target.tls, target.http)
        return key
    }

    /// How the run stands now. Copies every histogram, so once a second is often enough.
    ///
    /// - Throws: `EventLoopError.shutdown` if the loops were shut down under the run.
    package func snapshot() async throws -> LiveSnapshot {
        var parts: [LiveSnapshot] = []
        for made in shards { parts.append(try await made.loop.submit { made.shard.value.snapshot() }.get()) }
        return LiveSnapshot(merging: parts)
    }

    /// The same for a run that was started in place.
    package func snapshotInPlace() -> LiveSnapshot {
        LiveSnapshot(merging: shards.map { $0.shard.value.snapshot() })
    }

    /// Ends the run early: users stop at once, then the drain runs as ever. The second call ends
    /// everything at once; what is then unanswered stays pending.
    package func stop() {
        let atOnce = stops.add(1, ordering: .relaxed).newValue > 1
        for made in shards { made.loop.execute { made.shard.value.stop(atOnce: atOnce) } }
    }

    /// Ends everything at once, without a drain; what is then unanswered stays pending.
    package func end() {
        stop()
        stop()
    }

    /// Waits for the end of the run. Its loops have to go on until then: under loops that are shut down it never ends.
    package func result() async throws -> LiveResult { try await outcome.get() }

    /// The end of the run, on the first of its loops.
    package var outcome: EventLoopFuture<LiveResult> {
        EventLoopFuture.whenAllSucceed(shards.map(\.result), on: shards[0].loop).map { self.merged($0) }
    }

    private func merged(_ parts: [ShardResult]) -> LiveResult {
        var recorder = parts[0].recorder
        for part in parts.dropFirst() { recorder.merge(part.recorder) }
        let captured = capturedPerDevice(parts)
        recorder.beliefs.capturedCounts = captured
        return LiveResult(
            recorder: recorder, capturedPerDevice: captured,
            counts: parts.reduce(into: LiveCounts()) { $0 += $1.counts },
            health: GeneratorHealth(
                scheduleLag: recorder.scheduleLag, busyShares: parts.map(\.busyShare),
                peakBusyShares: parts.map(\.peakBusyShare)),
            unexpectedAnswers: Array(
                parts.flatMap(\.unexpectedAnswers).sorted { $0.at < $1.at }.prefix(UnexpectedAnswer.limit)),
            wasStopped: stops.load(ordering: .relaxed) > 0,
            usersStoppedAt: parts.compactMap(\.usersStoppedAt).max(),
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
