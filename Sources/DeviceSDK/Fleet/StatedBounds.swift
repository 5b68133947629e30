/// What can be said of a device in advance, as its system's rules state it.
package struct StatedBounds: Hashable, Sendable {
    /// Rows in its stores, at most.
    package var rows = Int.max
    /// Its uploads in the air, at most.
    package var uploads = Int.max
    /// Whether one upload may carry an event twice.
    package var carriesTwice = false
    /// Whether the SDK may clear rows that it did not send.
    package var clearsUnsent = true

    /// Bounds that nothing states.
    package init() {}

    /// What holds of a device that follows one of several rules after the other.
    package init(all: [StatedBounds]) {
        rows = all.map(\.rows).max() ?? .max
        uploads = all.map(\.uploads).max() ?? .max
        carriesTwice = all.contains(where: \.carriesTwice)
        clearsUnsent = all.isEmpty || all.contains(where: \.clearsUnsent)
    }
}
