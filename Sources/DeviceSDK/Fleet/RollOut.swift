import AppModel
package import Timebase

/// How a change gets around among devices: each has a moment of its own, drawn evenly in a time, or never gets it.
package struct RollOutPace: Hashable, Sendable {
    /// The earliest moment, and how long after it the last one may be.
    package var from: Instant
    package var over: Interval
    /// The share of the devices that ever get it.
    package var share: Double
    /// Tells its draws apart from those of other changes.
    package var number: UInt64

    package init(from: Instant, over: Interval, share: Double, number: UInt64) {
        self.from = from
        self.over = over
        self.share = share
        self.number = number
    }

    /// From when on it reaches a device; `nil` for one that never gets it.
    ///
    /// - Parameter stream: The device's stream of roll-outs.
    package func moment(_ stream: RandomStream) -> Instant? {
        var draw = stream.child(number)
        let part = draw.uniform()
        // Drawn second, so that another share leaves the moments of those who get it where they are.
        guard share >= 1 || draw.chance(share) else { return nil }
        return from + Interval(nanoseconds: Int64((Double(over.nanoseconds) * part).rounded()))
    }

    /// Whether it has reached a device.
    func hasReached(_ stream: RandomStream, by now: Instant) -> Bool {
        from <= now && (moment(stream) ?? .distantFuture) <= now
    }
}

/// Other rules for a population's SDK, as a new version of the app brings them.
///
/// A device takes the rules at the first launch of the app after its moment: never in the midst of a process. A version
/// of the app contains what those before it changed, so a device that launches for the first time in a while goes to the
/// latest of the roll-outs whose moments have passed. Those that never get one stay as they are until the next.
package struct RollOut: Sendable {
    package var pace: RollOutPace
    /// All rules of a device that has it, those of the roll-outs before included.
    package var rules: any SystemRuleSet
    /// What changes, for people.
    package var text: String

    package init(pace: RollOutPace, rules: any SystemRuleSet, text: String) {
        self.pace = pace
        self.rules = rules
        self.text = text
    }
}

extension PopulationPlan {
    /// The rules that some of its devices follow at some time: its own, and those of its roll-outs.
    package var allRules: [any SystemRuleSet] { [system] + rollOuts.map(\.rules) }

    /// What holds of every device, whatever rules it follows.
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds(all: allRules.map { $0.statedBounds(disksFail: disksFail) })
        if !bounds.bulkCountsPages, app.events.contains(where: \.isWeb) { bounds.bulk = nil }
        return bounds
    }
}

/// Which of a population's roll-outs each device of a fleet has, and how many devices have each.
struct RollOutTally: Sendable {
    /// By time.
    let paces: [RollOutPace]
    /// By slot, 0 for none and n for the n-th; empty without roll-outs.
    private var indices: ContiguousArray<UInt8>
    /// Devices by roll-out, as in ``indices``.
    private var counts: [Int]

    init(_ paces: [RollOutPace], count: Int) {
        precondition(paces.count < 256, "a place is a byte")
        self.paces = paces
        indices = paces.isEmpty ? [] : ContiguousArray(repeating: 0, count: count)
        counts = [count] + Array(repeating: 0, count: paces.count)
    }

    @inline(__always)
    subscript(slot: Int) -> Int { paces.isEmpty ? 0 : Int(indices[slot]) }

    mutating func move(_ slot: Int, to index: Int) {
        counts[Int(indices[slot])] -= 1
        counts[index] += 1
        indices[slot] = UInt8(index)
    }

    /// The latest of the roll-outs that have begun, and how many devices have it.
    func latest(at now: Instant) -> (from: Instant, devices: Int)? {
        paces.lastIndex { $0.from <= now }.map { (paces[$0].from, counts[$0 + 1]) }
    }
}

/// Which of a population's rules each device of a fleet follows: 0 for its own, n for those of the n-th roll-out.
struct Editions: Sendable {
    /// Whether there is no roll-out: then nothing is kept, and nothing is asked.
    let isIdle: Bool
    private let streams: PopulationStreams
    private let share: ShardShare
    private var tally: RollOutTally
    /// The edition whose rules the fleet's system has now.
    private var inForce = 0

    init(plan: PopulationPlan, share: ShardShare, count: Int) {
        isIdle = plan.rollOuts.isEmpty
        streams = plan.streams
        self.share = share
        tally = RollOutTally(plan.rollOuts.map(\.pace), count: count)
    }

    subscript(slot: Int) -> Int { tally[slot] }

    /// The edition to put in force before a device's next step; `nil` if it is in force already.
    @inline(__always)
    mutating func change(for slot: Int) -> Int? {
        guard tally[slot] != inForce else { return nil }
        inForce = tally[slot]
        return inForce
    }

    /// A process starts on a device, of the latest version of the app that has reached it.
    ///
    /// - Complexity: O(roll-outs).
    mutating func launch(_ slot: Int, at now: Instant) {
        let stream = streams.stream(.rollOut, index: share.populationIndex(ofSlot: slot))
        let latest = tally.paces.lastIndex { $0.hasReached(stream, by: now) }
        if let latest { tally.move(slot, to: latest + 1) }
    }

    /// The latest of the roll-outs that have begun, and how many devices run it.
    func latest(at now: Instant) -> (from: Instant, devices: Int)? { tally.latest(at: now) }
}
