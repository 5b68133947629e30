package import Snapshots

/// What the collector holds against what the devices believe.
///
/// Two sums always hold (``imbalances``): `received` = `unique` + `duplicates` + `duplicatesOfMissingParts`, and
/// `unique` = `confirmed` - `alike` + `recovered` + `unexpected` + `ofMissingParts`. The delivered events of the run are
/// `confirmed` + `ackedNotFound` + `swallowed` + `dryRun`.
package struct Audit: Sendable, Equatable {
    /// Events held, every copy counted.
    package var received: UInt64 = 0
    /// Events held, each once.
    package var unique: UInt64 = 0
    /// Copies beyond the first, but for those of ``ofMissingParts``.
    package var duplicates: UInt64 = 0
    /// Delivered and held, even if a planned fault swallowed another copy.
    package var confirmed: UInt64 = 0
    /// Of those that are confirmed, events without an id that have the content of another one: the collector cannot tell
    /// them apart, and holds them as one.
    package var alike: UInt64 = 0
    /// Delivered and neither held nor excused: the collector broke its word.
    package var ackedNotFound: UInt64 = 0
    /// Delivered, not held: a fault of the scenario acknowledged it.
    package var swallowed: UInt64 = 0
    /// Delivered, not held: the client asked for a check only.
    package var dryRun: UInt64 = 0
    /// Held, though the device that made it never learned so.
    package var recovered: UInt64 = 0
    /// The recovered events by the ``Disposition/code`` of the fate that their devices know of.
    package private(set) var recoveredFates: [UInt32: UInt64] = [:]
    /// Recovered events that their devices know as suppressed, or know no fate of: they never were to leave.
    package private(set) var recoveredSuppressed: UInt64 = 0
    /// The events of ``ackedNotFound`` by id, the lowest ids, at most ``missingLimit``.
    package private(set) var missing: [EventID] = []
    /// Those that are known by natural keys only, the lowest keys, within the same limit.
    package private(set) var missingNatural: [NaturalKey] = []
    /// Held, though no device made it.
    package var unexpected: UInt64 = 0
    /// Held, and made by a device of whose beliefs nothing is known: it was in a part of the run that is missing.
    package var ofMissingParts: UInt64 = 0
    /// Copies beyond the first of ``ofMissingParts``: they tell nothing of the devices that are there.
    package var duplicatesOfMissingParts: UInt64 = 0
    /// Events that the collector could not read.
    package var undecodable: UInt64 = 0

    /// The most missing events that are named.
    package static let missingLimit = 10_000

    package init() {}

    /// Delivered events: what the devices believe the collector took.
    package var delivered: UInt64 { confirmed + ackedNotFound + swallowed + dryRun }

    /// Whether acknowledged events are missing or strangers were found: the run's books are wrong.
    package var failed: Bool { ackedNotFound > 0 || unexpected > 0 }

    /// Those of the two sums that do not hold, with their figures; a correct audit has none.
    package var imbalances: [String] {
        var wrong: [String] = []
        if received != unique + duplicates + duplicatesOfMissingParts {
            wrong.append(
                "received \(received) is not unique \(unique) + duplicates \(duplicates) + of missing parts "
                    + "\(duplicatesOfMissingParts)")
        }
        if unique + alike != confirmed + recovered + unexpected + ofMissingParts {
            wrong.append(
                "unique \(unique) is not confirmed \(confirmed) - alike \(alike) + recovered \(recovered) + "
                    + "unexpected \(unexpected) + of missing parts \(ofMissingParts)")
        }
        return wrong
    }

    /// Compares the two sides.
    ///
    /// - Parameter isAbsent: Whether a device, by its number, is of a part of the run that is missing; `nil` if none is.
    ///   Where some are, events that carry no id and that nobody knows are taken for theirs.
    /// - Complexity: O(ids on both sides), and O(log runs of ``DeviceBeliefs/undelivered``) for each
    ///   recovered event.
    package static func compare(
        beliefs: DeviceBeliefs, receipts: Receipts, isAbsent: ((UInt32) -> Bool)? = nil
    ) -> Audit {
        var audit = Audit()
        audit.received = receipts.received
        audit.unique = receipts.unique
        audit.duplicates = receipts.duplicates
        audit.undecodable = receipts.undecodable
        audit.countDelivered(beliefs, receipts)
        audit.countHeld(beliefs, receipts, isAbsent)
        return audit
    }

    private mutating func countDelivered(_ beliefs: DeviceBeliefs, _ receipts: Receipts) {
        var found = self
        beliefs.delivered.forEach { id in
            let isMissing = found.countDelivered(
                held: receipts.held.contains(id), swallowed: receipts.swallowed.contains(id),
                dryRun: receipts.dryRun.contains(id))
            if isMissing, found.missing.count < Audit.missingLimit { found.missing.append(id) }
        }
        var keys: [NaturalKey] = []
        for key in beliefs.deliveredNatural {
            let isHeld = receipts.heldNatural.contains(key)
            let others = UInt64(beliefs.deliveredAlike[key] ?? 0)
            let isMissing = found.countDelivered(
                held: isHeld, swallowed: receipts.swallowedNatural.contains(key),
                dryRun: receipts.dryRunNatural.contains(key), times: others + 1)
            if isHeld { found.alike += others }
            if isMissing { keys.append(key) }
        }
        found.missingNatural = Array(keys.sorted().prefix(Audit.missingLimit - found.missing.count))
        self = found
    }

    /// - Returns: Whether the event is missing without an excuse.
    private mutating func countDelivered(
        held: Bool, swallowed: Bool, dryRun: Bool, times: UInt64 = 1
    ) -> Bool {
        if held {
            confirmed += times
        } else if swallowed {
            self.swallowed += times
        } else if dryRun {
            self.dryRun += times
        } else {
            ackedNotFound += times
            return true
        }
        return false
    }

    private mutating func countHeld(
        _ beliefs: DeviceBeliefs, _ receipts: Receipts, _ isAbsent: ((UInt32) -> Bool)?
    ) {
        var found = self
        let fates = beliefs.undelivered.sorted
        receipts.held.forEach { id in
            if beliefs.delivered.contains(id) { return }
            if beliefs.made(id) {
                found.countRecovered(fates.code(of: id))
            } else if let isAbsent, isAbsent(id.device) {
                found.countOfMissingPart(copies: receipts.copiesBeyondFirst(of: id))
            } else {
                found.unexpected += 1
            }
        }
        for key in receipts.heldNatural where !beliefs.deliveredNatural.contains(key) {
            if let code = beliefs.undeliveredNatural[key] {
                found.countRecovered(code)
            } else if isAbsent != nil {
                found.countOfMissingPart(copies: receipts.copiesBeyondFirst(of: key))
            } else {
                found.unexpected += 1
            }
        }
        self = found
    }

    /// - Parameter copies: Those beyond the first, which are among ``duplicates`` until then.
    private mutating func countOfMissingPart(copies: UInt64) {
        ofMissingParts += 1
        duplicates -= copies
        duplicatesOfMissingParts += copies
    }

    private mutating func countRecovered(_ code: UInt32?) {
        recovered += 1
        guard let code, let fate = Disposition(code: code)?.fate, fate != .suppressed else {
            recoveredSuppressed += 1
            return
        }
        recoveredFates[code, default: 0] += 1
    }
}

