import Glibc
import Reporting

extension RunFolder {
    /// Writes a run's results: `report.json` first, since everything else can be made from it or is of less worth,
    /// then what only the run knows, then what the report is rendered into. What finds no room does not keep the
    /// rest from being written, and `report.json` tells of it.
    ///
    /// - Parameters:
    ///   - internalError: What went wrong before.
    ///   - data: Writes what only the run knows, a part each.
    /// - Returns: The report as it was written, and what could not be.
    /// - Throws: ``CommandFailure`` if not even `report.json` could be written.
    func write(
        _ report: Report, internalError: String? = nil, data: [() throws -> Void] = []
    ) throws(CommandFailure) -> (report: Report, failures: [CommandFailure]) {
        let size = try writeJSON(report, mayDrop: ["timeseries.csv"])
        // For the report that has to tell what found no room.
        let reserve = DiskReserve(in: path, bytes: size + (8 << 10), share: 1)
        var report = report
        var failures = RunFolder.failures(of: data)
        if !failures.isEmpty {
            report.judge(internalError: internalError, unwritten: failures.map(\.message))
        }
        let parts = renderings(of: report)
        failures += RunFolder.failures(of: parts.map(\.write))
        reserve.release()
        guard !failures.isEmpty else { return (report, []) }
        report.judge(internalError: internalError, unwritten: failures.map(\.message))
        do throws(CommandFailure) {
            // What it is rendered into gives way: it can be made from the report.
            _ = try writeJSON(report, mayDrop: parts.map(\.name))
        } catch {
            failures.append(error)
            report.judge(
                internalError: internalError, unwritten: failures.map(\.message), lacksReport: true)
            // What is there is the report of a run whose results were written. It must not be taken for this one's.
            rename(file("report.json"), file("report.partial.json"))
        }
        return (report, failures)
    }

    /// - Parameter mayDrop: Files that give way if there is no room.
    /// - Returns: The file's size in bytes.
    private func writeJSON(_ report: Report, mayDrop names: [String] = []) throws(CommandFailure) -> Int {
        let bytes = ReportJSON.write(report)
        do throws(CommandFailure) {
            try OutputFile.write(bytes, to: file("report.json"))
        } catch {
            guard !names.isEmpty else { throw error }
            for name in names { remove(name) }
            try OutputFile.write(bytes, to: file("report.json"))
        }
        // The last state of the run is told by its end.
        remove("report.partial.json")
        return bytes.count
    }

    /// What the report is rendered into, the small files first.
    private func renderings(of report: Report) -> [(name: String, write: () throws -> Void)] {
        var parts: [(name: String, render: () -> [UInt8])] = [
            ("summary.md", { MarkdownWriter().render(report) }),
            (ErrorsWriter.fileName, { ErrorsWriter.render(report.unexpectedAnswers) }),
            (JUnitWriter.fileName, { JUnitWriter().render(report) }),
        ]
        for curve in report.curves {
            parts.append(
                (
                    "\(curve.metric).\(PercentileWriter.format)",
                    { PercentileWriter(metric: curve.metric).render(report) }
                ))
        }
        parts.append(("timeseries.csv", { TimeSeriesWriter().render(report) }))
        parts.append(("report.html", { HTMLWriter().render(report) }))
        return parts.map { part in
            (part.name, { try OutputFile.write(part.render(), to: file(part.name)) })
        }
    }

    private static func failures(of parts: [() throws -> Void]) -> [CommandFailure] {
        var failures: [CommandFailure] = []
        for part in parts {
            do {
                try part()
            } catch let failure as CommandFailure {
                failures.append(failure)
            } catch {
                failures.append(CommandFailure(.internalError, "\(error)"))
            }
        }
        return failures
    }
}
