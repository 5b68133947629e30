/// What the collector holds against what the devices believe.
///
/// Two sums always hold: `received` = `unique` + `duplicates`, and
/// `unique` = `confirmed` + `recovered` + `unexpected`. The delivered events of the run are
/// `confirmed` + `ackedNotFound` + `swallowed` + `dryRun`.
package struct Audit: Sendable, Equatable {
    /// Events held, every copy counted.
    package var received: UInt64 = 0
    /// Events held, each once.
    package var unique: UInt64 = 0
    /// Copies beyond the first.
    package var duplicates: UInt64 = 0
    /// Delivered and held, even if a planned fault swallowed another copy.
    package var confirmed: UInt64 = 0
    /// Delivered and neither held nor excused: the collector broke its word.
    package var ackedNotFound: UInt64 = 0
    /// Delivered, not held: a fault of the scenario acknowledged it.
    package var swallowed: UInt64 = 0
    /// Delivered, not held: the client asked for a check only.
    package var dryRun: UInt64 = 0
    /// Held, though the device that made it never learned so.
    package var recovered: UInt64 = 0
    /// Held, though no device made it.
    package var unexpected: UInt64 = 0
    /// Events that the collector could not read.
    package var undecodable: UInt64 = 0

    package init() {}

    /// Delivered events: what the devices believe the collector took.
    package var delivered: UInt64 { confirmed + ackedNotFound + swallowed + dryRun }

    /// Whether acknowledged events are missing or strangers were found: the run's books are wrong.
    package var failed: Bool { ackedNotFound > 0 || unexpected > 0 }

    /// Compares the two sides.
    ///
    /// - Complexity: O(ids on both sides).
    package static func compare(beliefs: DeviceBeliefs, receipts: Receipts) -> Audit {
        var audit = Audit()
        audit.received = receipts.received
        audit.unique = receipts.unique
        audit.duplicates = receipts.duplicates
        audit.undecodable = receipts.undecodable
        beliefs.delivered.forEach { id in
            audit.countDelivered(
                held: receipts.held.contains(id), swallowed: receipts.swallowed.contains(id),
                dryRun: receipts.dryRun.contains(id))
        }
        for key in beliefs.deliveredNatural {
            audit.countDelivered(
                held: receipts.heldNatural.contains(key),
                swallowed: receipts.swallowedNatural.contains(key),
                dryRun: receipts.dryRunNatural.contains(key))
        }
        receipts.held.forEach { id in
            audit.countHeld(delivered: beliefs.delivered.contains(id), made: beliefs.made(id))
        }
        for key in receipts.heldNatural {
            audit.countHeld(delivered: beliefs.deliveredNatural.contains(key), made: beliefs.made(key))
        }
        return audit
    }

    private mutating func countDelivered(held: Bool, swallowed: Bool, dryRun: Bool) {
        if held {
            confirmed += 1
        } else if swallowed {
            self.swallowed += 1
        } else if dryRun {
            self.dryRun += 1
        } else {
            ackedNotFound += 1
        }
    }

    private mutating func countHeld(delivered: Bool, made: Bool) {
        if delivered { return }
        if made { recovered += 1 } else { unexpected += 1 }
    }
}
