import Accounting
import AppModel
package import DeviceSDK
package import Timebase

/// What becomes of an event from the hook to the store.
///
/// Functions here and beside it are mutating even where they change nothing: the system is a large
/// value, and only a mutating call hands it over by address.
extension SensorsSystem {
    /// The SDK begins to build an event: it gets its sequence, and is suppressed or goes its way to
    /// the store.
    ///
    /// - Returns: whether the event was built.
    @discardableResult
    mutating func capture(
        _ draft: EventDraft, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) -> Bool {
        let cause = suppression(of: draft, on: device)
        var flags = draft.flags
        if localDay(now, of: device.index) == device.firstDay { flags.insert(.firstDay) }
        if isDebug(device) { flags.insert(.debug) }
        var record = EventRecord(
            capturedAt: now, sequence: device.nextSequence,
            epoch: cause == nil ? device.epochs.reference() : 0, template: draft.template,
            screen: draft.screen, control: draft.control, detail: draft.detail, flags: flags.rawValue)
        record.isInstant = isInstant[Int(draft.template)]
        #if PLANTED
            if Planted.has(.idReusedAfterRelaunch), draft.template == SensorsTemplates.appStart,
                record.sequence > 0
            {
                record.sequence -= 1
            }
        #endif
        device.nextSequence += 1
        if let cause {
            seal(record, .suppressed(cause), on: device, effects: &effects)
        } else if device.isBlocked {
            device.waiting.append(record)
        } else {
            enqueue(record, on: &device, now: now, effects: &effects)
        }
        return cause == nil
    }

    /// Why an event is not built: the SDK is off, the event's switch is off, its name is on the
    /// blacklist, or validation refuses it. In this order, as the SDK asks.
    @inline(__always)
    private func suppression(
        of draft: EventDraft, on device: borrowing Device
    ) -> Disposition.Suppression? {
        guard !draft.ignoresConfig else { return nil }
        if isDisabled(device) { return .sdkDisabled }
        if let bit = templates.autoTrackBit(of: draft.template), !autoTracks(bit, device) {
            return .autotrackOff
        }
        if configs[Int(device.activeConfig)].blocks(draft.template) { return .blacklisted }
        let sequence = device.nextSequence - (draft.flags.contains(.repeated) ? 1 : 0)
        let isInvalid = templates.isInvalid(
            template: draft.template, index: Int(device.index), sequence: sequence, subject: draft.subject)
        return isInvalid ? .invalid : nil
    }

    /// Writes an event into the store, and flushes if that is due: at once in debug mode and for
    /// events that are immediate, else when enough rows wait. 1.10.17 does not look when a page has sent the
    /// event (`trackFromH5WithEvent:enableVerify:`).
    mutating func enqueue(
        _ record: EventRecord, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        bringForwardTimer(of: &device, to: now)
        store(record, on: &device, effects: &effects)
        // Rows that no upload has marked; while none runs, as in 1.10.17 here, these are all rows.
        let idle = device.store.idleCount + device.memory.idleCount
        let isEnough =
            rules.upload.flushesAboveBulkSize
            ? idle > rules.upload.flushBulkSize : idle >= rules.upload.flushBulkSize
        let isDue = isEnough || isDebug(device) || record.isInstant
        let asks = isDue && (isVersion4 || !templates.isOfPage(record.template))
        if asks || isImmediate[Int(record.template)] {
            requestFlush(
                &device, record.isInstant ? .instant : .normal, due: now, now: now, effects: &effects)
        }
    }

    /// The ticks that were skipped because nothing was stored are over. One that is due now is not:
    /// timers come after actions.
    private mutating func bringForwardTimer(of device: inout Device, to now: Instant) {
        guard device.flushDue < now else { return }
        device.flushDue = ticks.next(notBefore: now, from: device.flushDue, index: device.index)
    }

    private mutating func store(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        if isVersion4 && !device.store.isOpen { reopen(&device, effects: &effects) }
        let count = device.store.count
        let fit = fit(record, on: &device)
        guard fit != .never else {
            seal(record, .evicted(.storageLimit), on: device, effects: &effects)
            return device.trimEpochs()
        }
        if rules.storage.evictFrom == .newest, fit == .tooMuch || isFull(device.store.count) {
            if !evictNewest(with: record, on: &device, effects: &effects) {
                refuse(record, on: &device, effects: &effects)
            }
            return device.trimEpochs()
        }
        let isStored =
            makeRoom(on: &device, effects: &effects)
            && (fit == .fits || makeBytes(for: record, on: &device, effects: &effects))
            && !fails(rules.storage.insertFailureChance, sequence: record.sequence, on: device)
            && write(record, on: &device)
        if !isStored { refuse(record, on: &device, effects: &effects) }
        // After an eviction, and only now: until the event is somewhere, nothing else refers to its epoch.
        if device.store.count <= count { device.trimEpochs() }
    }

    /// 4.9.1 keeps what its database refuses in a list in memory, 1.10.17 lets it go.
    private mutating func refuse(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        if isVersion4 {
            device.memory.append(record)
        } else {
            seal(record, .lost(.storageError), on: device, effects: &effects)
        }
    }

