import Reporting

extension RunFolder {
    /// Writes a run's results: `report.json` first, since everything else can be made from it or is of less worth,
    /// then what only the run knows, then what the report is rendered into. What finds no room does not keep the
    /// rest from being written, and `report.json` tells of it.
    ///
    /// - Parameters:
    ///   - internalError: What went wrong before.
    ///   - data: Writes what only the run knows, a part each: what finds no room is gone, and stays told of.
    ///   - missing: Writes what the audit found, which another audit writes anew.
    /// - Returns: The report as it was written, and what could not be.
    /// - Throws: ``CommandFailure`` if not even `report.json` could be written.
    func write(
        _ report: Report, internalError: String? = nil, data: [() throws -> Void] = [],
        missing: (() throws -> Void)? = nil
    ) throws(CommandFailure) -> (report: Report, failures: [CommandFailure]) {
        // The series grew with the run that ends here; where nothing of a run is written, it is one of before.
        let size = try writeJSON(report, mayDrop: data.isEmpty ? [] : ["timeseries.csv"])
        // For the report that has to tell what found no room.
        let reserve = DiskReserve(in: path, bytes: size + (8 << 10), share: 1)
        var report = report
        let gone = RunFolder.failures(of: data)
        report.unwritten += gone.map(\.message)
        var failures = RunFolder.failures(of: missing.map { [$0] } ?? [])
        if !gone.isEmpty || !failures.isEmpty {
            report.judge(internalError: internalError, unwritten: failures.map(\.message))
        }
        let parts = renderings(of: report)
        let unrendered = RunFolder.failures(of: parts.map(\.write))
        failures += unrendered
        if !unrendered.isEmpty {
            report.judge(internalError: internalError, unwritten: failures.map(\.message))
            failures += renewVerdict(in: report)
        }
        reserve.release()
        guard !gone.isEmpty || !failures.isEmpty else { return (report, []) }
        report.judge(internalError: internalError, unwritten: failures.map(\.message))
        do throws(CommandFailure) {
            // What it is rendered into gives way, since it can be made from the report; and so does the report that is
            // there: it tells of a run whose results were written, and its own room may be what this one needs.
            _ = try writeJSON(report, mayDrop: parts.map(\.name) + ["report.json"])
        } catch {
            failures.append(error)
            report.judge(
                internalError: internalError, unwritten: failures.map(\.message), lacksReport: true)
        }
        return (report, gone + failures)
    }

    /// Renders anew what tells the verdict and was rendered before something else could not be.
    private func renewVerdict(in report: Report) -> [CommandFailure] {
        let told = ["summary.md", JUnitWriter.fileName, "report.html"].filter { OutputFile.exists(file($0)) }
        // Their own room first: a line more may need it.
        for name in told { remove(name) }
        return RunFolder.failures(of: renderings(of: report).filter { told.contains($0.name) }.map(\.write))
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
            (
                part.name,
                {
                    do throws(CommandFailure) {
                        try OutputFile.write(part.render(), to: file(part.name))
                    } catch {
                        // What was there is of before the end.
                        remove(part.name)
                        throw error
                    }
                }
            )
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
