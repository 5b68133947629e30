import Accounting
import AppModel
package import DeviceSDK
import SDKDescription
package import Timebase

/// What becomes of an event on its way to the store, and what sets off an upload there.
extension DeclaredSystem {
    /// Captures an action of which the app's code says nothing more, and what comes before it.
    mutating func capture(
        _ action: DescribedSDK.Action, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        captureAll(action, draft(action, on: device), on: &device, now: now, effects: &effects)
    }

    /// Captures an event, and what comes before it.
    mutating func captureAll(
        _ action: DescribedSDK.Action, _ draft: DeclaredDraft, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        if templates.isAlone(action) { return capture(draft, on: &device, now: now, effects: &effects) }
        for other in templates.before(action) {
            captureAlong(other, on: &device, now: now, effects: &effects)
        }
        capture(draft, on: &device, now: now, effects: &effects)
        for other in templates.after(action) {
            captureAlong(other, on: &device, now: now, effects: &effects)
        }
    }

    /// Captures an action because of another one: the end of a screen where there is one, the way to the background
    /// where the app is not there.
    mutating func captureAlong(
        _ action: DescribedSDK.Action, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        if action == .screenEnd, device.screen == .max { return }
        if action == .background, !device.isForeground { return }
        capture(draft(action, on: device), on: &device, now: now, effects: &effects)
    }

    mutating func capture(
        _ draft: DeclaredDraft, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        guard templates.isCaptured(draft.template) else { return }
        renewSession(&device, now: now, isReturn: false, effects: &effects)
        device.activeAt = now
        store(draft, at: now, on: &device, effects: &effects)
    }

    /// Writes an event into the store, and uploads if that is due.
    mutating func store(
        _ draft: DeclaredDraft, at now: Instant, on device: inout Device, effects: inout DeviceEffects
    ) {
        guard templates.isCaptured(draft.template) else { return }
        let heldLimit = holdsCaptures ? heldLimit(of: device) : nil
        // What waits for an answer does not know yet whether it is wanted.
        guard device.turned == 0 || turned(device).captures || heldLimit != nil else {
            return suppress(draft, .sdkDisabled, at: now, on: &device, effects: &effects)
        }
        guard mayCapture(device) else {
            return suppress(draft, .consent, at: now, on: &device, effects: &effects)
        }
        bringForwardTimers(of: &device, to: now)
        let record = measured(
            EventRecord(
                capturedAt: now, sequence: device.nextSequence, epoch: device.epochs.reference(),
                template: draft.template, screen: draft.screen, control: draft.control, detail: draft.detail),
            on: device)
        // The file ends before it.
        makeRoomInFile(for: record, of: &device)
        device.nextSequence += 1
        guard !isTooLarge(record, on: device) else {
            seal(record, .suppressed(.invalid), on: device, effects: &effects)
            return device.trimEpochs()
        }
        device.sinceFlush &+= 1
        let count = device.log.count
        if let heldLimit {
            hold(record, atMost: heldLimit, on: &device, effects: &effects)
        } else {
            insert(record, on: &device, effects: &effects)
        }
        closeFullFile(of: &device, now: now)
        // Until the event is somewhere, nothing else refers to its state.
        if device.log.count <= count { device.trimEpochs() }
        if isImmediate[Int(draft.template)] {
            beginFlush(&device, .immediate, due: now, now: now, effects: &effects)
        } else if isEnough(device) {
            beginFlush(&device, .count, due: now, now: now, effects: &effects)
        }
    }

    /// An event that a configuration or the user forbids is numbered, and nothing else.
    private func suppress(
        _ draft: DeclaredDraft, _ cause: Disposition.Suppression, at now: Instant, on device: inout Device,
        effects: inout DeviceEffects
    ) {
        let record = EventRecord(
            capturedAt: now, sequence: device.nextSequence, epoch: 0, template: draft.template,
            screen: draft.screen, control: draft.control, detail: draft.detail)
        device.nextSequence += 1
        seal(record, .suppressed(cause), on: device, effects: &effects)
    }

    /// Keeps an event in memory until an answer comes.
    private mutating func hold(
        _ record: EventRecord, atMost limit: Int, on device: inout Device, effects: inout DeviceEffects
    ) {
        let held = heldRows(of: device)
        if held.count >= limit {
            remove(
                ContiguousArray(held.prefix(held.count + 1 - limit)), as: .evicted(.storageLimit),
                of: &device,
                effects: &effects)
        }
        add(record, to: &device)
    }

    @inline(__always)
    func isEnough(_ device: borrowing Device) -> Bool {
        guard let bulk = bulkSize(of: device) else { return false }
        let count =
            switch sdk.upload.countOf {
            case .stored: device.log.count
            case .idle: device.log.idleCount
            case .sinceFlush: Int(device.sinceFlush)
            }
        return count >= bulk
    }

    /// Events that set off an upload; `nil` for none.
    @inline(__always)
    func bulkSize(of device: borrowing Device) -> Int? {
        guard var bulk = sdk.upload.flushBulkSize else { return nil }
        if device.turned > 0 { bulk = turned(device).flushBulkSize ?? bulk }
        return min(bulk, Int(device.bulkLimit))
    }

    /// The ticks that were skipped because nothing was stored are over. One that is due now is not: timers come after
    /// actions.
    private func bringForwardTimers(of device: inout Device, to now: Instant) {
        // A wait that ended while nothing was stored has nothing to try again.
        if device.retryDue < now { device.retryDue = device.log.count == 0 ? .distantFuture : now }
        guard device.flushDue < now, let interval = interval(of: device)?.nanoseconds else { return }
        let late = (now - device.flushDue).nanoseconds
        device.flushDue = device.flushDue + Interval(nanoseconds: (late + interval - 1) / interval * interval)
    }

