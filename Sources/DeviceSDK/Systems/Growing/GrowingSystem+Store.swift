import Accounting
package import DeviceSDK
import Timebase

/// The two stores and their write buffers.
///
/// Sources: `GrowingEventDatabase.m` (`setEvent:forKey:`, `flush`, `countOfEvents`), `GrowingEventFMDatabase.m`
/// (transactions, `cleanExpiredEventIfNeeded`) of both versions.
///
/// A flush empties the buffer before it touches the file. First it deletes; if that fails, the insertions go
/// with it. Then it inserts, one after the other; the first that fails ends it, and the rest is gone.
extension GrowingSystem {
    /// Opens both files: what is too old goes, and 3.x loads its queue.
    mutating func openStores(
        of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        for kind in [GrowingStoreKind.timing, .realtime] {
            var missing = ContiguousArray<EventRecord>()
            device[kind].table.open { missing.append($0) }
            for record in missing { end(record, as: .lost(.storageError), on: device, effects: &effects) }
            guard let ttl = rules.storage.ttl else { continue }
            var expired = ContiguousArray<EventRecord>()
            device[kind].table.expire(through: now - ttl) { expired.append($0) }
            for record in expired { end(record, as: .evicted(.expired), on: device, effects: &effects) }
        }
        device.trim()
        loadQueue(of: &device)
    }

    /// Adds an event to a store's buffer, which is written when it has as many operations as it may.
    mutating func insert(
        _ record: EventRecord, into kind: GrowingStoreKind, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        device[kind].inserts.append(record)
        flushIfFull(kind, of: &device, effects: &effects)
    }

    /// Adds the deletion of a row, likewise.
    ///
    /// - Parameter disposition: What the deletion means for the event; `nil` if it was delivered.
    mutating func delete(
        _ record: EventRecord, as disposition: Disposition?, from kind: GrowingStoreKind,
        of device: inout Device, effects: inout DeviceEffects
    ) {
        device[kind].table.update([record], mark: true) { _ in }
        device[kind].deletes.append(.init(record: record, disposition: disposition))
        flushIfFull(kind, of: &device, effects: &effects)
    }

    private mutating func flushIfFull(
        _ kind: GrowingStoreKind, of device: inout Device, effects: inout DeviceEffects
    ) {
        let limit = kind == .timing ? rules.storage.writeBuffer : rules.storage.realtimeWriteBuffer
        if device[kind].operations >= limit { flush(kind, of: &device, effects: &effects) }
    }

    /// Writes what waits.
    mutating func flush(
        _ kind: GrowingStoreKind, of device: inout Device, effects: inout DeviceEffects
    ) {
        guard device[kind].operations > 0 else { return }
        let (inserts, deletes) = (device[kind].inserts, device[kind].deletes)
        device[kind].inserts = []
        device[kind].deletes = []
        if !deletes.isEmpty && !perform(deletes, on: kind, of: &device, effects: &effects) {
            for record in inserts { lose(record, kind, of: &device, effects: &effects) }
            return
        }
        guard !inserts.isEmpty else { return }
        let kept = fittingCount(inserts.count, of: &device)
        let first = kept == inserts.count ? inserts : ContiguousArray(inserts.prefix(kept))
        let isWritten = write(first, to: kind, of: &device, effects: &effects)
        for record in isWritten ? inserts[kept...] : inserts[...] {
            lose(record, kind, of: &device, effects: &effects)
        }
    }

    /// Inserts rows into a store's table, which may have to give up others for them.
    ///
    /// - Returns: `false` if nothing changed: the rows are to be lost.
    mutating func write(
        _ rows: ContiguousArray<EventRecord>, to kind: GrowingStoreKind, of device: inout Device,
        effects: inout DeviceEffects
    ) -> Bool {
        guard !rows.isEmpty else { return true }
        let (old, dropped) = displaced(by: rows, in: kind, of: &device)
        var gone = ContiguousArray<EventRecord>()
        guard old.isEmpty || device[kind].table.delete(old, { gone.append($0) }) else { return false }
        gone += rows.prefix(dropped)
        let fitting = dropped == 0 ? rows : ContiguousArray(rows.dropFirst(dropped))
        let isWritten = fitting.isEmpty || device[kind].table.insert(fitting) { gone.append($0) }
        forget(gone, as: .evicted(.storageLimit), kind, of: &device, effects: &effects)
        guard !isWritten else { return true }
        guard !gone.isEmpty else { return false }
        for row in fitting { lose(row, kind, of: &device, effects: &effects) }
        return true
    }

