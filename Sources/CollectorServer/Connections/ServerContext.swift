package import NIOCore
import Synchronization
package import Timebase

/// What all connections of a server share: its limits, the way to the writer, and who gives way where there is no room
/// for all.
///
/// Room is made by closing connections that have waited longest for their clients: in silence between requests, with
/// headers or with bodies that do not get on. A request that comes in one go is always newer than those, so clients
/// that hold on to what they opened keep nobody out.
final class ServerContext: Sendable {
    /// A connection that is open.
    private struct Entry: Sendable {
        var channel: any Channel
        var connection: NIOLoopBound<CollectorConnection>
        var wait: ClientWait
    }

    /// The share of what is limited that is freed at a time, so that looking for it costs little for each.
    private static let freedShare = 16

    let limits: CollectorLimits
    let clock: CollectorClock
    let director: SharedDirector
    let pipeline: CommitPipeline
    let date = DateHeader()
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
    private let heldBytes = Atomic<Int>(0)
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
    var openChannels: [any Channel] { entries.withLock { $0.values.map(\.channel) } }

    /// Bytes of requests that all connections hold now.
    var bytesInHand: Int { heldBytes.load(ordering: .relaxed) }

    /// Enters a connection into the register until it closes; others give way if there are too many.
    ///
    /// - Returns: `false` if there is no room for it.
    func admit(_ channel: any Channel, _ connection: NIOLoopBound<CollectorConnection>, wait: ClientWait)
        -> Bool
    {
        let key = ObjectIdentifier(channel)
        func enter() -> Bool {
            entries.withLock { entries in
                guard entries.count < limits.connections else { return false }
                entries[key] = Entry(channel: channel, connection: connection, wait: wait)
                return true
            }
        }
        if !enter() {
            close(candidates().prefix(max(1, limits.connections / Self.freedShare)))
            guard enter() else { return false }
        }
        channel.closeFuture.whenComplete { _ in self.forget(key) }
        return true
    }

    /// Books bytes of requests in hand, or books them out; others give way if there are too many.
    ///
    /// - Returns: `false` if there is no room for them.
    func hold(_ bytes: Int, wait: ClientWait) -> Bool {
        let held = heldBytes.add(bytes, ordering: .relaxed).newValue
        guard bytes > 0, held > limits.heldBytes else { return true }
        let wanted = held - limits.heldBytes + limits.heldBytes / Self.freedShare
        var freed = 0
        var victims: [Entry] = []
        for candidate in candidates() where candidate.wait !== wait && freed < wanted {
            let bytes = candidate.wait.held.load(ordering: .relaxed)
            guard bytes > 0 else { continue }
            freed += bytes
            victims.append(candidate)
        }
        close(victims)
        return held - freed <= limits.heldBytes
    }

    /// The connections that wait for their clients, those that have waited longest first.
    private func candidates() -> [Entry] {
        entries.withLock { Array($0.values) }
            .map { (since: $0.wait.since.load(ordering: .relaxed), entry: $0) }
            .filter { $0.since != ClientWait.none }.sorted { $0.since < $1.since }.map(\.entry)
    }

    private func close(_ victims: some Sequence<Entry>) {
        for victim in victims {
            // Room is wanted now, and a channel tells later that it has closed.
            forget(ObjectIdentifier(victim.channel))
            // Its bytes count no longer, though its own loop may let go of them only later.
            heldBytes.subtract(victim.wait.held.exchange(0, ordering: .relaxed), ordering: .relaxed)
            let connection = victim.connection
            if victim.channel.eventLoop.inEventLoop {
                connection.value.giveWay()
            } else {
                victim.channel.eventLoop.execute { connection.value.giveWay() }
            }
        }
    }

    private func forget(_ key: ObjectIdentifier) { entries.withLock { _ = $0.removeValue(forKey: key) } }
}

/// How long a connection has waited for its client, and what it holds meanwhile: written on its loop, read anywhere.
final class ClientWait: Sendable {
    /// In ``since``, of a connection whose client is the one that waits.
    static let none = UInt64.max

    /// When it last began to wait, on the clock of the event loops.
    let since = Atomic<UInt64>(ClientWait.none)
    /// Bytes of the request in hand, head and body as they came, and of what came behind it.
    let held = Atomic<Int>(0)
}

/// Tells a connection that the server stops: it closes as soon as no request is in hand.
struct StopEvent: Sendable {}

extension TimeAmount {
    /// The same length of time; none for one below zero.
    package init(_ interval: Interval) { self = .nanoseconds(max(0, interval.nanoseconds)) }
}
