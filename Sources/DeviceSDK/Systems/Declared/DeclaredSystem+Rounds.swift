import DeviceSDK
import SDKDescription
import Timebase

/// Rounds: a flush reads a batch, makes requests of it, and reads the next one when all of them are done with.
extension DeclaredSystem {
    /// Divides a batch into requests.
    ///
    /// - Returns: the rows of the first; the others are parts that the flush still has to send.
    func beginRound(
        of batch: ContiguousArray<EventRecord>, _ device: inout Device
    ) -> ContiguousArray<EventRecord> {
        let first = fitting(batch, of: device)
        guard first.count < batch.count else { return first }
        let isNewestFirst = sdk.storage.order == .newest
        var rest = batch
        var part = first
        while true {
            if isNewestFirst { rest.removeLast(part.count) } else { rest.removeFirst(part.count) }
            guard !rest.isEmpty else { return first }
            part = fitting(rest, of: device)
            device.log.update(part) { $0.isUploading = true }
            device.parts.append(part)
        }
    }

    /// Notes what an answer means for its round. A round of which nothing was delivered has failed when it is done with.
    mutating func endRound(
        _ verdict: AnswerTable.Verdict, with request: DeclaredRequest, _ device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        if verdict.isPositive { device.state.insert(.hasRoundSuccess) }
        // A flush that is stopped sends no more parts.
        guard device.requests.isEmpty, device.parts.isEmpty || device.batchesLeft == 0 else { return }
        // Answers come in any order.
        let rows = ContiguousArray(device.failedRows.sorted { $0.sequence < $1.sequence })
        let state = device.state
        let limits = (device.eventLimitBefore, device.bulkLimitBefore)
        forgetRound(&device)
        guard !rows.isEmpty, !state.contains(.hasRoundSuccess) else { return }
        device.batchesLeft = 0
        let isGivenUp = noteFailure(
            of: rows, in: request, waits: state.contains(.hasRoundWait), on: &device, now: now,
            effects: &effects)
        // With the failure that gives up, nothing is halved.
        if isGivenUp { (device.eventLimit, device.bulkLimit) = limits }
    }

    func forgetRound(_ device: inout Device) {
        device.state.remove([.hasRoundSuccess, .hasRoundWait])
        device.failedRows = []
        (device.eventLimitBefore, device.bulkLimitBefore) = (device.eventLimit, device.bulkLimit)
    }
}
