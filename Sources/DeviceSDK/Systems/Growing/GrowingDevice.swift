package import AppModel
package import DeviceSDK
package import Timebase

/// The state of one simulated GrowingIO SDK: what is on its disk, what is in its memory, what is on its
/// way. Some 400 bytes and little heap while nothing is stored and nothing is on its way.
package struct GrowingDevice<Table: GrowingEventTable>: HookedDevice, RowDevice, DrawingDevice, Sendable {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32

    // What survives the process.

    package var nextSequence: UInt32 = 0
    var epochs: EpochLog<GrowingEpoch>
    var timing: GrowingStore<Table>
    var realtime: GrowingStore<Table>
    var sequenceIDs = GrowingSequenceLog()
    /// The last `globalSequenceId` (3.x), or the last number of the one sequence (4.x).
    var lastID: UInt32 = 0
    /// 3.x: the last `eventSequenceId` of each type; empty before the first event.
    var lastIDs: ContiguousArray<UInt32> = []
    /// The local file that keeps the cellular bytes of the day, through the encryption service.
    var trafficFile: ContiguousArray<UInt8> = []
    /// Sessions and processes so far.
    var sessionCount: UInt32 = 0
    var processCount: UInt32 = 0

    // What dies with the process.

    package var trace = UIKitTrace()
    var queue = GrowingQueue()
    var timers = EventTimers()
    /// The timer's next tick; never while the process is suspended.
    var tickDue = Instant.distantFuture
    /// The tick after the start of the process, from which the others count.
    var firstTick = Instant.distantFuture
    /// `latestDidEnterBackgroundTime`; ``never`` before.
    var resignedAt = GrowingDevice.never
    /// `latestNonNullUserId`.
    var latestUser: UInt32?
    /// The view controller that appeared last, whether or not its page is tracked: where the next page comes from
    /// (4.x). Screen << 16 | node.
    var lastController = GrowingTemplates.none
    /// Bit n: channel n counts as uploading.
    var uploadingChannels: UInt32 = 0
    /// The local day for which ``trafficBytes`` counts.
    var trafficDay = Int64.min
    var trafficBytes: UInt64 = 0
    var state = State()
    var retry = RetryState()

    // What is on its way.

    package var requests: ContiguousArray<GrowingRequest> = []
    package var detached: ContiguousArray<DetachedEvent> = []
    var uploadCount: UInt32 = 0
    /// Counts the draws that belong to no event.
    package var drawCount: UInt32 = 0

    static var never: Instant { Instant(nanoseconds: .min) }

    struct State: OptionSet, Sendable {
        let rawValue: UInt8
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The process lives.
        static var isRunning: State { State(rawValue: 1 << 0) }
        /// The app is in the foreground.
        static var isActive: State { State(rawValue: 1 << 1) }
        /// The session has its VISIT (`sentVisitAfterRefreshSessionId`).
        static var hasVisit: State { State(rawValue: 1 << 2) }
        /// The app was launched on this device before.
        static var hasLaunched: State { State(rawValue: 1 << 3) }
        /// The app has been in the background in this process.
        static var wasInBackground: State { State(rawValue: 1 << 4) }
        /// The app has told the SDK its location in this process.
        static var hasLocation: State { State(rawValue: 1 << 5) }
        /// The app has been told that it is in the background: `appState` of every event.
        static var isInBackground: State { State(rawValue: 1 << 6) }
    }

    init(index: Int, slot: UInt32, number: UInt32, timing: Table, realtime: Table, epoch: GrowingEpoch) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.timing = GrowingStore(table: timing)
        self.realtime = GrowingStore(table: realtime)
        epochs = EpochLog(epoch)
    }

    package var storedCount: Int { timing.count + realtime.count + queue.unsavedCount }
    package var isForeground: Bool { state.contains(.isActive) }
    package var nextDue: Instant {
        mutating get {
            // Ticks that find nothing to send or write are not worth a wake.
            min(
                storedCount > 0 || !timing.deletes.isEmpty ? tickDue : .distantFuture,
                isForeground ? retry.due : .distantFuture)
        }
    }
    var isRunning: Bool { state.contains(.isRunning) }

    subscript(kind: GrowingStoreKind) -> GrowingStore<Table> {
        _read {
            switch kind {
            case .timing: yield timing
            case .realtime: yield realtime
            }
        }
        _modify {
            switch kind {
            case .timing: yield &timing
            case .realtime: yield &realtime
            }
        }
    }

    /// Forgets the states and ids of the device to which nothing refers any more.
    mutating func trim() {
        var epoch: UInt32?
        var sequence: UInt32?
        func consider(_ record: EventRecord?) {
            guard let record else { return }
            epoch = min(epoch ?? record.epoch, record.epoch)
            sequence = min(sequence ?? record.sequence, record.sequence)
        }
        consider(timing.first)
        consider(realtime.first)
        consider(queue.extra.first)
        for request in requests { consider(request.rows.first) }
        sequenceIDs.trim(before: sequence)
        if epochs.count > 1 { epochs.trim(before: epoch) }
    }
}

/// 3.x: the timing store's rows that wait to be sent, `eventQueue` in `GrowingEventManager.m`.
///
/// It mostly holds what the store holds; kept here is the difference.
struct GrowingQueue: Sendable {
    /// Sequences of rows that are in the store and were not loaded, since the queue has its limit.
    var unloaded: Range<UInt32> = 0..<0
    var unloadedCount = 0
    /// Events in the queue that are not in the store: the store refused them, or has deleted them while
    /// the queue was loaded anew. Oldest first.
    var extra: ContiguousArray<EventRecord> = []

    /// Events that are nowhere else and have no fate yet.
    var unsavedCount: Int { extra.reduce(0) { $0 + ($1.isSettled ? 0 : 1) } }
}

/// A request of a device from the moment that it was built.
package struct GrowingRequest: RowRequest, Sendable {
    package var number: RequestNumber
    /// Index of the channel.
    var channel: UInt8
    /// The channel's.
    var store: GrowingStoreKind
    package var rows: ContiguousArray<EventRecord>
    /// Its bytes count for the day's cellular budget.
    var countsBytes = false
    /// 3.x: the queue was loaded anew meanwhile, and holds the request's events a second time.
    var isStale = false
    package var isStarted = false
    package var isReturned = false
    /// The body's length, once it was written.
    var bytes: UInt64 = 0
    package var plannedAt: Instant
}

extension EventRecord {
    private static let displacedStatus: UInt8 = 1 << 2

    /// 3.x: whether the store gave the row up for others, and the event is now in memory alone.
    var isDisplaced: Bool {
        get { status & EventRecord.displacedStatus != 0 }
        set {
            status = newValue ? status | EventRecord.displacedStatus : status & ~EventRecord.displacedStatus
        }
    }
}
