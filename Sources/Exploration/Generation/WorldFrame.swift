import Timebase

/// The size of a world: what durations and counts are drawn in proportion to, so that worlds are small in work
/// and not in time.
struct WorldFrame: Sendable {
    /// How long users act, in milliseconds: from seconds to days.
    var duration: Int64
    /// Devices of all populations, about.
    var devices: Int
    /// Actions of each device, about.
    var actions: Double
    /// How likely a key is there that need not be: worlds differ in how far they are from the defaults.
    var presence: Double
    /// Entries of the timeline, at most.
    var entries: Int
    /// Whether everything that goes wrong is over well before the end, so that what is alive has to drain.
    var endsInPeace: Bool
    /// What lengths and moments are whole numbers of, in milliseconds: in a third of the worlds much falls on the same
    /// moment, ticks of timers and entries of the timeline.
    var step: Int64
    /// The status that most places of the world speak of: answers, and rules about answers, seldom meet otherwise.
    var status: Int

    init(_ stream: RandomStream) {
        var draw = stream
        duration = Int64(WorldFrame.logUniform(10_000, 2 * 86_400_000, &draw))
        devices = Int(WorldFrame.logUniform(1, 24, &draw))
        actions = WorldFrame.logUniform(2, 40, &draw)
        presence = [0.02, 0.08, 0.2, 0.4][Int(draw.below(4))]
        entries = Int(draw.below(8))
        endsInPeace = draw.chance(0.3)
        let steps: [Int64] = [1000, 5000, 15_000, 60_000, 600_000, 3_600_000]
        let whole = steps.last { [duration] in $0 <= duration / 16 } ?? steps[0]
        step = draw.chance(1 / 3) ? whole : 1
        status = WorldFrame.statuses[Int(draw.below(UInt64(WorldFrame.statuses.count)))]
        duration = onGrid(duration)
    }

    /// Those that SDKs' rules tell apart, the ones that have rules of their own more than once, and the ends of classes.
    static let statuses = [
        413, 413, 413, 429, 429, 429, 503, 503, 503,
        200, 201, 202, 204, 299, 304, 400, 401, 403, 404, 408, 422, 499, 500, 502, 599,
    ]

    /// A status that a place may have: the world's own, another one with a meaning, or any.
    func status(in range: ClosedRange<Int>, _ draw: inout RandomStream) -> Int {
        let known = WorldFrame.statuses[Int(draw.below(UInt64(WorldFrame.statuses.count)))]
        let any = range.lowerBound + Int(draw.below(UInt64(range.count)))
        let first = draw.chance(0.6) ? status : known
        return range.contains(first) && draw.chance(0.95) ? first : range.contains(known) ? known : any
    }

    /// A length or a moment of the world, as a whole number of steps; what is more than nothing stays so.
    func onGrid(_ milliseconds: Int64) -> Int64 {
        milliseconds <= 0 ? milliseconds : max(1, milliseconds / step) * step
    }

    /// The text of a length or a moment of the world.
    func text(milliseconds: Int64) -> String { Self.text(milliseconds: onGrid(milliseconds)) }

    /// A number from `low` to `high`, each order of magnitude as likely.
    static func logUniform(_ low: Double, _ high: Double, _ draw: inout RandomStream) -> Double {
        low * DeterministicMath.exp(draw.uniform() * DeterministicMath.log(high / low))
    }

    /// A duration's text.
    static func text(milliseconds: Int64) -> String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
