import Accounting
import Measurement
import Testing

@testable import Reporting

@Suite("Copies that no device sent")
struct NeverSentTests {
    /// A live run against an external target, whose devices sent 300 events in three uploads.
    private func report() -> Report {
        var report = Fixtures.outage()
        report.mode = .live
        report.run.target = "http://127.0.0.1:8106/sa"
        report.measuredFromSeconds = nil
        var batches = TrendSummary()
        (batches.count, batches.average) = (3, 100)
        report.metrics.removeAll { $0.name == "batch_size" }
        report.metrics.append(Metric("batch_size", .trend(.summary(batches))))
        return report
    }

    /// A store that holds so many copies of one event.
    private func audit(received: UInt64, unexpected: UInt64 = 0) -> Audit {
        var audit = Audit()
        (audit.received, audit.unique, audit.confirmed) = (received, 1 + unexpected, 1)
        (audit.duplicates, audit.unexpected) = (received - 1 - unexpected, unexpected)
        return audit
    }

    @Test("are counted and said where a store holds more rows than all uploads carried")
    func counted() throws {
        var told = report()
        told.take(audit(received: 345), note: "From store.sqlite.")
        #expect(told.audit?.neverSent == 45)
        let note = try #require(told.auditNote)
        #expect(note.hasPrefix("From store.sqlite. 345 rows of this run"), "\(note)")
        #expect(note.contains("carried only 300 events: at least 45 of the copies"), "\(note)")
        let json = ReportJSON.write(told)
        #expect(try ReportJSON.read(json).audit == told.audit)
        #expect(String(decoding: json, as: UTF8.self).contains("\"never_sent\": 45"))
    }

    @Test("are not told where devices may have sent them, or nobody knows what was sent")
    func unknown() {
        func told(_ audit: Audit, _ change: (inout Report) -> Void = { _ in }) -> String? {
            var report = report()
            change(&report)
            report.take(audit, note: nil)
            #expect(report.audit?.neverSent == nil)
            return report.auditNote
        }
        #expect(told(audit(received: 300)) == nil)
        // Rows of other runs are among them.
        #expect(told(audit(received: 345, unexpected: 1)) == nil)
        #expect(told(audit(received: 345)) { $0.measuredFromSeconds = 4 } == nil)
        #expect(told(audit(received: 345)) { $0.run.target = Report.embeddedTarget } == nil)
        #expect(told(audit(received: 345)) { $0.mode = .virtual } == nil)
        #expect(told(audit(received: 345)) { $0.metrics.removeAll { $0.name == "batch_size" } } == nil)
    }
}
