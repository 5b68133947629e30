package import DeviceSDK
package import Timebase

/// The state of one simulated Sensors SDK: what is on its disk, what is in its memory, what is on
/// its way. 224 bytes and no heap while nothing is stored and nothing is on its way.
package struct SensorsDevice<Store: SensorsStore>: RowDevice, DrawingDevice {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32

    // What survives the process. The order of all members leaves no gaps between them.

    /// The local date of the first launch, in days since 1970-01-01.
    var firstDay = Int32.min
    package var nextSequence: UInt32 = 0
    /// Counts the draws that belong to no event: failing deletions and intervals between fetches.
    package var drawCount: UInt32 = 0
    /// The store on disk.
    var store: Store
    /// The configuration on disk: an index into the system's table.
    var storedConfig: UInt16 = 0
    var epochs: EpochLog<SensorsEpoch>
    /// When a random interval lets the next fetch of the configuration pass.
    var nextFetchAt = Instant(nanoseconds: .min)

    // What dies with the process.

    var memory = SensorsRefusedRows()
    /// What waits behind a running request (1.10.17, and debug mode).
    var waiting = SerialQueue()
    var lastTap: (screen: UInt16, control: UInt16) = (.max, .max)
    /// The next tick of the foreground timer; never while it is stopped.
    var flushDue = Instant.distantFuture
    /// When a failed fetch of the configuration is tried again.
    var retryDue = Instant.distantFuture
    var retry = RetryState()
    /// When the clock of `$AppEnd` started; never while it does not run.
    var appEndSince = Instant.distantFuture
    var lastTapAt = Instant(nanoseconds: .min)
    var timers = EventTimers()
    var currentScreen = UInt16.max
    /// The last page that was reported: of 1.10.17 the last with a URL, of 4.9.1 where screens are not reported
    /// as themselves alone.
    var viewedPage = UInt16.max
    var activeConfig: UInt16 = 0
    var retryAttempt: UInt8 = 0
    var state = State()

    // What is on its way.

    package var requests: ContiguousArray<SensorsRequest> = []
    package var detached: ContiguousArray<DetachedEvent> = []
    var uploadCount: UInt32 = 0
    var fetchCount: UInt32 = 0

    struct State: OptionSet {
        let rawValue: UInt8
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The process lives.
        static var isRunning: State { State(rawValue: 1 << 0) }
        /// The app is in the foreground, as the SDK sees it.
        static var isActive: State { State(rawValue: 1 << 1) }
        /// The process was in the background before: coming to the foreground is a hot start.
        static var wasInBackground: State { State(rawValue: 1 << 2) }
        /// Some process of this app was launched before (`HasLaunchedOnce`).
        static var hasLaunched: State { State(rawValue: 1 << 3) }
        /// The configuration has switched debug mode off for this process.
        static var debugIsOff: State { State(rawValue: 1 << 4) }
        /// A request is running behind which the SDK's serial queue waits.
        static var isBlocked: State { State(rawValue: 1 << 5) }
        /// The flush that the background began is to end with a `VACUUM`.
        static var wantsVacuum: State { State(rawValue: 1 << 6) }
    }

    init(index: Int, slot: UInt32, number: UInt32, store: Store, epoch: SensorsEpoch) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.store = store
        epochs = EpochLog(epoch)
    }

    package var storedCount: Int { store.count + memory.count }
    package var isForeground: Bool { state.contains(.isActive) }
    package var nextDue: Instant {
        mutating get {
            // Ticks of the timer that find nothing to send are not worth a wake.
            min(
                storedCount > 0 ? flushDue : .distantFuture, retryDue,
                isForeground ? retry.due : .distantFuture)
        }
    }
    package mutating func prefetch() { store.prefetch() }
    var isRunning: Bool { state.contains(.isRunning) }
    var isBlocked: Bool { state.contains(.isBlocked) }

    /// Forgets the states of the device to which nothing refers any more.
    mutating func trimEpochs() {
        guard epochs.count > 1 else { return }
        var oldest: UInt32?
        func consider(_ record: EventRecord?) {
            guard let epoch = record?.epoch else { return }
            oldest = min(oldest ?? epoch, epoch)
        }
        consider(store.first)
        consider(memory.first)
        consider(waiting.firstRecord)
        for request in requests { consider(request.rows.first) }
        epochs.trim(before: oldest)
    }
}

/// A request of a device from the moment that it was built.
package struct SensorsRequest: RowRequest {
    package var number: RequestNumber
    package var rows: ContiguousArray<EventRecord> = []
    /// The rows' JSON, if the store keeps it.
    var contents = SensorsContents()
    /// The rows came from the list in memory and not from the store.
    var isFromMemory = false
    /// Built in debug mode: one event, another path, another rule for the answer.
    var isDebug = false
    /// Behind it the serial queue waits.
    var isBlocking = false
    package var isStarted = false
    package var isReturned = false
    /// What the flush takes along that it belongs to.
    var flush = SensorsRules.FlushKind.all
    /// Batches that the flush may still send after this one.
    var batchesLeft = 0
    /// For a fetch of the configuration: how many failed before it.
    var attempt: UInt8 = 0
    package var plannedAt: Instant
}

/// Blocks that wait on the SDK's serial queue behind a running request, oldest first.
struct SerialQueue {
    enum Task {
        case store(EventRecord)
        /// `count` flushes, asked for at `due`, `due` + `spacing`, …: the ticks of a timer take the
        /// room of one.
        case flush(SensorsRules.FlushKind, due: Instant, spacing: Interval, count: UInt32)
    }

    private var tasks: ContiguousArray<Task> = []
    private var head: UInt32 = 0

    var isEmpty: Bool { Int(head) == tasks.count }

    /// The oldest event that waits. O(flushes before it).
    var firstRecord: EventRecord? {
        for task in tasks[Int(head)...] {
            if case .store(let record) = task { return record }
        }
        return nil
    }

    mutating func append(_ record: EventRecord) { tasks.append(.store(record)) }

    mutating func appendFlush(_ kind: SensorsRules.FlushKind, due: Instant) {
        if !isEmpty, case .flush(let last, let first, let spacing, let count)? = tasks.last, last == kind {
            let gap = count == 1 ? due - first : spacing
            if first + gap * Int64(count) == due {
                tasks[tasks.count - 1] = .flush(kind, due: first, spacing: gap, count: count + 1)
                return
            }
        }
        tasks.append(.flush(kind, due: due, spacing: .zero, count: 1))
    }

    /// Takes the oldest block; of several flushes in one place, one.
    mutating func popFirst() -> Task? {
        guard !isEmpty else { return nil }
        let task = tasks[Int(head)]
        if case .flush(let kind, let due, let spacing, let count) = task, count > 1 {
            tasks[Int(head)] = .flush(kind, due: due + spacing, spacing: spacing, count: count - 1)
            return .flush(kind, due: due, spacing: .zero, count: 1)
        }
        head += 1
        if isEmpty {
            removeAll()
        } else if head >= 64 && Int(head) * 2 >= tasks.count {
            tasks.removeFirst(Int(head))
            head = 0
        }
        return task
    }

    mutating func removeAll() {
        tasks = []
        head = 0
    }

    /// Calls `body` with each event that waits.
    func forEachRecord(_ body: (EventRecord) -> Void) {
        for task in tasks[Int(head)...] {
            if case .store(let record) = task { body(record) }
        }
    }
}
