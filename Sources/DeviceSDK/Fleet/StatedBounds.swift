/// How much a device holds at most, as its system's rules state it.
package struct StatedBounds: Hashable, Sendable {
    /// Rows in its stores.
    package var rows = Int.max
    /// Its uploads in the air.
    package var uploads = Int.max

    /// Bounds that nothing states.
    package init() {}
}
