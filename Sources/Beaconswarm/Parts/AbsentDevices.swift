import Accounting
import Reporting

/// The devices of the parts of a run that are missing: what a store holds of them nobody can judge.
struct AbsentDevices {
    private let count: Int
    private let missing: Set<Int>
    /// The number behind that of the last device, population by population.
    private let ends: [Int]

    /// `nil` where no part is missing.
    init?(of report: Report) {
        let parts = (report.run.parts ?? []).compactMap { try? PartNumber($0.name) }
        guard report.run.missingParts != nil, let first = parts.first else { return nil }
        count = first.count
        missing = Set(0..<count).subtracting(parts.map(\.index))
        var end = 0
        ends = report.populations.map {
            end += $0.devices
            return end
        }
    }

    /// Whether a device, by its number in the run, is one of them.
    func contains(_ device: UInt32) -> Bool {
        guard let range = ends.firstIndex(where: { Int(device) < $0 }) else { return false }
        let index = Int(device) - (range > 0 ? ends[range - 1] : 0)
        return missing.contains(index % count)
    }

    /// What readers of the audit have to know.
    func note(_ audit: Audit) -> String {
        let (events, copies) = (audit.ofMissingParts, audit.duplicatesOfMissingParts)
        let more = copies > 0 ? ", with \(copies) \(copies == 1 ? "copy" : "copies") beyond the first," : ""
        return
            "\(events.of("event"))\(more) \(events == 1 ? "is" : "are") of devices in parts of the run that are missing: "
            + "nobody knows what those believed."
    }
}
