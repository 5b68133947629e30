import AppModel
import DeviceSDK
import Scenario
import Snapshots
import Timebase
import Wire

/// What makes parts parts of the same run: one that differs in any of it was played from something else.
struct PartIdentity: Hashable, Sendable {
    var toolVersion: String
    /// Of the scenario as it is played, seed and options included.
    var scenarioSHA256: String
    /// What that scenario does not tell.
    var sum: ScenarioSum
    var seed: UInt64
    var count: Int
    /// What becomes of requests' bytes; empty for live runs.
    var bodies: String
    /// By the run's clock.
    var start: Instant
    /// Of the clocks in the zones in which people live, while the run lasts: that of machines with other versions of the
    /// zone data may be another.
    var zonesSHA256: String
    /// When a live run began by the clock on the wall; `nil` in virtual time.
    var at: Instant?

    /// What differs first, in words; `nil` for the same run.
    func difference(from other: PartIdentity) -> String? {
        let mode = { (identity: PartIdentity) in identity.at == nil ? "simulated" : "played live" }
        let told: [PartDifference.Told] = [
            ("version ", toolVersion, other.toolVersion),
            ("seed ", String(seed), String(other.seed)),
            ("it is ", PartNumber.words(one: count), PartNumber.words(one: other.count)),
            ("", mode(self), mode(other)),
            ("bodies ", bodies, other.bodies),
        ]
        if let found = PartDifference.first(of: told) { return found }
        let hasSameText = scenarioSHA256 == other.scenarioSHA256
        if let found = sum.difference(from: other.sum, hasSameText: hasSameText) { return found }
        let times: [PartDifference.Told] = [
            ("--at ", at?.text ?? "", other.at?.text ?? ""),
            ("start ", start.text, other.start.text),
        ]
        if let found = PartDifference.first(of: times) { return found }
        guard zonesSHA256 != other.zonesSHA256 else { return nil }
        return
            "the zone data of its machine is of another version, by which clocks of the scenario's zones differ"
    }
}

/// What has to be the same in two parts of one work.
enum PartDifference {
    typealias Told = (what: String, mine: String, theirs: String)

    /// The first that is not, in words; `nil` if all is.
    static func first(of told: [Told]) -> String? {
        told.first { $0.mine != $0.theirs }.map { "\($0.what)\($0.mine), not \($0.theirs)" }
    }
}

extension ScenarioPlans {
    /// Of the offsets of all zones from the start to a day after the end of users, as far as they change.
    var zonesSHA256: String {
        var text = ""
        for plan in populations {
            for table in plan.zones.tables {
                var instant = schedule.start
                let end = schedule.usersEnd + .hours(24)
                while instant < end {
                    let (offset, until) = table.offset(at: instant)
                    text += "\(offset.nanoseconds) \(min(until, end).nanoseconds)\n"
                    instant = until
                }
            }
            text += "\n"
        }
        return SHA256.hexadecimal(of: Array(text.utf8))
    }
}

extension PartIdentity: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(toolVersion)
        writer.write(scenarioSHA256)
        writer.write(sum)
        writer.write(seed)
        writer.write(count)
        writer.write(bodies)
        writer.write(start)
        writer.write(zonesSHA256)
        writer.write(optional: at)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        toolVersion = try reader.text()
        scenarioSHA256 = try reader.text()
        sum = try reader.value()
        seed = try reader.unsigned()
        count = try reader.int()
        bodies = try reader.text()
        start = try reader.value()
        zonesSHA256 = try reader.text()
        at = try reader.optional()
    }
}
