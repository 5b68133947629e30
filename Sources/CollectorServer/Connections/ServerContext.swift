import NIOCore
import Synchronization
import Timebase

/// What all connections of a server share.
final class ServerContext: Sendable {
    let limits: CollectorLimits
    let clock: CollectorClock
    let director: SharedDirector
    let pipeline: CommitPipeline
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    private let stopping = Atomic(false)

    init(configuration: CollectorServerConfiguration, director: SharedDirector, pipeline: CommitPipeline) {
        limits = configuration.limits
        clock = configuration.clock
        self.director = director
        self.pipeline = pipeline
    }

    /// Whether the server is on its way down: connections end with their next answer.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func beginStop() { stopping.store(true, ordering: .relaxed) }

    /// The connections that are open now.
    var openChannels: [any Channel] { channels.withLock { Array($0.values) } }

    /// Enters a connection into the register until it closes.
    ///
    /// - Returns: `false` if there is no room for it.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let admitted = channels.withLock { channels in
            guard channels.count < limits.connections else { return false }
            channels[key] = channel
            return true
        }
        if admitted {
            channel.closeFuture.whenComplete { _ in
                self.channels.withLock { _ = $0.removeValue(forKey: key) }
            }
        }
        return admitted
    }
}

/// Tells a connection that the server stops: it closes as soon as no request is in hand.
struct StopEvent: Sendable {}

extension TimeAmount {
    init(_ interval: Interval) { self = .nanoseconds(max(0, interval.nanoseconds)) }
}
