/// One entry of the event queue.
///
/// Entries are ordered by time, then device, then the device's own sequence: a total order, so a
/// run does not depend on how entries came into the queue.

package struct Wake: Comparable, Sendable {
    package var time: Instant
    package var device: UInt32
    /// Counts a device's entries up; breaks ties at one instant.
    package var sequence: UInt32
    /// What the owner of the queue wants to know when the entry comes up.
    package var payload: UInt64

    /// Makes an entry.
    @inlinable
    package init(time: Instant, device: UInt32, sequence: UInt32, payload: UInt64 = 0) {
        self.time = time
        self.device = device
        self.sequence = sequence
        self.payload = payload
    }

    @inlinable
    package static func < (left: Wake, right: Wake) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.device != right.device { return left.device < right.device }
        return left.sequence < right.sequence
    }
}