    /// Deletes the oldest rows of a full store: 1.10.17 once if the limit is reached
    /// (`MessageQueueBySqlite.m addObejct:withType:`), 4.9.1 again and again until one more row
    /// stays below it (`SADatabase.m preCheckForInsertRecords:`).
    ///
    /// - Returns: `false` if there is no room: a deletion failed, or nothing may be deleted.
    mutating func makeRoom(on device: inout Device, effects: inout DeviceEffects) -> Bool {
        #if PLANTED
            if Planted.has(.evictOffByOne), !isFull(device.store.count - 1) { return true }
        #endif
        while isFull(device.store.count) {
            let before = device.store.count
            guard evict(on: &device, effects: &effects), device.store.count < before else { return false }
            if !rules.storage.staysBelowLimit { return true }
        }
        return true
    }

    /// Whether a store with so many rows has no room for another one.
    @inline(__always)
    func isFull(_ count: Int) -> Bool {
        // Rules are asked for where they are needed: a copy of them all costs more than an insert.
        rules.storage.staysBelowLimit ? count + 1 >= rules.storage.limit : count >= rules.storage.limit
    }

    mutating func evict(on device: inout Device, effects: inout DeviceEffects) -> Bool {
        guard !deletionFails(on: &device) else { return false }
        var evicted = ContiguousArray<EventRecord>()
        let isDone = device.store.deleteOldest(
            rules.storage.evict, idleOnly: !rules.storage.evictsRowsInFlight
        ) { evicted.append($0) }
        for record in evicted {
            leave(record, as: .evicted(.storageLimit), on: &device, effects: &effects)
        }
        return isDone
    }

    /// Whether a deletion fails: its own draw, whatever else was drawn.
    mutating func deletionFails(on device: inout Device) -> Bool {
        guard rules.storage.deleteFailureChance > 0 else { return false }
        var stream = draw(&device, .faults)
        return stream.chance(rules.storage.deleteFailureChance)
    }

    @inline(__always)
    private func fails(_ chance: Double, sequence: UInt32, on device: borrowing Device) -> Bool {
        guard chance > 0 else { return false }
        var stream = streams.stream(.faults, index: Int(device.index)).child(UInt64(sequence))
        return stream.chance(chance)
    }
}

extension SensorsSystem {
    /// Captures the events of `storage.prefill` at once: native business events that validation
    /// accepts (else views of the start screen), at the times of ``PastEvents``.
    /// The app was launched before then, so its first day and first start lie in the past too.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        let count = rules.storage.prefill
        guard count > 0 else { return }
        let past = PastEvents(plan: plan, index: Int(device.index))
        device.state.insert(.hasLaunched)
        _ = device.store.open()
        if device.firstDay == .min {
            let first = PastEvents.time(age: Int64(count), before: plan.start)
            device.firstDay = localDay(first, of: device.index)
        }
        for age in stride(from: Int64(count), to: 0, by: -1) {
            let at = PastEvents.time(age: age, before: plan.start)
            let draft = prefillDraft(past, of: device)
            let isFirstDay = localDay(at, of: device.index) == device.firstDay
            let flags: SensorsEventFlags = isFirstDay ? [.firstDay] : []
            var record = EventRecord(
                capturedAt: at, sequence: device.nextSequence, epoch: device.epochs.reference(),
                template: draft.template, screen: draft.screen, detail: draft.detail,
                flags: flags.rawValue)
            record.isInstant = isInstant[Int(draft.template)]
            device.nextSequence += 1
            keep(record, on: &device, effects: &effects)
        }
        device.store.close()
    }

    package mutating func remember(installedAt instant: Instant, on device: inout Device) {
        device.state.insert(.hasLaunched)
        device.firstDay = localDay(instant, of: device.index)
    }

    private func prefillDraft(_ past: PastEvents, of device: borrowing Device) -> EventDraft {
        let view = EventDraft(SensorsTemplates.viewScreen, screen: plan.app.startScreen)
        guard let business = past.business(sequence: device.nextSequence) else { return view }
        var draft = EventDraft(templates.business(business.event))
        if let subject = business.subject { draft.detail = subject }
        let isInvalid = templates.isInvalid(
            template: draft.template, index: Int(device.index), sequence: device.nextSequence,
            subject: draft.subject)
        return isInvalid ? view : draft
    }

    /// Stores an event of the past: the limit holds, faults of the disk do not.
    private mutating func keep(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        let limit = rules.storage.staysBelowLimit ? rules.storage.limit - 1 : rules.storage.limit
        func isFull() -> Bool {
            device.store.count >= max(1, limit)
                || device.store.count > 0 && fit(record, on: &device) == .tooMuch
        }
        guard fit(record, on: &device) != .never else {
            seal(record, .evicted(.storageLimit), on: device, effects: &effects)
            return device.trimEpochs()
        }
        if rules.storage.evictFrom == .newest, isFull() {
            _ = giveUpNewest(with: record, on: &device, effects: &effects)
            return device.trimEpochs()
        }
        while isFull() {
            let before = device.store.count
            var evicted = ContiguousArray<EventRecord>()
            _ = device.store.deleteOldest(max(1, rules.storage.evict), idleOnly: false) {
                evicted.append($0)
            }
            for row in evicted {
                seal(row, .evicted(.storageLimit), on: device, effects: &effects)
            }
            guard device.store.count < before else { break }
        }
        if !write(record, on: &device) { seal(record, .lost(.storageError), on: device, effects: &effects) }
    }
}
