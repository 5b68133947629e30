package import CollectorModel
import Foundation
package import Timebase

/// Where a server gets the time of its run from: the embedded collector lives on the run's clock, one
/// that stands alone on the wall clock.
package struct CollectorClock: Sendable {
    /// The present instant; goes on at the real pace.
    package var now: @Sendable () -> Instant
    /// What the store says for an instant of ``now``: where devices live faster, another time.
    package var stamp: @Sendable (Instant) -> Instant

    package init(
        now: @escaping @Sendable () -> Instant, stamp: @escaping @Sendable (Instant) -> Instant = { $0 }
    ) {
        self.now = now
        self.stamp = stamp
    }

    /// The wall clock.
    package static let wall = CollectorClock {
        Instant(nanoseconds: SystemClock.nanoseconds(of: CLOCK_REALTIME))
    }
}

/// What a client may ask of the server before it is turned away.
package struct CollectorLimits: Sendable {
    /// A longer body is answered 413.
    package var bodyBytes = CollectedRequest.bodyLimit
    /// What may come of a request after it was refused before its end: it is read and dropped, so that the client
    /// reaches the answer, for as long as a body may take.
    package var droppedBytes = 64 << 20
    /// The headers of a request, all together.
    package var headerBytes = 64 << 10
    /// From the first byte of a request to the end of its headers.
    package var headerTimeout = Interval.seconds(10)
    /// From the end of the headers to the end of the body.
    package var bodyTimeout = Interval.seconds(30)
    /// Without a request in hand. Long, since a phone's flush may be minutes away.
    package var idleTimeout = Interval.seconds(600)
    /// Beyond this number those that have waited longest for their clients are closed.
    package var connections = 20_000
    /// Bytes of requests that are in hand, coming in or waiting for the writer, of all connections together. Beyond it
    /// the requests that have been coming in longest are cut off; where only the writer is behind, new ones get 503.
    package var heldBytes = 128 << 20
    /// The store's size beyond which it counts as full; `nil` for the disk's.
    package var storeBytes: Int64?
    /// How long a stop waits for requests in hand.
    package var stopGrace = Interval.seconds(5)

    package init() {}
}

/// Whether a store's rows go into the table at once, or into the log in front of it (``StoreLog``).
package enum StoreLogging: Sendable {
    /// Into the table as long as that takes a small share of the time; else into the log.
    case whenBehind
    case always
    case never
}

/// Everything that a server is started with.
package struct CollectorServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any free port.
    package var port = 0
    /// The store's file; `nil` for a temporary one that goes with the server.
    package var storePath: String?
    /// The file that the path names; see ``StoreFiles/resolved(_:)``.
    var storeFile: String? { storePath.map(StoreFiles.resolved) }
    /// Where a temporary store lies.
    package var temporaryFolder = NSTemporaryDirectory()
    package var plan = CollectorPlan()
    package var clock = CollectorClock.wall
    package var systems = CollectorSystem.allCases
    package var limits = CollectorLimits()
    /// Which way rows go to disk. A store of limited size (``CollectorLimits/storeBytes``) has no log.
    package var logging = StoreLogging.whenBehind
    /// Whether the disk refuses a transaction that is to be committed now: for simulated machines.
    package var refusesCommit: @Sendable () -> Bool = { false }
    /// Is called when the store is open, just before anybody can connect.
    package var willListen: @Sendable () -> Void = {}
    /// Hears of failures that the server goes on with, such as a full disk, and of their ends.
    package var onWarning: @Sendable (String) -> Void = { _ in }

    package init() {}
}

/// Why a server could not start or a store could not be read.
package enum CollectorServerError: Error, Equatable, CustomStringConvertible {
    /// The listening address is malformed, in use or not allowed.
    case cannotListen(host: String, port: Int, reason: String)
    /// The file is no store of this program: another program's database, or no database at all.
    case foreignStore(path: String, reason: String)
    /// The store was written by a newer version.
    case newerStore(path: String, version: Int)
    /// The store cannot be opened, read or written.
    case storeFailure(path: String, reason: String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host.contains(":") ? "[\(host)]" : host):\(port): \(reason)"
        case .foreignStore(let path, let reason):
            "\(path) is not a store of this program: \(reason)"
        case .newerStore(let path, let version):
            "\(path) has schema version \(version), which is newer than this program's \(EventStore.schemaVersion)"
        case .storeFailure(let path, let reason):
            "cannot use the store \(path): \(reason)"
        }
    }
}
