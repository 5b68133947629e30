import Accounting
import AppModel
package import DeviceSDK
package import Timebase
import Wire

/// What becomes of an event from its posting to the store (`GrowingEventManager.m postEventBuilder:`).
///
/// Functions here and beside it are mutating even where they change nothing: the system is a large value, and
/// only a mutating call hands it over by address.
extension GrowingSystem {
    /// Somebody posts an event: it gets its sequence here, and is suppressed or goes its way to the store.
    mutating func post(
        _ draft: GrowingDraft, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        let order = watchers(Int(device.index), process: device.epochs.current.process)
        if let cause = refusal(of: draft, on: device, at: now, order: order) {
            let record = take(draft, on: &device, at: now, epoch: 0)
            seal(record, .suppressed(cause), on: device, effects: &effects)
            return
        }
        // The session's VISIT comes before everything else in it.
        if !device.state.contains(.hasVisit) { visit(&device, at: now, effects: &effects) }
        let record = take(draft, on: &device, at: now, epoch: device.epochs.reference())
        takeIDs(of: record, on: &device)
        if record.template == GrowingTemplates.page { remember(page: record, on: &device) }
        if !order.isEmpty, isDropped(record, on: device, order: order) {
            seal(record, .suppressed(.intercepted), on: device, effects: &effects)
            return
        }
        store(record, on: &device, at: now, effects: &effects)
    }

    /// Why an event is not built, in the order in which the SDK asks.
    private mutating func refusal(
        of draft: GrowingDraft, on device: borrowing Device, at now: Instant, order: [Int]
    ) -> Disposition.Suppression? {
        if !order.isEmpty {
            let record = EventRecord(
                capturedAt: now, sequence: device.nextSequence, epoch: 0, template: draft.template)
            let event = encoder.triggered(record, Int(device.index))
            // Every interceptor is told, whatever the others say.
            let verdicts = order.map { interceptors[$0].eventTriggered(event) }
            if verdicts.contains(.drop) { return .intercepted }
        }
        if !rules.dataCollectionEnabled { return .consent }
        return isExcluded[Int(draft.template)] ? .blacklisted : nil
    }

    private mutating func take(
        _ draft: GrowingDraft, on device: inout Device, at now: Instant, epoch: UInt32
    ) -> EventRecord {
        var flags = draft.flags
        if device.state.contains(.isInBackground) { flags.insert(.background) }
        let record = EventRecord(
            capturedAt: now, sequence: device.nextSequence, epoch: epoch, template: draft.template,
            screen: draft.screen, control: draft.control, detail: draft.detail, flags: flags.rawValue)
        device.nextSequence += 1
        return record
    }

    /// `readPropertyInTrackThread` takes the sequence ids: before the event is built, and long before it is
    /// stored, so that an event lost in between leaves a gap.
    mutating func takeIDs(of record: EventRecord, on device: inout Device) {
        let template = templates.all[Int(record.template)]
        guard !rules.isVersion4 else {
            let isCounted = template.type?.isCountedIn4 ?? false
            if isCounted { device.lastID &+= 1 }
            device.sequenceIDs.note(record.sequence, own: isCounted ? device.lastID : 0, global: nil)
            return
        }
        if device.lastIDs.isEmpty {
            device.lastIDs = ContiguousArray(repeating: 0, count: templates.typeCount)
        }
        device.lastID &+= 1
        device.lastIDs[template.typeNumber] &+= 1
        device.sequenceIDs.note(
            record.sequence, own: device.lastIDs[template.typeNumber], global: device.lastID)
    }

    /// `GrowingPageManager.m growingEventManagerEventWillBuild:`, an interceptor of the SDK's own: whose path custom
    /// events have from now on. Pages in web views have another builder.
    private mutating func remember(page record: EventRecord, on device: inout Device) {
        guard rules.isVersion4, rules.customEventWithPath else { return }
        device.epochs.change { $0.lastPage = UInt32(record.screen) << 16 | UInt32(record.control) }
    }

