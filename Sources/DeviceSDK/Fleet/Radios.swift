import Timebase
import World

/// The radios of a fleet's devices: which one each is on, and how long requests kept it awake. Nothing at all where
/// networks are ideal.
///
/// A device's way is a function of its stream alone. It is followed when the device does something, for nothing asks
/// before; devices are woken for a change of their radio only where their SDK acts on it.
struct Radios: Sendable {
    private struct Radio: Sendable {
        var walk: RadioWalk?
        /// What the device was told last.
        var told: NetworkKind
        /// The timeline's, while one of its entries lasts.
        var override: NetworkKind?
        /// Requests that are under way.
        var open: UInt16 = 0
        /// Until when the radio is awake, and its time is counted.
        var awakeUntil = Instant(nanoseconds: .min)
        /// When the last request ended, and the radio that it was on; a connection may be left over.
        var connectedAt: Instant?
        var connectedOn = NetworkKind.none
        /// Whether the device has been on another radio, or on none, since the last request began.
        var hasMoved = false
        /// Whether one of the requests under way woke it.
        var hasWoken = false
        /// When it was ready, or will be, after it was woken last.
        var readyAt = Instant(nanoseconds: .min)
    }

    private let rules: NetworkRules
    private let streams: PopulationStreams
    private let share: ShardShare
    /// By slot; empty for ideal networks.
    private var radios: ContiguousArray<Radio> = []
    /// How long radios were awake for requests that ended, tails included, on all devices.
    private(set) var timeAwake = TotalTime.zero
    /// How often a request found a radio asleep, or another radio than the one that was awake, on all devices.
    private(set) var wakeups: UInt64 = 0

    /// - Parameter count: Devices of the share.
    init(plan: PopulationPlan, share: ShardShare, count: Int) {
        rules = plan.network
        streams = plan.streams
        self.share = share
        guard !rules.isIdeal else { return }
        radios = ContiguousArray(
            (0..<count).map { slot in
                let stream = streams.stream(.network, index: share.populationIndex(ofSlot: slot))
                let walk = rules.walk(stream: stream, from: plan.start)
                return Radio(walk: walk, told: walk.flatMap { rules.kind(of: $0) } ?? rules.kind)
            })
    }

    /// Whether there is nothing to follow and nothing to count.
    var isIdle: Bool { radios.isEmpty }

    /// Follows a device's way to a moment.
    ///
    /// - Returns: the radio, where it is another than the device knows.
    mutating func change(of slot: Int, through now: Instant) -> NetworkKind? {
        if let chain = rules.chain, let until = radios[slot].walk?.until, until <= now {
            let stream = streams.stream(.network, index: share.populationIndex(ofSlot: slot))
            radios[slot].walk?.advance(through: now, chain, stream: stream)
            // It may be on the same radio again.
            if radios[slot].override == nil { radios[slot].hasMoved = true }
        }
        let radio = radios[slot]
        let kind = radio.override ?? radio.walk.flatMap { rules.kind(of: $0) } ?? rules.kind
        guard kind != radio.told else { return nil }
        radios[slot].told = kind
        radios[slot].hasMoved = true
        return kind
    }

    /// The radio that a device was told of last.
    func kind(of slot: Int) -> NetworkKind { radios[slot].told }

    /// When the device's way leaves its radio; never while an entry of the timeline says which one it is on.
    func nextChange(of slot: Int) -> Instant {
        guard radios[slot].override == nil, let walk = radios[slot].walk else { return .distantFuture }
        return walk.until
    }

    /// Notes what the timeline makes of a device's network; `nil` for nothing.
    mutating func override(_ slot: Int, by kind: NetworkKind?) { radios[slot].override = kind }

    /// Notes that a device begins a request.
    ///
    /// - Returns: what its radio is about.
    mutating func begin(of slot: Int, on kind: NetworkKind, at now: Instant) -> RadioMoment {
        var moment = RadioMoment()
        let radio = radios[slot]
        if radio.override == nil, let walk = radio.walk, let chain = rules.chain {
            moment.changesAt = walk.until
            moment.next = walk.nextKind(chain)
        }
        let isSame = radio.connectedOn == kind
        // Those that are under way on another radio keep that one awake, and not this one.
        if !isSame || (radio.open == 0 && now > radio.awakeUntil) {
            wakeups += 1
            radios[slot].hasWoken = true
            radios[slot].readyAt = now + (rules.links[kind]?.promotion ?? .zero)
        }
        moment.wakesFor = max(radios[slot].readyAt, now) - now
        // No connection outlives a change of the radio.
        if !isSame || radio.hasMoved { radios[slot].connectedAt = nil }
        radios[slot].hasMoved = false
        moment.isConnected = radios[slot].connectedAt.map { now - $0 <= LinkRules.keepAlive } ?? false
        if radio.open == 0 { radios[slot].awakeUntil = max(radio.awakeUntil, now) }
        radios[slot].open += 1
        radios[slot].connectedOn = kind
        return moment
    }

    /// Notes that one of a device's requests ended.
    ///
    /// - Parameter isWhole: Whether by an answer: else its connection is of no more use.
    mutating func end(of slot: Int, isWhole: Bool, at now: Instant) {
        guard radios[slot].open > 0 else { return }
        radios[slot].open -= 1
        radios[slot].connectedAt = isWhole && !radios[slot].hasMoved ? now : nil
        radios[slot].hasWoken = false
        stayAwake(slot, after: now)
    }

    /// A request that was begun is taken back: nothing of it counts.
    mutating func takeBack(of slot: Int) {
        guard radios[slot].open > 0 else { return }
        radios[slot].open -= 1
        // Nobody is left for whom it was woken.
        guard radios[slot].open == 0, radios[slot].hasWoken else { return }
        radios[slot].hasWoken = false
        wakeups -= 1
    }

    /// The app's process died: its requests and connections are gone.
    mutating func endAll(of slot: Int, at now: Instant) {
        if radios[slot].open > 0 { stayAwake(slot, after: now) }
        radios[slot].open = 0
        radios[slot].hasWoken = false
        radios[slot].connectedAt = nil
    }

    private mutating func stayAwake(_ slot: Int, after end: Instant) {
        let tail = rules.links[radios[slot].connectedOn]?.tail ?? .zero
        let until = end + tail
        guard until > radios[slot].awakeUntil else { return }
        timeAwake += until - radios[slot].awakeUntil
        radios[slot].awakeUntil = until
    }
}

extension NetworkRules {
    fileprivate func kind(of walk: RadioWalk) -> NetworkKind? { chain.map { walk.kind($0) } }
}