    // MARK: The store

    /// Whether something can be written into the store, or deleted from it.
    func canWrite(_ device: borrowing Device) -> Bool {
        sdk.storage.backend == .memory || sdk.storage.persist == .onBackground || device.disk == .sound
    }

    /// Writes a store that lives in memory where it outlives the process.
    func persist(_ device: inout Device) {
        guard sdk.storage.persist == .onBackground, device.disk == .sound, heldLimit(of: device) == nil else {
            return
        }
        device.volatileFrom = device.nextSequence
    }

    private mutating func insert(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        guard canWrite(device) else {
            return seal(record, .lost(.storageError), on: device, effects: &effects)
        }
        if sdk.storage.evictAt == .insert, let limit = sdk.storage.limit, device.log.count >= limit {
            let count = device.log.count + 1 - limit
            if sdk.storage.evictFrom == .newest {
                // The new event is the newest.
                evict(max(count, sdk.storage.evict) - 1, on: &device, effects: &effects)
                return seal(record, .evicted(.storageLimit), on: device, effects: &effects)
            }
            evict(max(count, sdk.storage.evict), on: &device, effects: &effects)
        }
        guard makeRoom(for: record, on: &device, effects: &effects) else {
            return seal(record, .evicted(.storageLimit), on: device, effects: &effects)
        }
        add(record, to: &device)
    }

    /// Gives up rows because the store is full, whether requests carry them or not.
    mutating func evict(_ count: Int, on device: inout Device, effects: inout DeviceEffects) {
        guard count > 0 else { return }
        if sdk.storage.evictFrom == .oldest {
            var removed = ContiguousArray<EventRecord>()
            _ = device.log.deleteOldest(count, idleOnly: false) { removed.append($0) }
            discount(removed, from: &device)
            for row in removed {
                leave(row, as: .evicted(.storageLimit), on: &device, effects: &effects)
            }
            return
        }
        var rows = ContiguousArray<EventRecord>()
        device.log.copy(count, from: .newest, idleOnly: false, into: &rows)
        remove(rows, as: .evicted(.storageLimit), of: &device, effects: &effects)
    }

    /// Takes rows out of the store, each for its last time; those that are not there are passed over.
    mutating func remove(
        _ rows: ContiguousArray<EventRecord>, as disposition: Disposition, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        var removed = ContiguousArray<EventRecord>()
        _ = device.log.delete(rows) { removed.append($0) }
        discount(removed, from: &device)
        for row in removed { leave(row, as: disposition, on: &device, effects: &effects) }
    }

    /// Empties the store.
    mutating func clear(
        _ device: inout Device, as disposition: Disposition, effects: inout DeviceEffects
    ) {
        guard canWrite(device) else { return }
        remove(device.allRows, as: disposition, of: &device, effects: &effects)
    }

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.disk = change.condition
        guard change.isDamaged else { return }
        if sdk.storage.persist == .onBackground, device.isRunning {
            // All of it is in memory, and written anew next time.
            device.volatileFrom = 0
            return
        }
        switch sdk.storage.backend {
        case .memory: break
        // The next event begins a new file.
        case .sqlite:
            let first = device.volatileFrom
            remove(
                device.allRows.filter { $0.sequence < first }, as: .lost(.storageError), of: &device,
                effects: &effects)
        // Of many files it is one.
        case .file:
            guard let oldest = device.log.first else { return }
            remove([oldest], as: .lost(.storageError), of: &device, effects: &effects)
        }
        device.trimEpochs()
    }
}

extension DeclaredSystem {
    /// Puts the events of `storage.prefill` into the store: business events, else the first that is captured of an
    /// action, at the times of ``PastEvents``.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        guard sdk.storage.prefill > 0 else { return }
        let past = PastEvents(plan: plan, index: Int(device.index))
        device.installed = device.epochs.current.appVersion
        for age in stride(from: Int64(sdk.storage.prefill), to: 0, by: -1) {
            guard let draft = prefillDraft(past, of: device) else { return }
            let record = measured(
                EventRecord(
                    capturedAt: PastEvents.time(age: age, before: plan.start), sequence: device.nextSequence,
                    epoch: device.epochs.reference(), template: draft.template, screen: draft.screen,
                    detail: draft.detail),
                on: device)
            makeRoomInFile(for: record, of: &device)
            device.nextSequence += 1
            guard !isTooLarge(record, on: device) else {
                seal(record, .suppressed(.invalid), on: device, effects: &effects)
                continue
            }
            insert(record, on: &device, effects: &effects)
            closeFullFile(of: &device, now: record.capturedAt)
        }
        persist(&device)
    }

    package mutating func remember(installedAt instant: Instant, on device: inout Device) {
        device.installed = device.epochs.current.appVersion
    }

    private func prefillDraft(_ past: PastEvents, of device: borrowing Device) -> DeclaredDraft? {
        if let business = past.business(sequence: device.nextSequence),
            templates.isCaptured(templates.business(business.event))
        {
            var draft = DeclaredDraft(templates.business(business.event), screen: plan.app.startScreen)
            if let subject = business.subject { draft.detail = subject }
            return draft
        }
        let first = templates.kinds.indices.first { index in
            let kind = templates.kinds[index]
            return kind.template != nil && !kind.action.hasProperties
        }
        return first.map { DeclaredDraft(UInt16($0), screen: plan.app.startScreen) }
    }
}
