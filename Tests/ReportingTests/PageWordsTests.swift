import Measurement
import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("Words of pages")
struct PageWordsTests {
    private func html(_ report: Report) -> String {
        String(decoding: HTMLWriter().render(report), as: UTF8.self)
    }

    @Test("an entry of the timeline has one number in all of a page, and the tag by which thresholds know it")
    func entries() {
        var report = Fixtures.outage()
        report.marks = [
            Report.Mark(from: 10, until: 20, text: "early"), Report.Mark(from: 30, until: 90, text: "late"),
        ]
        report.entries = [
            Report.Entry(name: "0", mark: 1, metrics: []), Report.Entry(name: "dark", mark: 0, metrics: []),
        ]
        let rows = EntryFigures.rows(of: report)
        #expect(rows.map { Array($0.prefix(2)) } == [["2 late", "{entry:0}"], ["1 early", "{entry:dark}"]])
        #expect(rows.allSatisfy { $0.count == EntryFigures.header.count })
        let page = html(report)
        #expect(page.contains("<b>1</b>") && page.contains("{entry:dark}") && !page.contains("0: late"))
        let summary = String(decoding: MarkdownWriter().render(report), as: UTF8.self)
        #expect(summary.contains("| 2 late | \\{entry:0\\} |"), "\(summary)")
    }
}
