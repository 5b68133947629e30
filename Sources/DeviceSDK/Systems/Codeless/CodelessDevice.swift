package import AppModel
package import DeviceSDK
package import Timebase
import World

/// The state of one simulated codeless SDK: the two stages of its memory, its files, and what is on its
/// way. Some 250 bytes and no heap while nothing is captured and nothing is on its way.
package struct CodelessDevice: HookedDevice, LogDevice, Sendable {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32

    /// All events that the device has: by sequence first those in files, then the parts of
    /// `popedEventDict`, then `eventArray`.
    package var log = EventLog()
    /// Where the memory of this process begins.
    var memoryStart: UInt32 = 0
    /// Where `eventArray` begins: the events before it have been popped.
    var arrayStart: UInt32 = 0
    package var nextSequence: UInt32 = 0
    var epochs = EpochLog(CodelessEpoch())

    // What survives the process.

    /// Oldest first.
    var files: ContiguousArray<CodelessFile> = []
    /// Counts the ids that were drawn (``CodelessSystem/eventsID(_:of:)``), over all processes.
    var eventsIDCount: UInt32 = 0
    var sessionCount: UInt32 = 0
    var uploadCount: UInt32 = 0
    var fetchCount: UInt32 = 0

    // What dies with it.

    /// `popedEventDict`, oldest first.
    var parts: ContiguousArray<CodelessPart> = []
    /// The upload of the oldest file: the uploader's guard.
    var fileUpload: CodelessFileUpload?
    /// The open fetch of the configuration.
    var fetch: UInt32?
    /// The next tick of the timer, which stands still in the background.
    var tickDue = Instant.distantFuture
    var backgroundSince = Instant.distantFuture
    var retry = RetryState()
    package var trace = UIKitTrace()
    var isRunning = false
    package var isForeground = false

    // What is around it.

    var disk = DiskCondition.sound
    /// Counts the installations of the app from 0.
    var installation: UInt8 = 0
    var network: NetworkKind

    init(index: Int, slot: UInt32, number: UInt32, network: NetworkKind) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.network = network
    }

    package var storedCount: Int { log.count }
    /// Events in `eventArray`.
    var arrayCount: Int { Int(nextSequence - arrayStart) }
    /// Ticks of the timer that find nothing to send are not worth a wake.
    package var nextDue: Instant {
        mutating get {
            guard isForeground else { return .distantFuture }
            return min(arrayCount > 0 || hasPartsToRetry ? tickDue : .distantFuture, retry.due)
        }
    }
    /// A tick of the timer would send failed parts again.
    var hasPartsToRetry = false

    /// Forgets the states of the device to which nothing refers any more.
    mutating func trimEpochs() {
        if epochs.count > 1 { epochs.trim(before: log.first?.epoch) }
    }
}

/// What was true on a device when an event was captured, beyond the event itself.
struct CodelessEpoch: Hashable, Sendable {
    /// Counts the device's sessions from 1.
    var session: UInt32 = 0
    var appVersion: UInt16 = 0
    /// The configuration in force: an index into the system's table.
    var config: UInt16 = 0
}

/// An entry of `popedEventDict`: what a trigger took from `eventArray`.
struct CodelessPart: Sendable {
    enum State: Sendable {
        /// In the queue behind as many uploads as may run at a time.
        case waiting
        case uploading(UInt32)
        /// Its upload has failed: nothing comes back for it.
        case failed
    }

    /// The number of its `eventsID`.
    var eventsID: UInt32
    /// Its events in the device's log.
    var events: Range<UInt32>
    var state = State.waiting
    var plannedAt: Instant
}

/// A file that a process left behind.
struct CodelessFile: Sendable {
    /// Its events in the device's log.
    var events: Range<UInt32>
    /// The number of its `eventsID`, where files keep one.
    var eventsID: UInt32?
    /// Bytes of its events, where files have a bound of bytes and it was asked for.
    var bytes: Int?
    /// When its content was acknowledged first: of a file that could not be deleted then.
    var ackedAt: Instant?
    /// The file was damaged while its content was on its way.
    var isDamaged = false
}

/// The one upload of a file at a time.
struct CodelessFileUpload: Sendable {
    /// Of the upload's request.
    var number: UInt32
    /// The number of the `eventsID` that it travels under.
    var eventsID: UInt32
    /// It came back unsent: the run was over.
    var isReturned = false
}
