import Measurement
import Testing
import Timebase

@testable import Reporting

@Suite("What a policy costs")
struct CostMeasuresTests {
    private func value(_ name: String, _ report: Report) throws -> Double? {
        try Figure.parse(name).value(in: LabReport.Cell(report))
    }

    /// Ten devices: 600 uploads of 1,200 bytes in ten minutes, 30 of them in the first second.
    private func report() -> Report {
        var report = Fixtures.outage()
        report.devices = 10
        report.simulatedSeconds = 660
        report.events.delivered = 1800
        var freshness = TrendSummary()
        freshness.count = 900
        report.metrics = [
            Metric("http_reqs", .counter(count: 600, perSecond: 1)),
            Metric("retries", .counter(count: 100, perSecond: 1)),
            Metric("data_sent", .counter(count: 720_000, perSecond: 1)),
            Metric("event_freshness", .trend(.summary(freshness))),
        ]
        report.series = (0..<600).map { second in
            var point = Report.SeriesPoint()
            point.second = Double(second)
            point.requests = second == 0 ? 30 : 1
            point.requestRate.high = Double(point.requests)
            return point
        }
        return report
    }

    @Test("a day is one of users: a drain makes no policy cheaper")
    func drain() throws {
        var report = report()
        report.usersSeconds = 600
        for seconds in [601.0, 660, 1200] {
            report.simulatedSeconds = seconds
            #expect(try value("requests_per_device_day", report) == 8640)
            #expect(try value("bytes_per_device_day", report) == 10_368_000)
            #expect(try value("bytes_per_delivered_event", report) == 400)
            #expect(try value("retry_amplification", report) == 1.2)
            #expect(try value("peak_to_mean_requests", report) == 30)
        }
        // Of an older report nobody knows more than its whole time.
        report.usersSeconds = nil
        #expect(try value("requests_per_device_day", report) == 4320)
    }

    @Test("the herd is of uploads that leave, where a report has them, and not of those that end")
    func herd() throws {
        var report = report()
        report.usersSeconds = 600
        report.peakUploadRate = 24
        #expect(try value("peak_to_mean_requests", report) == 24)
        let read = try ReportJSON.read(ReportJSON.write(report))
        #expect(read.peakUploadRate == 24)
        report.peakUploadRate = nil
        #expect(!String(decoding: ReportJSON.write(report), as: UTF8.self).contains("peak_uploads"))
    }

    @Test("the high water of the stores is the greatest that their gauge was, in the whole run")
    func highWater() throws {
        var report = report()
        report.series[7].storedRange.high = 81
        #expect(try value("store_high_water", report) == 81)
        report.metrics.append(Metric("store_depth", .gauge(value: 0, minimum: 0, maximum: 85)))
        #expect(try value("store_high_water", report) == 85)
        report.measuredFromSeconds = 300
        #expect(try value("store_high_water", report) == 81, "the gauge is of a part of the run")
    }

    @Test("what ended while warming up is in neither part of a ratio")
    func warmUp() throws {
        var report = report()
        report.usersSeconds = 600
        report.measuredFromSeconds = 300
        #expect(try value("requests_per_device_day", report) == 17_280)
        #expect(try value("bytes_per_delivered_event", report) == 800)
        // A paced run knows of no event's freshness, and of its delivery all the same.
        report.metrics.removeAll { $0.name == "event_freshness" }
        #expect(try value("bytes_per_delivered_event", report) == nil)
        report.measuredDeliveries = 1200
        #expect(try value("bytes_per_delivered_event", report) == 600)
        #expect(try ReportJSON.read(ReportJSON.write(report)).measuredDeliveries == 1200)
        // No second of what is left is as busy as the mean, and the busiest of all is not below it.
        #expect(try value("peak_to_mean_requests", report) == 1)
        report.measuredFromSeconds = 600
        #expect(try value("requests_per_device_day", report) == nil)
    }
}
