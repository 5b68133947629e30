package import AppModel
import DeviceSDK
package import Timebase
import World

/// The state of one simulated Kit: its folder of files, and the upload of its last start.
package struct KitDevice: HookedDevice, Sendable {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32
    let clock: LocalClock

    /// The rows of all files, oldest first. A file's rows are neighbours, and files leave whole and from the
    /// front; those that left while an upload carries them stay until it ends, with a flag.
    var log = EventLog()
    package var nextSequence: UInt32 = 0
    var uploadCount: UInt32 = 0
    /// The upload that has no answer yet.
    var request: KitRequest?
    /// Positive answers to archives whose files could not be removed, in order.
    var acknowledgements: ContiguousArray<KitAcknowledgement> = []

    /// The app's version at each row's time.
    var epochs = EpochLog(UInt16(0))
    /// What the device's disk makes of writes now.
    var disk = DiskCondition.sound
    var network: NetworkKind
    /// What UIKit knows of the app: gone with the process.
    package var trace = UIKitTrace()
    var retry = RetryState()
    var isRunning = false
    package var isForeground = false

    package var storedCount: Int { log.count }
    package var nextDue: Instant { mutating get { isForeground ? retry.due : .distantFuture } }

    init(index: Int, slot: UInt32, number: UInt32, clock: LocalClock, network: NetworkKind) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.clock = clock
        self.network = network
    }

    /// The day that the device's clock shows.
    func day(of instant: Instant) -> Int64 { clock.day(of: instant) }

    /// Forgets the answers whose rows are gone.
    mutating func trimAcknowledgements() {
        guard !acknowledgements.isEmpty else { return }
        let first = log.first?.sequence ?? .max
        acknowledgements.removeAll { $0.end <= first }
        if acknowledgements.isEmpty { acknowledgements = [] }
    }

    /// Forgets what no row refers to.
    mutating func trimEpochs() { epochs.trim(before: log.first?.epoch) }

    /// Calls `body` with each row, the day of its file and the number of its line there: the first line is
    /// the device's.
    func forEachRow(_ body: (EventRecord, _ day: Int64, _ line: Int64) -> Void) {
        var day = Int64.min
        var line: Int64 = 1
        log.forEach { row in
            let own = self.day(of: row.capturedAt)
            line = own == day ? line + 1 : 2
            day = own
            body(row, day, line)
        }
    }
}

/// The upload of an archive, from the start of the app on.
struct KitRequest: Sendable {
    var number: UInt32
    /// Rows with lower sequences are in the archive.
    var end: UInt32
    /// The start of the app: names the archive.
    var plannedAt: Instant
    /// It came back unsent: the run was over.
    var isReturned = false
}

/// A positive answer to an archive.
struct KitAcknowledgement: Sendable {
    /// Rows with lower sequences were in the archive.
    var end: UInt32
    var at: Instant
}

extension EventRecord {
    /// The row's file was damaged while an upload carries it.
    static let damagedKitRow: UInt16 = 1

    var isDamaged: Bool { flags & EventRecord.damagedKitRow != 0 }
}
