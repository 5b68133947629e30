package import DeviceSDK
import SDKDescription
package import Timebase
package import World

/// The state of one simulated device: what is on its disk, what is in its process, what is on its way.
package struct DeclaredDevice: RowDevice {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32

    // What survives the process.

    /// The store, also where it is in memory alone.
    var log = EventLog()
    package var nextSequence: UInt32 = 0
    var epochs: EpochLog<DeclaredEpoch>
    var disk = DiskCondition.sound
    /// The files of the store that are closed, where there are files.
    var files: ContiguousArray<DeclaredFile> = []
    /// The app's version when it last ran; `UInt16.max` before it did.
    var installed = UInt16.max
    /// What configurations have turned: an index into the system's table.
    var turned: UInt16 = 0
    /// What the user has told the SDK of consent; `nil` for nothing.
    var consentSaid: Bool?
    /// Whether consent is absent.
    var isRefused = false
    /// Rows from this sequence on are in the memory of the process alone.
    var volatileFrom: UInt32
    /// Bytes of the rows' JSON, and of those in the file that is being written, where something asks for them.
    var bytes = 0
    var openBytes = 0

    // What dies with the process.

    /// When something was captured last, or the app came to the foreground.
    var activeAt = Instant(nanoseconds: .min)
    /// Whether this installation has had a session. A new one goes on counting those of the one before.
    var hasHadSession: Bool { epochs.current.session > 0 && activeAt > Instant(nanoseconds: .min) }
    /// The next tick of the timer; never while it is stopped.
    var flushDue = Instant.distantFuture
    /// When the SDK tries again by itself.
    var retryDue = Instant.distantFuture
    /// No upload begins before.
    var quietUntil = Instant(nanoseconds: .min)
    var failures: UInt32 = 0
    /// Events captured since the last flush.
    var sinceFlush: UInt32 = 0
    /// Events that a request may carry, and that set off an upload, after answers that halved them.
    var eventLimit = UInt32.max
    var bulkLimit = UInt32.max
    /// What both were when the round began.
    var eventLimitBefore = UInt32.max
    var bulkLimitBefore = UInt32.max
    /// Requests that the flush which is under way may still begin.
    var batchesLeft = 0
    /// The same for each further lane, and how many lanes still have their turn in the flush.
    var laneBatches = 0
    var lanesLeft: UInt8 = 0
    /// Files that end here or before have had their turn in the flush; so have rows before it, where files are days.
    var fileCursor: UInt32 = 0
    /// When each configuration was fetched last; empty before the first.
    var fetchedAt: ContiguousArray<Instant> = []
    var screen = UInt16.max
    /// The screen before it.
    var previousScreen = UInt16.max
    var state = State()

    // What is on its way.

    package var requests: ContiguousArray<DeclaredRequest> = []
    /// Parts of a batch that was split, still to be sent by the flush; their rows are marked.
    var parts: ContiguousArray<ContiguousArray<EventRecord>> = []
    /// What requests of the round carried that failed.
    var failedRows: ContiguousArray<EventRecord> = []
    package var detached: ContiguousArray<DetachedEvent> = []
    var fetches: ContiguousArray<DeclaredFetch> = []
    var uploadCount: UInt32 = 0
    var fetchCount: UInt32 = 0

    struct State: OptionSet {
        let rawValue: UInt8
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The process lives.
        static var isRunning: State { State(rawValue: 1 << 0) }
        static var isForeground: State { State(rawValue: 1 << 1) }
        static var wasInBackground: State { State(rawValue: 1 << 2) }
        /// All uploads are stopped.
        static var isLatched: State { State(rawValue: 1 << 3) }
        /// Timers run in the background too.
        static var runsAlways: State { State(rawValue: 1 << 4) }
        /// The system started the process, and the app has not been in the foreground yet.
        static var isUnseen: State { State(rawValue: 1 << 5) }
        /// A request of the round was a success.
        static var hasRoundSuccess: State { State(rawValue: 1 << 6) }
        /// A failure of the round asks for a wait.
        static var hasRoundWait: State { State(rawValue: 1 << 7) }
    }

    init(index: Int, slot: UInt32, number: UInt32, epoch: DeclaredEpoch, volatileFrom: UInt32) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.volatileFrom = volatileFrom
        epochs = EpochLog(epoch)
    }

    package var storedCount: Int { log.count }
    package var isForeground: Bool { state.contains(.isForeground) }
    package var isLatched: Bool { state.contains(.isLatched) }
    var isRunning: Bool { state.contains(.isRunning) }
    package var network: NetworkKind { epochs.current.network }
    package var nextDue: Instant {
        mutating get {
            // Ticks of the timer that find nothing to send are not worth a wake.
            guard log.count > 0 else { return .distantFuture }
            return isForeground || state.contains(.runsAlways) ? min(flushDue, retryDue) : flushDue
        }
    }

    package var allRows: ContiguousArray<EventRecord> { log.rows }

    package mutating func updateRows(
        of request: DeclaredRequest, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        log.update(request.rows) {
            if let mark { $0.isUploading = mark }
            change(&$0)
        }
    }

    /// Forgets the states of the device to which nothing refers any more.
    mutating func trimEpochs() {
        guard epochs.count > 1 else { return }
        var oldest = log.first?.epoch
        for request in requests {
            guard let epoch = request.rows.first?.epoch else { continue }
            oldest = min(oldest ?? epoch, epoch)
        }
        epochs.trim(before: oldest)
    }
}

/// A file of the store that is closed.
struct DeclaredFile {
    /// The sequence at which it ends.
    var end: UInt32
    var closedAt: Instant
}

/// A request from the moment that it was made.
package struct DeclaredRequest: RowRequest {
    package var number: RequestNumber
    package var rows: ContiguousArray<EventRecord>
    package var isStarted = false
    package var isReturned = false
    package var sharesRows = false
    package var plannedAt: Instant
    /// Requests that its flush may still begin after it, where flushes go on beside each other.
    var batchesLeft = 0
    /// When the file was closed that it sends; `nil` for no file.
    var sealedAt: Instant?
}
