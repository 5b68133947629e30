package import Accounting
package import CollectorModel
package import CollectorServer
import Foundation
package import NIOCore
package import NIOEmbedded
package import Timebase

/// The collector on a simulated machine: its transactions take time, and its process may die at any moment and come
/// back with what was durable.
///
/// Confined to its loop.
package final class SimulatedCollector: SimulatedHost {
    private let loop: EmbeddedEventLoop
    private var configuration: CollectorServerConfiguration
    private let disk: DiskConditions
    private var random: RandomStream
    private var life: (collector: ChannelCollector, commits: SimulatedCommits)?
    private let folder: String
    private let usesLog: Bool
    private var lives = 0
    /// What earlier lives counted.
    private var past: [CollectorStatistics] = []
    private var lastReceipts = Receipts()

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - configuration: Host, port and the store's path are not used.
    ///   - folder: An empty folder for its files; in memory, where there is such a file system.
    ///   - disk: What its disk makes of transactions.
    /// - Throws: `CollectorServerError`.
    package init(
        on loop: EmbeddedEventLoop, configuration: CollectorServerConfiguration, folder: String,
        disk: DiskConditions = DiskConditions(), seed: UInt64
    ) throws {
        self.loop = loop
        self.configuration = configuration
        self.folder = folder
        self.disk = disk
        random = RandomStream(key: seed ^ RandomStream.hash(of: "collector"))
        usesLog = seed & 1 == 1
        try start()
    }

    package var accepts: Bool {
        guard let life else { return false }
        return !life.collector.refusesConnections(at: configuration.clock.now())
    }

    package func serve(_ channel: any Channel) throws -> Bool { try life?.collector.serve(channel) ?? false }

    /// Starts the process, if it does not run.
    package func start() throws {
        guard life == nil else { return }
        lives += 1
        random = random.child(UInt64(lives))
        let commits = SimulatedCommits(on: loop, disk: disk, random: random)
        configuration.storePath = path(ofLife: lives)
        configuration.limits.storeBytes = disk.storeBytes
        configuration.refusesCommit = { commits.refuses() }
        // Half of the worlds have the log in front of the table.
        configuration.logging = usesLog ? .always : .never
        life = (
            try ChannelCollector(configuration: configuration, executor: commits, merger: commits), commits
        )
    }

    /// The process dies: its queue is lost, and of its files the next life finds what was written.
    package func die() throws {
        guard let (collector, commits) = life else { return }
        commits.die()
        let (statistics, receipts) = collector.snapshot()
        past.append(statistics)
        lastReceipts = receipts
        // What another process would find now, whatever this one's closing might still write.
        for suffix in try StoreFiles.suffixes(at: path(ofLife: lives)) {
            try FileManager.default.copyItem(
                atPath: path(ofLife: lives) + suffix, toPath: path(ofLife: lives + 1) + suffix)
        }
        collector.abandon()
        life = nil
    }

    /// Has connections end with their next answer, and ends the idle ones.
    package func beginStop() {
        life?.collector.beginStop()
        life?.collector.closeIdle()
    }

    /// Closes the store.
    package func close() {
        life?.collector.abandon()
    }

    /// The connections that are open now.
    package var openConnections: Int { life?.collector.openChannels.count ?? 0 }

    /// What was counted in each life, and what is held.
    package func snapshot() -> (statistics: [CollectorStatistics], receipts: Receipts) {
        guard let life else { return (past, lastReceipts) }
        let (statistics, receipts) = life.collector.snapshot()
        return (past + [statistics], receipts)
    }

    /// The store's file in the present life, or the last.
    package var storePath: String { path(ofLife: lives) }

    private func path(ofLife number: Int) -> String { "\(folder)/collected-\(number).sqlite" }
}

/// What a simulated collector's disk makes of its transactions.
package struct DiskConditions: Hashable, Sendable {
    /// What a transaction takes.
    package var commitTime = Interval.microseconds(300)...Interval.microseconds(300)
    /// The share of transactions that the disk refuses, 0…1.
    package var commitFails = 0.0
    /// The size at which it is full, in bytes; `nil` for never.
    package var storeBytes: Int64?

    /// A sound disk, a fast one.
    package init() {}
}

/// Writes transactions on the loop, each after the time that it takes.
///
/// Unchecked: all of it happens on its loop, which one thread drives.
final class SimulatedCommits: CommitExecutor, @unchecked Sendable {
    private let loop: EmbeddedEventLoop
    private let disk: DiskConditions
    private var random: RandomStream
    private var isAlive = true

    init(on loop: EmbeddedEventLoop, disk: DiskConditions, random: RandomStream) {
        self.loop = loop
        self.disk = disk
        self.random = random
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        loop.scheduleTask(in: TimeAmount(random.interval(in: disk.commitTime))) { if self.isAlive { work() } }
    }

    func shutDown() async {}

    func refuses() -> Bool { random.chance(disk.commitFails) }

    func die() { isAlive = false }
}
