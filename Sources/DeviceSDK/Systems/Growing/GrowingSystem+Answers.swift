import Accounting
package import DeviceSDK
package import Timebase

/// From an answer to the fates of the events that the request carried.
extension GrowingSystem {
    package mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        guard let ended = endRequest(request, of: &device, effects: &effects) else { return }
        let split = device.retry.split(outcome, count: ended.rows.count, under: rules.upload.retry)
        let verdict = verdict(on: outcome, split)
        if split != .halves {
            device.retry.note(
                outcome, of: ended.number.number, begun: device.uploadCount, isKept: verdict == .keep,
                under: rules.upload.retry, at: now,
                streams.retries(ofUpload: ended.number, index: device.index))
        }
        effects.isAcknowledged = verdict == .success
        release(
            ended, isPositive: verdict == .success, mark: nil, of: &device, now: now, effects: &effects)
        if !device.requests.contains(where: { $0.channel == ended.channel }) {
            device.uploadingChannels &= ~(1 << UInt32(ended.channel))
        }
        if verdict != .keep {
            if ended.countsBytes { addTraffic(ended.bytes, of: &device, now: now) }
            remove(ended, of: &device, verdict: verdict, effects: &effects)
            sendOn(Int(ended.channel), of: &device, now: now, effects: &effects)
        } else if split == .halves {
            send(Int(ended.channel), of: &device, due: now, now: now, effects: &effects)
        }
        device.trim()
    }

    private enum Verdict: Equatable {
        case success
        /// The rows go, though nobody has them.
        case drop(status: UInt16)
        case keep
    }

    /// Any 2xx is success and everything else keeps the rows, whatever the channel: `GrowingEventManager` takes
    /// all answers, those to a module's own requests too. The rules may say otherwise.
    private func verdict(on outcome: RequestOutcome, _ split: RetryState.Split) -> Verdict {
        guard case .answered(let status, _, _, _) = outcome else { return .keep }
        if (200...299).contains(status) { return .success }
        switch split {
        case .halves: return .keep
        case .drops: return .drop(status: status)
        case .none: return rules.upload.keeps.keeps(status) ? .keep : .drop(status: status)
        }
    }

    /// `removeEvents_unsafe:forChannel:`: a deletion for each row, through the store's buffer.
    private mutating func remove(
        _ request: GrowingRequest, of device: inout Device, verdict: Verdict, effects: inout DeviceEffects
    ) {
        let kind = request.store
        var disposition: Disposition?
        if case .drop(let status) = verdict { disposition = .rejected(status: status) }
        let isQueued = hasQueue && kind == .timing
        if isQueued && !request.isStale {
            var dropped = ContiguousArray<EventRecord>()
            device.queue.extra.removeAll { row in
                guard request.rows.contains(sequence: row.sequence) else { return false }
                dropped.append(row)
                return true
            }
            for row in dropped {
                if row.isSettled {
                    sealUnlessStored(row, on: device, effects: &effects)
                } else if let disposition {
                    leave(row, as: disposition, on: &device, effects: &effects)
                }
            }
        }
        if rules.services.database {
            // Before the deletions: an event has its number of uploads when its last copy is gone.
            if isQueued && request.isStale { keepStale(request.rows, on: &device) }
            for row in request.rows {
                delete(row, as: disposition, from: kind, of: &device, effects: &effects)
            }
        }
        if isQueued { refillQueue(of: &device, effects: &effects) }
        // 4.x counts the rows of the store then, which writes what waits; 3.x those of a custom channel's.
        if !isQueued { flush(kind, of: &device, effects: &effects) }
    }

    /// As much left as a batch: the channel goes on at once, in 3.x all channels.
    private mutating func sendOn(
        _ channel: Int, of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        let isCustom = routes.channels[channel].isCustom
        let count =
            hasQueue && !isCustom ? queueCount(of: device) : device[kind(isCustom)].table.count
        guard count >= device.retry.limit(rules.upload.batch) else { return }
        if rules.isVersion4 {
            flush(.timing, of: &device, effects: &effects)
            send(channel, of: &device, due: now, now: now, effects: &effects)
        } else {
            sendAll(&device, due: now, now: now, effects: &effects)
        }
    }
}
