import Testing

@testable import Reporting

@Suite("Radios in reports")
struct RadioSharesTests {
    private static func report() -> Report {
        var radios = Report.RadioShares()
        radios.devices = 3
        radios.seconds = [0, 60, 120]
        radios.radios = [.init("none", shares: [0, 1, 0]), .init("4g", shares: [1, 0, 0.3333])]
        var report = Fixtures.outage()
        report.radios = radios
        return report
    }

    @Test("report.json has them, and what is read is what was written")
    func json() throws {
        let report = Self.report()
        let bytes = ReportJSON.write(report)
        let read = try ReportJSON.read(bytes)
        #expect(read.radios == report.radios && ReportJSON.write(read) == bytes)
        let none = ReportJSON.write(Fixtures.outage())
        #expect(!String(decoding: none, as: UTF8.self).contains("\"radios\""))
    }

    @Test("a radio without a share for each moment is refused by its place")
    func short() throws {
        var report = Self.report()
        report.radios?.radios[1].shares.removeLast()
        let bytes = ReportJSON.write(report)
        let error = #expect(throws: ReportReadError.self) { try ReportJSON.read(bytes) }
        #expect(error?.key == "radios.shares.4g" && error?.message == "expected 3 values, found 2")
    }

    @Test("the page draws them, and says of how many devices")
    func page() {
        var report = Self.report()
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("Devices by radio (of 3 of them)"))
        #expect(page.contains("no radio: 0 % to 100 %") && page.contains("4g: 0 % to 100 %"))
        report.radios = nil
        #expect(!String(decoding: HTMLWriter().render(report), as: UTF8.self).contains("by radio"))
    }
}
