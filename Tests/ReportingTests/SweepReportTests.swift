import Testing
import Timebase

@testable import Reporting

@Suite("What a sweep says")
struct SweepReportTests {
    /// Points of a grid over two seeds; the values of the axis are 1, 2, ….
    private func sweep(_ path: String = "populations.0.sdk.upload.batch", points: Int = 3) throws
        -> SweepReport
    {
        let axis = SweepReport.Axis(path: path, values: (1...points).map(String.init))
        var lab = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [1, 2], variants: [])
        for point in 1...points {
            var stream = RandomStream(key: 4).child(UInt64(point))
            let cells = lab.seeds.map { SyntheticLab.cell($0, loss: 0.01 * Double(point), stream: &stream) }
            lab.variants.append(
                LabReport.Variant(name: SweepReport.name(["\(point)"], of: [axis]), cells: cells))
        }
        return SweepReport(
            axes: [axis], lab: lab, cost: try Figure.parse("data_sent"),
            freshness: try Figure.parse("event_freshness.p(95)"))
    }

    /// The same, of which all of the last point and a seed of the first did not pass.
    private func failing() throws -> SweepReport {
        var sweep = try sweep()
        for (point, cells) in [(0, 1...1), (2, 0...1)] {
            for index in cells {
                sweep.lab.variants[point].cells[index].exitCode = 99
                sweep.lab.variants[point].cells[index].verdict = .failed
                sweep.lab.variants[point].cells[index].reason =
                    "events_lost violated rate<0 with 0.01 (1.00 %)."
            }
        }
        sweep.lab.judge()
        return sweep
    }

    private func terminal(_ sweep: SweepReport) -> String {
        SweepText.render(sweep, color: false, width: 100).split { $0 == " " || $0 == "\n" }
            .joined(separator: " ")
    }

    @Test("that everything passed is told, and no point is marked")
    func passed() throws {
        let sweep = try sweep()
        let text = terminal(sweep)
        #expect(
            text.contains("✓ 6 simulations passed.") && !text.contains("✗") && !text.contains("did not pass"))
        #expect(SweepText.failing(sweep) == nil)
        #expect(sweep.points.map(\.outcome.words) == ["passed", "passed", "passed"])
        let page = String(decoding: SweepHTML.write(sweep), as: UTF8.self)
        #expect(page.contains("6 simulations passed.") && !page.contains(" front failed\""))
    }

    @Test("why a sweep failed is told on the terminal and the page, with the points that did")
    func failed() throws {
        let sweep = try failing()
        let points = "2 of 3 points did not pass: batch=1 (failed, 1 of 2 seeds); batch=3 (failed)."
        #expect(SweepText.failing(sweep) == points)
        let text = terminal(sweep)
        let page = String(decoding: SweepHTML.write(sweep), as: UTF8.self)
        for form in [text, page] {
            #expect(form.contains(points))
            #expect(form.contains("3 of 6 simulations did not pass; batch=1, seed 2: failed, exit code 99:"))
            #expect(form.contains("events_lost violated rate"))
        }
        // What nothing beats may have failed all the same.
        #expect(sweep.points[0].isOnFront && text.contains("✗ batch=1") && text.contains("✗: did not pass"))
        #expect(page.contains("<td class=\"w judged failed\">failed, 1 of 2 seeds</td>"))
        #expect(page.contains("<td class=\"w judged passed\">passed</td>"))
        #expect(page.contains(" failed\"><title>3: batch=3:"))
        #expect(page.contains("class=\"verdict failed\""))
    }

    @Test("the last column of the table for programs is the verdict")
    func csv() throws {
        let rows = String(decoding: SweepCSV.write(try failing()), as: UTF8.self).split(separator: "\r\n")
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(rows.map { $0.last } == ["verdict", "failed", "passed", "failed"])
        #expect(rows.allSatisfy { $0.count == rows[0].count })
    }

    @Test(
        "an axis of something else than a policy is told, by its index, its name or a pointer",
        arguments: [
            ("populations.0.name", true), ("/populations/0/users", true), ("populations.ios.devices", true),
            ("duration", true), ("populations.0", true), ("populations.ios.network", true),
            ("populations.ios.sdk.upload.batch", false), ("/populations/0/version", false),
            ("populations.0.system", false), ("thresholds.events_lost", false),
        ])
    func caution(path: String, isForeign: Bool) throws {
        let sweep = try sweep(path)
        let said = "not only another policy (\(path))"
        #expect(terminal(sweep).contains(said) == isForeign)
        #expect(String(decoding: SweepHTML.write(sweep), as: UTF8.self).contains(said) == isForeign)
    }

    @Test("points that differ in what the collector does not keep are told, unless that is what is drawn")
    func notKept() throws {
        var sweep = try sweep()
        for (point, share) in [0, 0.0004, 0.6].enumerated() {
            for cell in sweep.lab.variants[point].cells.indices {
                sweep.lab.variants[point].cells[cell].measures = [
                    LabReport.NamedValue("events_not_kept", share)
                ]
            }
        }
        #expect(terminal(sweep).contains("events_not_kept is 0 % to 60.0 %:"))
        sweep.lab.variants.removeLast()
        #expect(!terminal(sweep).contains("events_not_kept"))
        var drawn = sweep
        drawn.lab.variants[0].cells[0].measures = [LabReport.NamedValue("events_not_kept", 0.9)]
        #expect(terminal(drawn).contains("events_not_kept is"))
        drawn.cost = try Figure.parse("events_not_kept")
        #expect(!terminal(drawn).contains("events_not_kept is"))
    }

    @Test("of many points that failed, some are named")
    func many() throws {
        var sweep = try sweep(points: 9)
        for point in sweep.lab.variants.indices { sweep.lab.variants[point].cells[0].exitCode = 99 }
        #expect(SweepText.failing(sweep)?.hasSuffix("; and 3 more.") == true)
        #expect(SweepText.failing(sweep)?.hasPrefix("9 of 9 points did not pass: batch=1 (") == true)
    }
}
