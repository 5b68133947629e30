package import Timebase

/// A configuration that a collector serves from some time on, as one population's devices see it.
///
/// One that is rolled out reaches each device at a moment of its own, as a staged roll-out does. A collector that does not
/// know who asks cannot tell them apart: Sensors' devices fetch without a name. So it serves the newest to all, and a device
/// that this has not reached yet gets what it would have got without it.
package struct ServedEdition: Sendable {
    package var from: Instant
    /// How it gets around; `nil` for to all at once.
    package var pace: RollOutPace?
    /// What a client names that has it already, and need not get it again.
    package var version: String
    /// The answer, whole; empty for the one that changes nothing.
    package var body: [UInt8]
    /// Tells apart the paths that some are for alone: those come before what all get, which is `nil`.
    package var path: Int?

    package init(from: Instant, pace: RollOutPace?, version: String, body: [UInt8], path: Int? = nil) {
        self.from = from
        self.pace = pace
        self.version = version
        self.body = body
        self.path = path
    }
}

/// What a fetch asks for.
package struct AskedConfig {
    /// Which of the SDK's configurations.
    package var number: Int
    /// The version that the device names, and need not get again.
    package var version: String?
    /// The answer that changes nothing.
    package var neutral: [UInt8]

    package init(number: Int, version: String? = nil, neutral: [UInt8]) {
        self.number = number
        self.version = version
        self.neutral = neutral
    }
}

/// Which configurations have reached which devices of a fleet.
struct ConfigRollOuts: Sendable {
    /// Whether no configuration is rolled out: then nothing is kept, and nothing is asked.
    let isIdle: Bool
    /// By the SDK's configuration, in the collector's order.
    private let editions: [[ServedEdition]]
    private let streams: PopulationStreams
    private let share: ShardShare
    /// Which roll-out each device's configuration came with.
    private var tally: RollOutTally

    init(plan: PopulationPlan, share: ShardShare, count: Int) {
        editions = plan.servedEditions
        var paces: [RollOutPace] = []
        for pace in editions.joined().compactMap(\.pace) where !paces.contains(pace) { paces.append(pace) }
        paces.sort { ($0.from, $0.number) < ($1.from, $1.number) }
        isIdle = paces.isEmpty
        streams = plan.streams
        self.share = share
        tally = RollOutTally(paces, count: count)
    }

    /// What a device gets to its fetch, which was answered by what the collector serves.
    ///
    /// - Returns: an answer in the place of the collector's; `nil` for that one.
    /// - Complexity: O(editions).
    mutating func answer(to asked: AskedConfig, slot: Int, at now: Instant) -> RequestOutcome? {
        guard editions.indices.contains(asked.number) else { return nil }
        let stream = streams.stream(.rollOut, index: share.populationIndex(ofSlot: slot))
        let all = editions[asked.number]
        let begun = all.indices.filter { all[$0].from <= now }
        let served = served(begun, of: all)
        let own = self.served(begun.filter { all[$0].pace?.hasReached(stream, by: now) ?? true }, of: all)
        note(own.flatMap { all[$0].pace }, slot: slot)
        guard own != served else { return nil }
        guard let own else { return .answered(status: 200, body: asked.neutral) }
        let isKnown = asked.version != nil && asked.version == all[own].version
        return .answered(status: isKnown ? 304 : 200, body: isKnown ? [] : all[own].body)
    }

    /// The latest of some editions: one for some paths before one for all; `nil` for what changes nothing.
    private func served(_ begun: [Int], of all: [ServedEdition]) -> Int? {
        var seen: [Int] = []
        for edition in begun.reversed() {
            guard let path = all[edition].path, !seen.contains(path) else { continue }
            seen.append(path)
            if !all[edition].body.isEmpty { return edition }
        }
        return begun.last { all[$0].path == nil }.flatMap { all[$0].body.isEmpty ? nil : $0 }
    }

    private mutating func note(_ pace: RollOutPace?, slot: Int) {
        let index = pace.flatMap { tally.paces.firstIndex(of: $0) }
        tally.move(slot, to: index.map { $0 + 1 } ?? 0)
    }

    /// The app was deleted, and what it had fetched with it.
    mutating func forget(_ slot: Int) {
        if !isIdle { note(nil, slot: slot) }
    }

    /// The latest of the roll-outs that have begun, and how many devices have fetched it.
    func latest(at now: Instant) -> (from: Instant, devices: Int)? { tally.latest(at: now) }
}