    /// Asks the interceptors about a built event, and makes its copies.
    private mutating func isDropped(
        _ record: EventRecord, on device: borrowing Device, order: [Int]
    ) -> Bool {
        let event = event(record, of: device)
        var builder = encoder.builder(event)
        let before = order.map { interceptors[$0].eventWillBuild(&builder) }
        if before.contains(.drop) { return true }
        let after = order.map { interceptors[$0].eventDidBuild(&builder) }
        if after.contains(.drop) { return true }
        copy(event, builder.event, order: order)
        return false
    }

    private mutating func copy(
        _ event: GrowingEvent, _ triggered: GrowingTriggeredEvent, order: [Int]
    ) {
        guard let copies else { return }
        for rule in rules.interceptors where rule.concerns(triggered) {
            guard let name = rule.copyTo else { continue }
            plain.removeAll()
            encoder.append(event, order: order, as: .json, into: &plain)
            plain.withUnsafeBytes { copies.copy($0, to: name) }
        }
    }

    /// `writeToDatabaseWithEvent:`.
    private mutating func store(
        _ record: EventRecord, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        guard let kind = stores[Int(record.template)], canTake(kind),
            let channel = routes.channelOf[Int(record.template)]
        else {
            // No channel, or no database service, so no store: the call goes to nil.
            seal(record, .lost(.storageError), on: device, effects: &effects)
            device.trim()
            return
        }
        bringForwardTimer(of: &device, to: now)
        if rules.services.database {
            insert(record, into: kind, of: &device, effects: &effects)
        } else {
            device.queue.extra.append(record)
        }
        let isInstant = policyBits[Int(record.template)] == GrowingPolicy.instant.bit
        let isDebug = rules.debugEnabled && (!rules.isVersion4 || rules.debugBuild)
        if isInstant || isDebug {
            flush(.timing, of: &device, effects: &effects)
            send(Int(channel), of: &device, due: now, now: now, effects: &effects)
        }
    }

    /// Without a database service 3.x has its queue in memory still, for all but custom events.
    private func canTake(_ kind: GrowingStoreKind) -> Bool {
        rules.services.database || hasQueue && kind == .timing
    }

    /// The ticks that were skipped because nothing was there to be sent are over. One that is due now is not:
    /// timers come after actions.
    private mutating func bringForwardTimer(of device: inout Device, to now: Instant) {
        guard device.tickDue < now else { return }
        device.tickDue = tick(notBefore: now, of: device)
    }
}

extension GrowingSystem {
    /// Captures the events of `storage.prefill` at once, as of the past: native business events, which the
    /// realtime store has, or pages of the start screen, where the app has no such events. They are in the
    /// stores, whatever the buffers would have kept.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        let count = rules.storage.prefill
        guard count > 0 else { return }
        let past = PastEvents(plan: plan, index: Int(device.index))
        device.state.insert(.hasLaunched)
        device.sessionCount = 1
        device.timing.table.open { _ in }
        device.realtime.table.open { _ in }
        for age in stride(from: Int64(count), to: 0, by: -1) {
            let draft = prefillDraft(past, sequence: device.nextSequence)
            let record = take(
                draft, on: &device, at: PastEvents.time(age: age, before: plan.start),
                epoch: device.epochs.reference())
            takeIDs(of: record, on: &device)
            guard rules.services.database, let kind = stores[Int(record.template)],
                write([record], to: kind, of: &device, effects: &effects)
            else {
                seal(record, .lost(.storageError), on: device, effects: &effects)
                continue
            }
        }
        device.timing.table.close()
        device.realtime.table.close()
    }

    package mutating func remember(installedAt instant: Instant, on device: inout Device) {
        device.state.insert(.hasLaunched)
    }

    private func prefillDraft(_ past: PastEvents, sequence: UInt32) -> GrowingDraft {
        guard let business = past.business(sequence: sequence) else {
            var draft = GrowingDraft(GrowingTemplates.page)
            let view = views.controller(of: plan.app.startScreen)
            (draft.screen, draft.control, draft.detail) = (view.screen, view.node, GrowingTemplates.none)
            return draft
        }
        var draft = GrowingDraft(templates.business(business.event))
        if let subject = business.subject { draft.detail = subject }
        return draft
    }
}
