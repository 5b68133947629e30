package import Accounting
package import Timebase
package import Wire
package import World

/// The devices of one population (or of a shard's part of it), as an engine drives them.
///
/// The seam between engines and systems. A fleet is a set of pure state machines: it has no clock,
/// no socket and no randomness but named streams. An engine says how far time has come and what
/// answers arrived; the fleet says what to send and when it wants to be woken. It is confined to
/// its engine's thread.
///
/// Devices are addressed by `slot`, 0 ..< ``deviceCount``; ``globalNumber(of:)`` gives the number
/// that ids and reports use.
package protocol DeviceFleet: AnyObject {
    /// Devices of the share: slots go from 0 to one less.
    var deviceCount: Int { get }
    /// The population's index in the scenario.
    var populationIndex: Int { get }
    /// What ``SealedEvent/label`` points into.
    var labels: [EventLabel] { get }

    /// The device's number in the run, by which everything outside of the fleet knows it.
    func globalNumber(of slot: Int) -> UInt32

    /// When a device arrives: its first wake. Nothing happens on it before.
    func arrival(of slot: Int) -> Instant

    /// Tells the processor that a device is one of the next to be advanced, so that its memory is at hand by then. By
    /// default nothing.
    ///
    /// - Parameter isNext: Whether nothing comes before it: then it is what the device refers to, and else the device.
    func prefetch(_ slot: Int, isNext: Bool)

    /// Runs everything that is due on a device up to and including `now`, each thing at its own
    /// due time and in order.
    ///
    /// - Returns: when the device next wants to be woken; ``Instant/distantFuture`` for never.
    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant

    /// Has a device do ahead of the clock what it does before `limit`, until it asks for something in `effects`. By
    /// default nothing.
    ///
    /// Only for a device that was advanced through `now`, that has no request under way, and to which nothing comes from
    /// outside before `limit`. What the fleet tells of all its devices is as if they had not run ahead, until
    /// ``catchUp(to:interval:)`` says that time has passed.
    ///
    /// - Parameter limit: Less than ``RunAhead/intervals`` of the present intervals after the last call of
    ///   ``catchUp(to:interval:)``, where there are none between two looks at the fleet.
    func runAhead(_ slot: Int, from now: Instant, before limit: Instant, effects: inout DeviceEffects)
        -> RunAhead

    /// Time has come to `now`: what devices did ahead of it, and before `now`, counts from here on. By default nothing.
    ///
    /// - Parameters:
    ///   - now: A multiple of the present intervals from the plan's start, or a moment that no device has come to.
    ///   - interval: The length of intervals that looks at the fleet keep to from here on: a second at first, and then the
    ///     present one or a multiple.
    /// - Returns: Whether what the fleet tells is another than before.
    func catchUp(to now: Instant, interval: Interval) -> Bool

    /// Writes the body of a request that the device asked for. Called once per request, when the
    /// bytes are about to leave; `now` is what belongs to the attempt (`_flush_time`).
    func encode(_ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer)
        -> RequestHead

    /// How many bytes a request that the device asked for takes on the network, body and head, should it leave at
    /// `now`. Changes nothing. By default the request is encoded for it.
    func wireSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int

    /// Hands over what a request carries without writing it, in the place of ``encode(_:request:at:into:)``: to the
    /// device both are the same.
    ///
    /// - Parameter events: Empty; gets the events in the order in which the body would have them.
    /// - Returns: What a collector's answer depends on beside the events: method, path (without what differs from one
    ///   request to the next) and the lines that the scenario adds. `nil` where the request is to be written:
    ///   fetches, and bodies that something beside the system itself may change.
    func carry(_ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents)
        -> RequestHead?

    /// Writes what an upload that was handed over by ``carry(_:request:at:into:)`` has in its body, before it is packed.
    /// Changes nothing.
    ///
    /// - Returns: What was written; `nil`, and nothing is written, where only the body itself tells.
    func encodePlain(_ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer)
        -> PlainBody?

    /// Gives an answer, or the lack of one, back to the device. The engine has advanced the device
    /// through `now` before. Of an upload, ``DeviceEffects/isAcknowledged`` tells what the system makes of it.
    ///
    /// - Returns: when the device next wants to be woken.
    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant

    /// Gives a request back that the device asked for and that never began: the run is over. No upload carried its
    /// events, which stay on the device; its SDK hears of no failure, and so makes nothing of it.
    ///
    /// - Parameter network: The network that the request was asked for with.
    func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant)

    /// The timeline gives a device another network, or its own again.
    func setNetwork(_ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects)
        -> Instant

    /// From now on users do nothing any more, on any device: a run that is stopped early.
    func stopUsers(at now: Instant)

    /// Whether the device would hold up the end of the drain: in the foreground with rows in its store.
    func isDraining(_ slot: Int) -> Bool

    /// Ends the run for some devices: every event of theirs without a final fate is sealed as pending, stored
    /// or in flight. An engine asks for all devices, each once, in as many parts as it likes.
    func finish(_ slots: Range<Int>, effects: inout DeviceEffects)

    /// Events whose capture began so far: the sum of all devices' sequences, counted apart from fates.
    var capturedCount: UInt64 { get }
    /// Those of them that the devices brought along from before the run's start.
    var prefilledCount: UInt64 { get }
    /// The number of events that device `slot` captured: its next sequence.
    func capturedCount(of slot: Int) -> UInt32
    /// The number of the roll-out whose rules a device follows, from 1; 0 for the population's own.
    func edition(of slot: Int) -> Int
    /// Whether a device's SDK has stopped all uploads until something other than time lets them go on.
    func isLatched(_ slot: Int) -> Bool
    /// Devices that run the latest of the roll-outs that have begun; `nil` for a population without any.
    func updatedCount(at now: Instant) -> Int?
    /// Rows in all devices' stores now.
    var storedCount: UInt64 { get }
    /// How long the devices' radios were awake for requests that ended, tails included; `nil` where networks are
    /// ideal.
    var radioTime: TotalTime? { get }
    /// How often a request of the devices had to wake a radio: it was asleep, or another one was awake; `nil` where networks are
    /// ideal.
    var radioWakeups: UInt64? { get }
    /// Devices that have arrived so far, and those whose app is in the foreground now.
    var startedCount: Int { get }
    /// Devices whose app is in the foreground now.
    var foregroundCount: Int { get }
    /// Order-free sum over the hashed user actions performed so far, by planned time since `start`:
    /// the fingerprint of a live run's plan.
    var planFingerprint: UInt64 { get }
}

