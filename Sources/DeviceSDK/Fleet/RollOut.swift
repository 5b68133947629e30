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
        StatedBounds(all: allRules.map { $0.statedBounds(disksFail: disksFail) })
    }
}

/// Which of a population's rules each device of a fleet follows: 0 for its own, n for those of the n-th roll-out.
struct Editions: Sendable {
    /// Whether there is no roll-out: then nothing is kept, and nothing is asked.
    let isIdle: Bool
    private let rollOuts: [RollOut]
    private let streams: PopulationStreams
    private let share: ShardShare
    /// By slot.
    private var editions: ContiguousArray<UInt8>
    /// Devices by edition.
    private var counts: [Int]
    /// The edition whose rules the fleet's system has now.
    private var inForce: UInt8 = 0

    init(plan: PopulationPlan, share: ShardShare, count: Int) {
        isIdle = plan.rollOuts.isEmpty
        precondition(plan.rollOuts.count < 256, "an edition is a byte")
        rollOuts = plan.rollOuts
        streams = plan.streams
        self.share = share
        editions = isIdle ? [] : ContiguousArray(repeating: 0, count: count)
        counts = [count] + Array(repeating: 0, count: rollOuts.count)
    }

    subscript(slot: Int) -> Int { isIdle ? 0 : Int(editions[slot]) }

    /// The edition to put in force before a device's next step; `nil` if it is in force already.
    @inline(__always)
    mutating func change(for slot: Int) -> Int? {
        guard editions[slot] != inForce else { return nil }
        inForce = editions[slot]
        return Int(inForce)
    }

    /// A process starts on a device, of the latest version of the app that has reached it.
    ///
    /// - Complexity: O(roll-outs).
    mutating func launch(_ slot: Int, at now: Instant) {
        let stream = streams.stream(.rollOut, index: share.populationIndex(ofSlot: slot))
        let latest = rollOuts.lastIndex { $0.pace.hasReached(stream, by: now) }
        guard let latest, latest + 1 != Int(editions[slot]) else { return }
        counts[Int(editions[slot])] -= 1
        counts[latest + 1] += 1
        editions[slot] = UInt8(latest + 1)
    }

    /// The latest of the roll-outs that have begun, and how many devices run it.
    func latest(at now: Instant) -> (from: Instant, devices: Int)? {
        rollOuts.lastIndex { $0.pace.from <= now }.map { (rollOuts[$0].pace.from, counts[$0 + 1]) }
    }
}
