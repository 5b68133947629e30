import World

/// What carries one request at a time: an HTTP/1.1 connection, or a stream of an HTTP/2 connection.
///
/// Confined to its event loop.
class Carrier {
    /// Moments of the present request, as readings of the monotonic clock; 0 for what did not happen.
    struct Times {
        var lookupBegan: UInt64 = 0
        var lookedUp: UInt64 = 0
        var connectBegan: UInt64 = 0
        var connected: UInt64 = 0
        /// The end of the TLS handshake.
        var secured: UInt64 = 0
        var writeBegan: UInt64 = 0
        var written: UInt64 = 0
        var firstByte: UInt64 = 0
        var lastByte: UInt64 = 0
    }

    /// The answer, as far as it was read.
    final var parser = ResponseParser()
    final var times = Times()
    /// Bytes of the request on the wire, below TLS.
    final var sentBytes = 0
    /// Bytes that came with the answer's last ones and are no part of it.
    final var bytesBehind = 0
    /// The beginning of what could not be read as an answer, or what was said in its place, if a sample was asked for.
    final var garbage: [UInt8] = []
    /// Whether more came than the answer says that it has: it is as long as it says all the same.
    final var isOverlong = false
    /// The owner's request that it carries, or connects for; -1 for none.
    final var request: Int32 = -1

    /// Breaks off what it carries; the owner is not told.
    func close() {}

    /// Takes from ``sentBytes`` what is still to be handed to the system, before what it carries is broken off.
    func discountUnsent() {}
}

/// Who uses connections: told what became of them, on their event loop.
protocol ConnectionOwner: AnyObject {
    /// The connection is open and idle. If it speaks HTTP/2 (``Connection/isShared``), requests go on its streams.
    func opened(_ connection: Connection)
    /// A whole answer was read; it is in the carrier's parser, which the next request clears. An HTTP/1.1 connection is
    /// idle, or closed if it cannot be used again; a stream is to be put back.
    func answered(_ carrier: Carrier)
    /// The connection or stream is gone: with the failure of its request, or `nil` if it was idle. The streams of a
    /// connection go before it.
    func ended(_ carrier: Carrier, failure: RequestFailure?)
    /// A shared connection takes more or fewer streams than before, or none any more.
    func limitChanged(_ connection: Connection)
}

/// Where a connection stands in its owner's tables. Indices, not references, so that lists need no
/// counting; -1 is none.
struct ConnectionEntry {
    var slot: Int32 = -1
    /// Whoever may use it: a device, or a pool.
    var owner: UInt32 = 0
    /// The pool that counts it, and the part of the shard that it was opened for.
    var pool: Int32 = 0
    var part: Int32 = 0
    /// The owner's connections, and those of them that are idle.
    var previousOfOwner: Int32 = -1
    var nextOfOwner: Int32 = -1
    var idlePreviousOfOwner: Int32 = -1
    var idleNextOfOwner: Int32 = -1
    /// The shard's idle connections.
    var idlePrevious: Int32 = -1
    var idleNext: Int32 = -1
    /// Monotonic clock.
    var idleSince: UInt64 = 0
    /// Whether it is among those that its pool offers to several requests at once.
    var isOffered = false
}