extension DeviceFleet {
    /// Ends the run for all devices at once.
    package func finish(effects: inout DeviceEffects) { finish(0..<deviceCount, effects: &effects) }

    /// None: most fleets begin with empty stores.
    package var prefilledCount: UInt64 { 0 }

    /// The population's own: no roll-outs.
    package func edition(of slot: Int) -> Int { 0 }

    /// No: most SDKs never stop for good.
    package func isLatched(_ slot: Int) -> Bool { false }

    package func prefetch(_ slot: Int, isNext: Bool) {}

    package func runAhead(
        _ slot: Int, from now: Instant, before limit: Instant, effects: inout DeviceEffects
    ) -> RunAhead { RunAhead(moment: now, next: .distantFuture) }

    package func catchUp(to now: Instant, interval: Interval) -> Bool { false }

    /// None: no roll-outs.
    package func updatedCount(at now: Instant) -> Int? { nil }

    /// None: ideal networks.
    package var radioTime: TotalTime? { nil }

    /// None: ideal networks.
    package var radioWakeups: UInt64? { nil }

    /// Nothing: every request is written.
    package func carry(
        _ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? { nil }

    /// Nothing: the body is to be unpacked.
    package func encodePlain(
        _ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? { nil }

    package func wireSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int {
        encodedSize(slot, request: request, at: now)
    }

    /// How many bytes a request has that is encoded for the purpose.
    package func encodedSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int {
        var body = WireBuffer()
        return encode(slot, request: request, at: now, into: &body).byteCount + body.count
    }
}

/// Names a request of a device: kind, and the count of requests of that kind from 0.
package struct RequestNumber: Hashable, Sendable {
    /// What a request is for: numbers count up for each kind alone.
    package enum Kind: UInt8, Sendable {
        case upload, config
    }
    package var kind: Kind
    package var number: UInt32

    package init(kind: Kind, number: UInt32) {
        self.kind = kind
        self.number = number
    }
}

/// A request that a device wants sent now.
package struct OutgoingRequest: Sendable {
    package var slot: UInt32
    package var number: RequestNumber
    /// The due time of the trigger; in an upload loop, the moment of the previous answer.
    package var plannedAt: Instant
    /// The SDK's own limit from the start of the request to the last byte of the answer.
    package var timeout: Interval
    /// Events carried; 0 for a config fetch.
    package var eventCount: UInt32
    /// Whether at least one of its events was carried by an earlier request.
    package var isRetry: Bool
    /// The network at the start; a request begun with `.none` fails at once.
    package var network: NetworkKind
    /// Whether the device reads the answer's body: fetches of configurations do, and uploads of systems that
    /// find their success in there.
    package var wantsBody: Bool
    /// What the device's radio is about; the fleet's to fill in, `nil` where networks are ideal.
    package var radio: RadioMoment?

    package init(
        slot: UInt32, number: RequestNumber, plannedAt: Instant, timeout: Interval, eventCount: UInt32,
        isRetry: Bool, network: NetworkKind, wantsBody: Bool? = nil
    ) {
        self.slot = slot
        self.number = number
        self.plannedAt = plannedAt
        self.timeout = timeout
        self.eventCount = eventCount
        self.isRetry = isRetry
        self.network = network
        self.wantsBody = wantsBody ?? (number.kind == .config)
    }
}

/// The head of a request, as indices into what the fleet rendered beforehand.
package struct RequestHead: Sendable {
    /// The methods that SDKs use.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"

        /// Whether requests have bodies.
        package var hasBody: Bool { self != .get }
    }
    package var method: Method
    /// Path and query as sent in the request line.
    package var path: String
    /// Header lines that the SDK itself sets, `Name: value\r\n` each, without Host and Content-Length.
    package var headerLines: String

    package init(method: Method, path: String, headerLines: String) {
        self.method = method
        self.path = path
        self.headerLines = headerLines
    }

    /// The bytes of path, query and header lines.
    package var byteCount: Int { path.utf8.count + headerLines.utf8.count }
}

/// How a request ended, as the device's networking code sees it.
package enum RequestOutcome: Hashable, Sendable {
    /// A whole answer. Body and content type, as the header has it, are given only where the request
    /// wants the body; `retryAfter` is the time that the header of that name asks for, counted from the answer.
    case answered(status: UInt16, body: [UInt8], retryAfter: Interval? = nil, contentType: String = "")
    case failed(RequestFailure)
}
