import Testing

@testable import Rendering
@testable import Reporting

@Suite("The picture of the ledger")
struct LedgerFlowTests {
    /// The picture of a run that lost events in these ways.
    private func picture(
        _ geometry: LedgerFlow.Geometry, captured: UInt64, lost: [Report.NamedCount]
    ) -> String {
        var report = Fixtures.outage()
        report.audit = nil
        report.events = Report.EventCounts()
        report.events.captured = captured
        report.events.lost = lost
        var html = Markup()
        LedgerFlow(report, geometry).write(into: &html)
        return html.text
    }

    /// The names and counts of causes, a line each, as the picture has them.
    private func leaves(_ geometry: LedgerFlow.Geometry) -> [Substring] {
        let lost = [
            Report.NamedCount("retries_exhausted", 1_345_660), Report.NamedCount("killed", 90),
            Report.NamedCount("a_cause_that_no_picture_has_any_room_for", 91),
        ]
        return picture(geometry, captured: 200_000_000, lost: lost)
            .matches(of: /<tspan[^>]*>([^<]*)<\/tspan>/).map { $0.output.1 }
    }

    @Test("no count is beyond the picture's edge, where it would read as another one")
    func counts() {
        for (geometry, letters) in [(LedgerFlow.Geometry.narrow, 24), (.wide, 27)] {
            #expect(geometry.letters == letters)
            let parts = leaves(geometry)
            for count in ["1,345,660", "90", "91"] { #expect(parts.contains { $0 == count }, "\(count)") }
            #expect(parts.allSatisfy { $0.count <= letters + 1 }, "\(parts)")
            #expect(parts.contains { $0.hasPrefix("a_cause") && $0.hasSuffix("room_for ") })
        }
    }

    @Test("a count has a line of its own only where there is no room beside the name")
    func lines() {
        func below(_ geometry: LedgerFlow.Geometry) -> Int {
            let lost = [
                Report.NamedCount("retries_exhausted", 345_660), Report.NamedCount("killed", 90),
            ]
            return picture(geometry, captured: 2_000_000, lost: lost).matches(of: /dy="15"/).count
        }
        #expect(below(.narrow) == 1 && below(.wide) == 0)
    }
}