    /// `storage.maxBytes`: the oldest rows of a table, and how many of those that are to be inserted, that must go until
    /// the rest fits.
    private mutating func displaced(
        by rows: ContiguousArray<EventRecord>, in kind: GrowingStoreKind, of device: inout Device
    ) -> (old: ContiguousArray<EventRecord>, dropped: Int) {
        guard let limit = rules.storage.maxBytes else { return ([], 0) }
        var all = ContiguousArray<EventRecord>()
        // What waits for its deletion takes no room from anybody.
        device[kind].table.select {
            all.append($0)
            return true
        }
        let stored = all.count
        all += rows
        var known = StoredSizes()
        swap(&known, &sizes)
        let index = Int(device.index)
        let bytes = known.bytes(of: all, slot: device.slot, store: kind == .timing ? 0 : 1) { row in
            let event = event(row, of: device)
            let channel = routes.channelOf[Int(row.template)]
            return encoder.storedSize(
                event, order: watchers(index, process: event.epoch.process),
                as: channel.map { form(of: Int($0)) } ?? .json)
        }
        swap(&known, &sizes)
        let count = bytes.countToDrop(above: limit)
        return (ContiguousArray(all.prefix(min(count, stored))), max(0, count - stored))
    }

    /// How many of a transaction's insertions succeed.
    private mutating func fittingCount(_ count: Int, of device: inout Device) -> Int {
        guard rules.storage.insertFailureChance > 0 else { return count }
        var stream = draw(&device, .faults)
        guard stream.chance(rules.storage.insertFailureChance) else { return count }
        return Int(stream.below(UInt64(count)))
    }

    private mutating func perform(
        _ deletes: ContiguousArray<GrowingStore<Table>.Deletion>, on kind: GrowingStoreKind,
        of device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        var rows = ContiguousArray(deletes.map(\.record))
        rows.sort { $0.sequence < $1.sequence }
        var gone = ContiguousArray<EventRecord>()
        var isDone = true
        if rules.storage.deleteFailureChance > 0 {
            var stream = draw(&device, .faults)
            isDone = !stream.chance(rules.storage.deleteFailureChance)
        }
        isDone = isDone && device[kind].table.delete(rows) { gone.append($0) }
        guard isDone else {
            // 4.x reads its rows from the file, where they still are. 3.x has taken them out of its queue,
            // which does not know of them until it is loaded anew.
            let isRead = kind == .realtime || !hasQueue
            if isRead { device[kind].table.update(rows, mark: false) { _ in } }
            return false
        }
        for record in gone {
            let deletion = deletes.first { $0.record.sequence == record.sequence }
            if record.isSettled {
                sealUnlessQueued(record, on: &device, effects: &effects)
            } else if let disposition = deletion?.disposition {
                leave(record, as: disposition, on: &device, effects: &effects)
            }
        }
        return true
    }

    /// A row that the file refused. 3.x still has it in its queue.
    private mutating func lose(
        _ record: EventRecord, _ kind: GrowingStoreKind, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        if kind == .timing && hasQueue {
            device.queue.extra.append(record)
        } else {
            seal(record, .lost(.storageError), on: device, effects: &effects)
        }
    }

    // MARK: The disk

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.timing.table.setDisk(change.condition)
        device.realtime.table.setDisk(change.condition)
        guard change.isDamaged else { return }
        damage(.timing, of: &device, effects: &effects)
        damage(.realtime, of: &device, effects: &effects)
        device.trim()
    }

    /// A damaged file loses its rows; what 3.x has loaded of them is still in memory.
    private mutating func damage(
        _ kind: GrowingStoreKind, of device: inout Device, effects: inout DeviceEffects
    ) {
        var rows = ContiguousArray<EventRecord>()
        device[kind].table.damage { rows.append($0) }
        device[kind].deletes = []
        forget(rows, as: .lost(.storageError), kind, of: &device, effects: &effects)
        guard kind == .timing && hasQueue && device.isRunning else { return }
        device.queue.unloaded = 0..<0
        device.queue.unloadedCount = 0
    }

    /// Rows that the file gave up without being asked to: what 3.x has loaded of them is still in its queue.
    private mutating func forget(
        _ rows: ContiguousArray<EventRecord>, as disposition: Disposition, _ kind: GrowingStoreKind,
        of device: inout Device, effects: inout DeviceEffects
    ) {
        guard !rows.isEmpty else { return }
        let unloaded = device.queue.unloaded
        let isQueued = kind == .timing && hasQueue && device.isRunning
        for var record in rows {
            let isUnloaded = isQueued && unloaded.contains(record.sequence)
            if isUnloaded { device.queue.unloadedCount -= 1 }
            if record.isSettled {
                sealUnlessQueued(record, on: &device, effects: &effects)
                continue
            }
            if isQueued && !isUnloaded && !record.isUploading {
                if case .evicted = disposition { record.isDisplaced = true }
                device.queue.extra.append(record)
            } else {
                leave(record, as: disposition, on: &device, effects: &effects)
            }
        }
        if isQueued { device.queue.extra.sort { $0.sequence < $1.sequence } }
    }
}
