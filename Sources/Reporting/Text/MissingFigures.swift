/// Where the events are that a store lacks, as lines of a table.
struct MissingLine {
    /// 0 for the sum, 1 for a place, 2 for a fate with its cause.
    var level: Int
    var name: String
    var count: UInt64
    var meaning: String
}

extension Report {
    /// The two places, each with its parts; empty where there is no audit or nothing is missing.
    var missingLines: [MissingLine] {
        guard let missing = audit?.missing else { return [] }
        let never = missing.neverAcceptedTotal
        guard never + missing.acceptedThenLost > 0 else { return [] }
        var lines = [
            MissingLine(
                level: 0, name: "missing", count: never + missing.acceptedThenLost,
                meaning: "captured, and neither held nor excused by a planned fault or a dry run"),
            MissingLine(
                level: 1, name: "never accepted", count: never,
                meaning: "no positive answer reached the device: look at the device and the way"),
        ]
        for fate in missing.neverAccepted {
            lines += fate.causes.map { cause in
                MissingLine(level: 2, name: "\(fate.fate) \(cause.name)", count: cause.count, meaning: "")
            }
        }
        lines.append(
            MissingLine(
                level: 1, name: "accepted, then lost", count: missing.acceptedThenLost,
                meaning: "acknowledged, yet not found: look behind the collector (missing.ndjson)"))
        return lines
    }
}
