package import DeviceSDK
import Dispatch
package import Files
import NIOPosix
package import Timebase
import VirtualEngine

/// The simulation behind a dataset while it is played: some devices on each thread.
package final class DatasetPlay {
    package let start: Instant
    package let length: Interval
    let fates: [BucketSpool<FateRecord>]
    /// Events that ended before they arrived, where they are kept.
    let unsent: [UnsentEvents]
    private let plans: DatasetPlans
    private let fields: RowFields
    private let feeds: [ArrivalFeed]
    private let clock: DatasetClock
    private let pool: NIOThreadPool
    private let group = DispatchGroup()
    private var players: [PlayerBox] = []
    /// How many uploads began; known after ``end()``.
    package private(set) var uploads: UInt64 = 0

    package init(
        _ plans: DatasetPlans, fields: RowFields, folder: String, start: Instant,
        spools: String = "fates", keepsUnsent: Bool = false
    ) throws(FileFailure) {
        self.plans = plans
        self.fields = fields
        self.start = start
        let schedule = plans.configuration.schedule
        length = schedule.duration + schedule.drain
        let count = plans.shardCount
        feeds = (0..<count).map { _ in ArrivalFeed() }
        clock = DatasetClock(count, start: start)
        pool = NIOThreadPool(numberOfThreads: count)
        var fates: [BucketSpool<FateRecord>] = []
        for shard in 0..<count {
            fates.append(
                try BucketSpool("\(folder)/_\(spools)-\(shard).partial", buckets: plans.buckets.count))
        }
        self.fates = fates
        var unsent: [UnsentEvents] = []
        for shard in 0..<(keepsUnsent ? count : 0) {
            unsent.append(try UnsentEvents("\(folder)/_unsent-\(shard).partial", plans.buckets))
        }
        self.unsent = unsent
    }

    /// How far the slowest thread is.
    package var now: Instant { min(clock.now, start + length) }

    /// Begins to play.
    package func begin(_ makeFleet: @escaping @Sendable (PopulationPlan, ShardShare) -> any DeviceFleet) {
        pool.start()
        for number in feeds.indices {
            let player = PlayerBox(
                ShardPlayer(
                    number, plans, fields: fields, into: feeds[number], fates: fates[number], clock: clock,
                    unsent: unsent.isEmpty ? nil : unsent[number]))
            players.append(player)
            group.enter()
            pool.submit { [group] _ in
                player.player.play(makeFleet)
                group.leave()
            }
        }
    }

    /// Calls `body` with each row, in order of arrival, until it wants no more.
    package func forEachRow(_ body: (ArrivalRow) throws(FileFailure) -> Bool) throws(FileFailure) {
        let merge = ArrivalMerge(feeds)
        try merge.forEachRow(body)
    }

    /// Nobody wants further rows: waits until nobody plays any more, which is soon.
    package func end() {
        for feed in feeds { feed.abandon() }
        group.wait()
        uploads = players.reduce(0) { $0 + $1.player.uploads }
        players.removeAll()
        pool.shutdownGracefully { _ in }
    }

    /// Removes its own files, of which nobody reads any more.
    package func removeFiles() {
        for spool in fates { spool.remove() }
        for events in unsent { events.remove() }
    }

    /// Hands a player to its thread.
    private final class PlayerBox: @unchecked Sendable {
        // SAFETY: the thread that plays is the only one to touch it until ``end()`` has waited for that.
        let player: ShardPlayer

        init(_ player: ShardPlayer) { self.player = player }
    }
}
