import Accounting
import CollectorModel
import DeviceSDK
import Files
import Measurement
import Synchronization
import Timebase
import VirtualEngine
import World

/// How far the threads that play devices are, in the run's time.
final class DatasetClock: Sendable {
    private let instants: Mutex<[Instant]>

    init(_ count: Int, start: Instant) { instants = Mutex(Array(repeating: start, count: count)) }

    func note(_ now: Instant, of player: Int) { instants.withLock { $0[player] = now } }

    /// The one that is least far.
    var now: Instant { instants.withLock { $0.min() ?? .distantFuture } }
}

/// Plays one part of the devices of all populations, and hands on what comes of it: rows to the feed, fates to a file.
final class ShardPlayer {
    private let number: Int
    private let plans: DatasetPlans
    private let feed: ArrivalFeed
    private let clock: DatasetClock
    private let fates: BucketSpool<FateRecord>
    private let fields: RowFields
    private let unsent: UnsentEvents?
    /// How many uploads began; known when it has played.
    private(set) var uploads: UInt64 = 0

    init(
        _ number: Int, _ plans: DatasetPlans, fields: RowFields, into feed: ArrivalFeed,
        fates: BucketSpool<FateRecord>, clock: DatasetClock, unsent: UnsentEvents?
    ) {
        self.unsent = unsent
        self.number = number
        self.fields = fields
        self.plans = plans
        self.feed = feed
        self.fates = fates
        self.clock = clock
    }

    /// Plays to the end, or until nobody wants any more.
    func play(_ makeFleet: (PopulationPlan, ShardShare) -> any DeviceFleet) {
        let share = plans.share(ofShard: number)
        let fleets = plans.populations.map { makeFleet($0, share) }
        let recorder = ArrivalRecorder(
            plans.populations, collector: plans.collector, keepsIDs: plans.tagsEvents, fields: fields,
            into: feed, unsent: unsent)
        var configuration = plans.configuration
        // A fault may acknowledge what it does not keep.
        let swallows = !plans.collector.faults.isEmpty
        if unsent != nil { configuration.keepsBodies = swallows ? .all : .undelivered }
        var observer = Observer(
            number: number, feed: feed, clock: clock, fates: fates, buckets: plans.buckets)
        _ = runVirtually(configuration, fleets: fleets, observer: &observer, arrivals: recorder)
        uploads = observer.uploads
        recorder.finish()
        clock.note(.distantFuture, of: number)
        feed.end(observer.failure ?? recorder.failure)
    }

    private struct Observer: VirtualObserver {
        /// But for a dataset that nobody wants any more.
        let mayEndUsers = false
        let number: Int
        let feed: ArrivalFeed
        let clock: DatasetClock
        let fates: BucketSpool<FateRecord>
        let buckets: DeviceBuckets
        var failure: FileFailure?
        var uploads: UInt64 = 0

        mutating func requested(_ request: OutgoingRequest, at now: Instant) {
            // As reports count them: no fetches of configurations, and nothing that cannot leave.
            if request.eventCount > 0, request.network != .none { uploads += 1 }
        }

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {
            guard failure == nil else { return }
            do throws(FileFailure) {
                for event in events { try fates.append(FateRecord(event), to: buckets[event.id.device]) }
            } catch {
                failure = error
            }
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            clock.note(now, of: number)
            return failure == nil
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            failure != nil || feed.isUnwanted ? .end : .goOn
        }
    }
}

extension FateRecord {
    init(_ event: SealedEvent) {
        self.init(
            capturedAt: event.capturedAt.nanoseconds, ackedAt: event.ackedAt.nanoseconds,
            device: event.id.device, sequence: event.id.sequence, disposition: event.disposition.code,
            label: event.label, attempts: event.attempts)
    }
}

extension SealedEvent {
    init(_ fate: FateRecord, _ disposition: Disposition) {
        self.init(
            id: EventID(device: fate.device, sequence: fate.sequence), label: fate.label,
            attempts: fate.attempts, disposition: disposition,
            capturedAt: Instant(nanoseconds: fate.capturedAt), ackedAt: Instant(nanoseconds: fate.ackedAt))
    }
}