extension Audit {
    /// Adds the audit of other devices: of events that no device of this one's made.
    package mutating func merge(_ other: Audit) {
        for count in Audit.counts { self[keyPath: count] += other[keyPath: count] }
        recoveredFates.merge(other.recoveredFates, uniquingKeysWith: +)
        missing = Array((missing + other.missing).sorted().prefix(Audit.missingLimit))
        let natural = (missingNatural + other.missingNatural).sorted()
        missingNatural = Array(natural.prefix(Audit.missingLimit - missing.count))
    }

    private static var counts: [WritableKeyPath<Audit, UInt64>] {
        [
            \.received, \.unique, \.duplicates, \.confirmed, \.alike, \.ackedNotFound, \.swallowed, \.dryRun,
            \.recovered,
            \.recoveredSuppressed, \.unexpected, \.ofMissingParts, \.duplicatesOfMissingParts, \.undecodable,
        ]
    }
}

extension Audit: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        for count in Audit.counts { writer.write(self[keyPath: count]) }
        writer.write(UInt64(recoveredFates.count))
        for (code, count) in recoveredFates.sorted(by: { $0.key < $1.key }) {
            writer.write(UInt64(code))
            writer.write(count)
        }
        writer.write(UInt64(missing.count))
        for id in missing {
            writer.write(UInt64(id.device))
            writer.write(UInt64(id.sequence))
        }
        writer.write(UInt64(missingNatural.count))
        for key in missingNatural {
            writer.write(key.high)
            writer.write(key.low)
        }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        for count in Audit.counts { self[keyPath: count] = try reader.unsigned() }
        for _ in 0..<(try reader.count()) {
            let code: UInt32 = try reader.integer()
            recoveredFates[code] = try reader.unsigned()
        }
        for _ in 0..<(try reader.count()) {
            missing.append(EventID(device: try reader.integer(), sequence: try reader.integer()))
        }
        for _ in 0..<(try reader.count()) {
            missingNatural.append(NaturalKey(high: try reader.unsigned(), low: try reader.unsigned()))
        }
    }
}
