/// What the shards of a live run count, each for itself. The run has the sums.
package struct LiveCounts: Hashable, Sendable {
    package var devicesStarted = 0
    /// Order-free sum over the user actions that happened.
    package var planFingerprint: UInt64 = 0
    package var connectionsOpened: UInt64 = 0
    /// Connections closed early because no descriptor was left for another.
    package var connectionsRecycled: UInt64 = 0
    /// Answers behind which bytes came that belong to none, which closed those of their connections that spoke HTTP/1.1.
    package var overlongAnswers: UInt64 = 0
    /// The most connections at once; of a run, the sum of its shards' own peaks.
    package var connectionsPeak = 0
    /// Connections that pools still counted when all were closed: none, or a slot has leaked.
    package var slotsLeft = 0
    /// TLS handshakes that were completed, each of them a full one.
    package var handshakes: UInt64 = 0
    /// The CPU time of these, and of all that the loops did while users acted, in nanoseconds.
    package var handshakeTime: UInt64 = 0
    package var threadTime: UInt64 = 0
    /// Connections that spoke HTTP/2, and the streams that were opened on them.
    package var sharedConnections: UInt64 = 0
    package var streamsOpened: UInt64 = 0

    static func += (left: inout LiveCounts, right: LiveCounts) {
        left.devicesStarted += right.devicesStarted
        left.planFingerprint &+= right.planFingerprint
        left.connectionsOpened += right.connectionsOpened
        left.connectionsRecycled += right.connectionsRecycled
        left.overlongAnswers += right.overlongAnswers
        left.connectionsPeak += right.connectionsPeak
        left.slotsLeft += right.slotsLeft
        left.handshakes += right.handshakes
        left.handshakeTime += right.handshakeTime
        left.threadTime += right.threadTime
        left.sharedConnections += right.sharedConnections
        left.streamsOpened += right.streamsOpened
    }
}
