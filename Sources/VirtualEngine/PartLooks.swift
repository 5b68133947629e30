import Measurement
import Timebase

/// The looks at the devices of a part of a run.
///
/// The drain of a run is over when that of all its devices is, and a part does not know the others. So a part plays the
/// whole drain. Once its own is over and nothing happens any more, looks are kept and no longer recorded: what is
/// recorded is then the state at any later end of the drain.
struct PartLooks {
    private(set) var log: LevelLog
    /// The first look of those since nothing happened any more, which was the last to be recorded.
    private(set) var quietSince: Instant?
    private var last: FleetLook?
    private var lastActivity: UInt64 = 0

    init(populationCount: Int) { log = LevelLog(populationCount: populationCount) }

    /// Keeps a look.
    ///
    /// - Parameter activity: ``Measurement/RunRecorder/activity`` at it.
    /// - Returns: whether nothing has happened since the look before, which was at a drained part already.
    mutating func isQuiet(_ look: FleetLook, activity: UInt64) -> Bool {
        log.append(look)
        defer { (last, lastActivity) = (look, activity) }
        guard look.isDrained else {
            quietSince = nil
            return false
        }
        if let last, last.isDrained, last.levels == look.levels, lastActivity == activity { return true }
        quietSince = look.at
        return false
    }
}
