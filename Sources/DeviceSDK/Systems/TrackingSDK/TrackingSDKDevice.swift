package import AppModel
package import DeviceSDK
package import Timebase
import World

/// The state of one simulated TrackingSDK: its file, and the requests of its URLSession. Some 150 bytes
/// and no heap while the file is empty and nothing is on its way.
package struct TrackingSDKDevice: HookedDevice, LogDevice, Sendable {
    package let index: UInt32
    package let slot: UInt32
    package let number: UInt32

    /// The events in the file, and before them those that have left it while a request carries them: their
    /// bodies are made from here. All that the file holds are neighbours: it grows at the end and is
    /// cleared from the front.
    package var log = EventLog()
    /// Events with lower sequences have left the file.
    var fileStart: UInt32 = 0
    /// Events in the file.
    var fileCount: UInt32 = 0
    package var nextSequence: UInt32 = 0
    var uploadCount: UInt32 = 0

    /// Uploads that have no answer yet, oldest first. Neither where they begin nor where they end ever
    /// goes back from one to the next.
    var requests: ContiguousArray<TrackingSDKRequest> = []
    /// What was acknowledged and may still be carried by other uploads, or is in a file that cannot be removed,
    /// in order of the answers.
    var acknowledgements: ContiguousArray<TrackingSDKAcknowledgement> = []

    /// What the device's disk makes of writes now.
    var disk = DiskCondition.sound
    var network: NetworkKind
    /// What UIKit knows of the app: gone with the process.
    package var trace = UIKitTrace()
    /// The app's code answers to the call that is being made: it is not over yet.
    var isAnswered = false
    /// What a hook tells when the original method, in which the app's code is, has come back.
    var held: TrackingSDKEvent?
    /// An upload was put off, since as many as may be were under way.
    var isUploadOwed = false
    var appVersion: UInt16 = 0
    var retry = RetryState()
    var isRunning = false
    package var isForeground = false

    package var storedCount: Int { Int(fileCount) }
    package var nextDue: Instant { mutating get { isForeground ? retry.due : .distantFuture } }

    init(index: Int, slot: UInt32, number: UInt32, network: NetworkKind) {
        self.index = UInt32(index)
        self.slot = slot
        self.number = number
        self.network = network
    }

    /// Forgets the events that are neither in the file nor in a request.
    mutating func trimLog() {
        guard let first = log.first?.sequence else { return }
        let needed = min(fileStart, requests.first?.events.lowerBound ?? .max)
        if first < needed { log.delete(in: first..<needed) }
    }

    /// The parts of a range of sequences that no open request carries, in order. O(open requests).
    ///
    /// - Parameter sentOnly: Leaves out requests that never left: they carry nothing.
    func rangesCarriedByNone(
        of range: Range<UInt32>, sentOnly: Bool = false
    ) -> ContiguousArray<Range<UInt32>> {
        var free: ContiguousArray<Range<UInt32>> = []
        var from = range.lowerBound
        for request in requests where !sentOnly || request.isStarted && !request.isReturned {
            guard from < range.upperBound else { break }
            let events = request.events
            if from < events.lowerBound { free.append(from..<min(events.lowerBound, range.upperBound)) }
            from = max(from, events.upperBound)
        }
        if from < range.upperBound { free.append(from..<range.upperBound) }
        return free
    }
}

/// An upload from the moment that its body was made.
struct TrackingSDKRequest: Sendable {
    var number: UInt32
    /// The file as it was then: rows of the device's log, which keeps them as long as the request is open.
    /// So requests over the same events share them, and an outage of n events takes O(n) memory, though
    /// it sends O(n²) bytes.
    var events: Range<UInt32>
    var count: UInt32
    var plannedAt: Instant
    /// It has a socket; the others wait for one.
    var isStarted = false
    /// It came back unsent, for the run was over: it keeps its socket, so that nothing follows it.
    var isReturned = false
    /// Its events count it among the uploads that carried them.
    var isCounted = false
    /// Where those uploads begin that started later, were counted, and have their answer already.
    var overtakers: ContiguousArray<UInt32> = []
}

/// A positive answer to an upload.
struct TrackingSDKAcknowledgement: Sendable {
    var events: Range<UInt32>
    var at: Instant
}
