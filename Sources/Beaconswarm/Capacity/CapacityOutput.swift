import Reporting
import Synchronization
import Timebase

/// The folder of a search.
final class CapacityOutput: Sendable {
    private let folder: RunFolder
    private let hasWarned = Mutex(false)
    var path: String { folder.path }

    /// - Throws: ``CommandFailure`` with code 64 if the folder is there already.
    init(name: String, out: String?, startedAt: Instant) throws(CommandFailure) {
        folder = try RunFolder(
            creating: out ?? RunFolder.defaultPath(scenario: name, kind: "capacity", at: startedAt))
    }

    /// Renews what a search that breaks off leaves behind. Where that cannot be written, the search goes on: what a full
    /// disk costs shows when its end is written.
    func keep(_ report: CapacityReport, _ console: RunConsole) {
        do throws(CommandFailure) {
            try writePartial(report)
        } catch {
            let isFirst = hasWarned.withLock { hasWarned in
                defer { hasWarned = true }
                return !hasWarned
            }
            if isFirst { console.warn("\(error.message); the search goes on") }
        }
    }

    private func writePartial(_ report: CapacityReport) throws(CommandFailure) {
        try OutputFile.write(CapacityJSON.write(report), to: folder.file("capacity.partial.json"))
        try OutputFile.write(CapacityCSV.write(report), to: folder.file("steps.csv"))
    }

    /// Writes everything, `capacity.json` first: the rest is made from it. Where that finds no room, `capacity.json` tells
    /// of it.
    func write(_ report: CapacityReport) throws(CommandFailure) {
        let bytes = CapacityJSON.write(report)
        try OutputFile.write(bytes, to: folder.file("capacity.json"))
        folder.remove("capacity.partial.json")
        let reserve = DiskReserve(in: folder.path, bytes: bytes.count + (4 << 10), share: 1)
        do throws(CommandFailure) {
            try render(report)
        } catch {
            reserve.release()
            var report = report
            report.exitCode = error.code.rawValue
            report.reasons.append(error.message)
            try? OutputFile.write(CapacityJSON.write(report), to: folder.file("capacity.json"))
            throw error
        }
    }

    private func render(_ report: CapacityReport) throws(CommandFailure) {
        try OutputFile.write(CapacityHTML.write(report), to: folder.file("capacity.html"))
        try OutputFile.write(CapacityMarkdown.write(report), to: folder.file("summary.md"))
        try OutputFile.write(CapacityCSV.write(report), to: folder.file("steps.csv"))
    }
}
