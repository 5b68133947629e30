package import Timebase

/// What users say to being tracked, as the scenario has it.
///
/// Which users an entry concerns is a pure function of the seed, so that every world agrees; engines know nothing of it.
package struct ConsentSchedule: Sendable {
    /// The will of a share of the users for a while.
    package struct Entry: Hashable, Sendable {
        package var from: Instant
        /// Exclusive.
        package var until: Instant
        package var isGiven: Bool
        /// Share of the users, 0 to 1, drawn by seed per entry and device.
        package var share: Double
        /// The entry's number among all of the scenario's, which the draws belong to.
        package var number: Int

        package init(from: Instant, until: Instant, isGiven: Bool, share: Double, number: Int) {
            self.from = from
            self.until = until
            self.isGiven = isGiven
            self.share = share
            self.number = number
        }
    }

    private let entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// Whether no user ever says anything.
    package var isEmpty: Bool { entries.isEmpty }

    /// The will of a user: as the entry says that began last (the later in the scenario at a tie); `nil` for one who has
    /// said nothing.
    ///
    /// - Parameter traits: The stream of the user's traits.
    /// - Complexity: O(entries).
    package func isGiven(at moment: Instant, traits: RandomStream) -> Bool? {
        var latest: Entry?
        for entry in entries where entry.from <= moment && moment < entry.until {
            guard entry.from >= latest?.from ?? entry.from else { continue }
            // Apart from the draws that make the user, which count up from 0.
            var draw = traits.child(1 << 34 | UInt64(entry.number))
            if draw.chance(entry.share) || entry.share >= 1 { latest = entry }
        }
        return latest?.isGiven
    }
}
