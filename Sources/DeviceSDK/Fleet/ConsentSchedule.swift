package import Timebase

/// What users say to being tracked, as the scenario has it.
///
/// Which users an entry concerns is a pure function of the seed, so that every world agrees; engines know nothing of it.
package struct ConsentSchedule: Sendable {
    /// The will of a share of the users for a while: whether consent is given.
    package typealias Entry = ScheduledEntry<Bool>

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
        entries.latest(at: moment, traits)?.value
    }
}
