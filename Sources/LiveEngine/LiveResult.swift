package import DeviceSDK
package import Measurement
package import Timebase

/// How a run stands at one moment.
package struct LiveSnapshot: Sendable {
    package var recorder: RunRecorder
    /// The phase of the shard that is furthest behind.
    package var phase: RunPhase
    package var openConnections: Int
    /// Requests that were started or wait for a descriptor, and have no answer.
    package var requestsInFlight: Int
    /// When users were stopped, where that was before their time.
    package var usersStoppedAt: Instant?
    package var now: Instant
}

extension LiveSnapshot {
    /// How a run stands whose shards stand so.
    ///
    /// - Precondition: there is at least one.
    init(merging parts: [LiveSnapshot]) {
        self = parts[0]
        for part in parts.dropFirst() {
            recorder.merge(part.recorder)
            phase = min(phase, part.phase)
            openConnections += part.openConnections
            requestsInFlight += part.requestsInFlight
            usersStoppedAt = [usersStoppedAt, part.usersStoppedAt].compactMap { $0 }.max()
            now = max(now, part.now)
        }
    }
}

/// Whether the generator kept up with its own schedule.
package struct GeneratorHealth: Sendable {
    /// How late things were done, over all shards.
    package var scheduleLag: LatencyHistogram
    /// CPU time of each event loop's thread over elapsed time, 0…1, while users acted.
    package var busyShares: [Double]
    /// The same in each loop's busiest second.
    package var peakBusyShares: [Double]

    /// How late things were done at p(99), in milliseconds.
    package var lagP99: Double { scheduleLag.milliseconds(atPercentile: 99) }
    /// The busiest loop's share, 0…1.
    package var busiestLoop: Double { busyShares.max() ?? 0 }

    /// Whether the run says more about the generator than about its target.
    package var isSaturated: Bool {
        lagP99 > GeneratorLimits.lagP99 || busiestLoop > GeneratorLimits.busyShare
    }
}

/// What a live run leaves behind.
package struct LiveResult: Sendable {
    package var recorder: RunRecorder
    /// How many events each device captured, by global number.
    package var capturedPerDevice: [UInt32]
    package var devicesStarted: Int
    /// Order-free sum over the user actions that happened.
    package var planFingerprint: UInt64
    package var health: GeneratorHealth
    package var connectionsOpened: UInt64
    /// Connections closed early because no descriptor was left for another.
    package var connectionsRecycled: UInt64
    /// Answers behind which bytes came that belong to none, which closed those of their connections that spoke HTTP/1.1.
    package var overlongAnswers: UInt64
    /// The sum of the shards' own peaks.
    package var connectionsPeak: Int
    /// Connections that pools still counted when all were closed: none, or a slot has leaked.
    package var slotsLeft: Int
    /// TLS handshakes that were completed, each of them a full one.
    package var handshakes: UInt64
    /// The CPU time of these, and of all that the loops did while users acted, in nanoseconds.
    package var handshakeTime: UInt64
    package var threadTime: UInt64
    /// Connections that spoke HTTP/2, and the streams that were opened on them.
    package var sharedConnections: UInt64
    package var streamsOpened: UInt64
    /// The first by time, ``UnexpectedAnswer/limit`` at most.
    package var unexpectedAnswers: [UnexpectedAnswer]
    /// Whether ``LiveRun/stop()`` ended the run.
    package var wasStopped: Bool
    /// When that stopped the last users; `nil` where their time was over by then.
    package var usersStoppedAt: Instant?
    /// When the last shard finished.
    package var finishedAt: Instant
}

/// What one shard leaves behind.
struct ShardResult: Sendable {
    var recorder: RunRecorder
    /// Captured events by the device's global number.
    var captured: [(device: UInt32, count: UInt32)]
    var devicesStarted: Int
    var planFingerprint: UInt64
    var busyShare: Double
    var peakBusyShare: Double
    var connectionsOpened: UInt64
    var connectionsRecycled: UInt64
    var overlongAnswers: UInt64
    var connectionsPeak: Int
    var slotsLeft: Int
    var handshakes: UInt64
    var handshakeTime: UInt64
    var threadTime: UInt64
    var sharedConnections: UInt64
    var streamsOpened: UInt64
    var unexpectedAnswers: [UnexpectedAnswer]
    /// When users were stopped, where that was before their time.
    var usersStoppedAt: Instant?
    var finishedAt: Instant
}
