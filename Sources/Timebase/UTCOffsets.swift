/// How far the clocks of a zone are ahead of UTC, over time.
package struct UTCOffsets: Sendable, Hashable {
    /// Ascending moments at which the offset changes.
    private let moments: [Instant]
    /// The offset before the first change, and from each change on.
    private let first: Interval
    private let offsets: [Interval]

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - first: The offset before the first change.
    ///   - changes: When it changes, ascending, and to what.
    package init(first: Interval, changes: [(at: Instant, offset: Interval)] = []) {
        self.first = first
        moments = changes.map(\.at)
        offsets = changes.map(\.offset)
    }

    /// Whether it is not the same for ever.
    package var changes: Bool { !moments.isEmpty }

    /// The offset at an instant, and until when it holds; ``Instant/distantFuture`` for ever.
    ///
    /// - Complexity: O(log n) in the number of changes.
    package func offset(at instant: Instant) -> (offset: Interval, until: Instant) {
        let next = moments.partition { $0 > instant }
        return (next == 0 ? first : offsets[next - 1], next < moments.count ? moments[next] : .distantFuture)
    }
}
