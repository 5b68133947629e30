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

/// What a live run leaves behind. Its ``counts`` can be asked of it by their own names.
@dynamicMemberLookup
package struct LiveResult: Sendable {
    package var recorder: RunRecorder
    /// How many events each device captured, by global number.
    package var capturedPerDevice: [UInt32]
    package var counts: LiveCounts
    package var health: GeneratorHealth
    /// The first by time, ``UnexpectedAnswer/limit`` at most.
    package var unexpectedAnswers: [UnexpectedAnswer]
    /// Whether ``LiveRun/stop()`` ended the run.
    package var wasStopped: Bool
    /// When that stopped the last users; `nil` where their time was over by then.
    package var usersStoppedAt: Instant?
    /// When the last shard finished.
    package var finishedAt: Instant

    package subscript<Value>(dynamicMember count: KeyPath<LiveCounts, Value>) -> Value {
        counts[keyPath: count]
    }
}

/// What one shard leaves behind.
struct ShardResult: Sendable {
    var recorder: RunRecorder
    /// Captured events by the device's global number.
    var captured: [(device: UInt32, count: UInt32)]
    var counts: LiveCounts
    var busyShare: Double
    var peakBusyShare: Double
    var unexpectedAnswers: [UnexpectedAnswer]
    /// When users were stopped, where that was before their time.
    var usersStoppedAt: Instant?
    var finishedAt: Instant
}
