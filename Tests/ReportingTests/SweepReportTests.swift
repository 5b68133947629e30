import Measurement
import Testing
import Timebase

@testable import Rendering
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

    /// The same without a metric in some cells.
    private func lacking(_ metric: String, _ cells: [(point: Int, cell: Int)]) throws -> SweepReport {
        var sweep = try sweep()
        for (point, cell) in cells {
            sweep.lab.variants[point].cells[cell].metrics.removeAll { $0.name == metric }
        }
        return sweep
    }

    @Test(
        "a point without samples is left off the front, and named", arguments: ["data_sent", "events_lost"])
    func leftOff(metric: String) throws {
        let sweep = try lacking(metric, [(0, 0), (0, 1)])
        let said = "\(metric) has no samples in 1 of 3 points, which"
        for form in [terminal(sweep), String(decoding: SweepHTML.write(sweep), as: UTF8.self)] {
            #expect(form.contains(said) && form.contains("left off the front: batch=1."))
        }
        #expect(!sweep.points[0].isOnFront && sweep.points[1].isOnFront)
        #expect(SweepText.halfMissing(sweep).isEmpty)
    }

    @Test("that no point has samples is told of all at once, and nothing of points that were not played yet")
    func allMissing() throws {
        let cells = (0...2).flatMap { point in (0...1).map { (point: point, cell: $0) } }
        var sweep = try lacking("event_freshness", cells)
        #expect(
            SweepText.missing(sweep) == [
                "event_freshness.p(95) has no samples in any point: no point can be said to beat another."
            ])
        sweep = try self.sweep()
        sweep.lab.variants[2].cells = []
        #expect(SweepText.missing(sweep).isEmpty)
    }

    @Test("a point that is judged by some of its seeds is named")
    func halfMissing() throws {
        let sweep = try lacking("event_freshness", [(1, 0)])
        let said =
            "event_freshness.p(95) is a mean of those seeds alone that have samples of it: "
            + "batch=2 (1 of 2 seeds)."
        #expect(terminal(sweep).contains(said) && SweepText.missing(sweep).isEmpty)
        #expect(String(decoding: SweepHTML.write(sweep), as: UTF8.self).contains(said))
    }

    @Test(
        "points that differ in what still waits at the end are told: they are not fresh for having sent little"
    )
    func waiting() throws {
        var sweep = try sweep()
        for cell in 0...1 {
            sweep.lab.variants[2].cells[cell].events.pending = [Report.NamedCount("stored", 5000)]
        }
        #expect(terminal(sweep).contains("0 % to 25.0 % of the events were still waiting when the run ended"))
        #expect(
            String(decoding: SweepHTML.write(sweep), as: UTF8.self).contains(
                "were still waiting when the run ended"))
        // What waits in all of them alike tells nothing of one; nor does a point that was not played yet.
        sweep.lab.variants.removeLast()
        sweep.lab.variants[1].cells = []
        sweep.lab.variants[0].cells[0].events.pending = [Report.NamedCount("stored", 5000)]
        #expect(!terminal(sweep).contains("still waiting"))
    }

    @Test("a name that is longer than its column is told to its end, which tells the points apart")
    func longNames() throws {
        let path = "populations.0.sdk.upload.\(String(repeating: "a", count: 30)).flushIntervals"
        var sweep = try sweep(path, points: 2)
        for point in sweep.lab.variants.indices { sweep.lab.variants[point].name = "\(path)=1000\(point)" }
        let lines = SweepText.render(sweep, color: false, width: 80).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        let text = lines.map { $0.drop { $0 == " " } }.joined(separator: "")
        for point in sweep.points where point.isOnFront {
            let first = point.name.prefix(39)
            let rest = point.name.dropFirst(39)
            #expect(text.contains(first) && rest.hasSuffix("=1000\(point.index)") && text.contains(rest))
        }
        #expect(sweep.points.contains { $0.isOnFront })
    }

    @Test("two axes that end alike have heads that tell them apart, as their points have")
    func heads() throws {
        var sweep = try sweep(points: 2)
        let other = SweepReport.Axis(path: "populations.1.sdk.upload.batch", values: ["9"])
        sweep.axes.append(other)
        let page = String(decoding: SweepHTML.write(sweep), as: UTF8.self)
        for axis in sweep.axes {
            #expect(page.contains("<label for=\"sort-\(axis == other ? 2 : 1)\">\(axis.path)</label>"))
        }
        sweep.axes.removeLast()
        #expect(String(decoding: SweepHTML.write(sweep), as: UTF8.self).contains("sort-1\">batch</label>"))
    }

    @Test("numbers of points that lie close together are one label, so that none covers another")
    func closeNumbers() {
        typealias Label = TradeOffChart.Label
        func labels(_ pixels: [(Double, Double)]) -> [Label] {
            let all = pixels.enumerated().map { index, pixel in
                Label(pixel: .init(x: pixel.0, y: pixel.1), numbers: [index + 1])
            }
            return TradeOffChart.apart(all, in: .roomy)
        }
        #expect(
            labels([(104, 102), (100, 100), (100, 140), (300, 100), (104, 102)]).map(\.text) == [
                "3", "1, 2, 5", "4",
            ])
        #expect(labels((0..<9).map { (100 + Double($0), 100.0) }).map(\.text) == ["1, 2, 3, 4, +5"])
        var stream = RandomStream(key: 8)
        let pixels = (0..<400).map { _ in
            (46 + (stream.uniform() * 410).rounded(), 58 + (stream.uniform() * 150).rounded())
        }
        let apart = labels(pixels)
        #expect(apart.flatMap(\.numbers).sorted() == Array(1...400))
        for (index, label) in apart.enumerated() {
            #expect(!apart[..<index].contains { $0.meets(label, in: .roomy) }, "\(label)")
            // Beside the one that is furthest left.
            #expect(label.pixel.x == label.numbers.map { pixels[$0 - 1].0 }.min(), "\(label)")
        }
    }

    @Test("the head that the table is sorted by, or that the keyboard is at, is marked, and no other control")
    func chosenColumn() throws {
        let page = String(decoding: SweepHTML.write(try sweep()), as: UTF8.self)
        for column in 0...2 {
            #expect(page.contains("#sort-\(column):checked~.scroll tbody tr{order:var(--s\(column))}"))
            #expect(page.contains("#sort-\(column):checked~.scroll label[for=sort-\(column)]{"))
            #expect(page.contains("#sort-\(column):focus-visible~.scroll label[for=sort-\(column)]{"))
        }
        #expect(page.contains("#descending:focus-visible~.turn{") && !page.contains("input:focus-visible"))
        #expect(page.contains("<caption>All points</caption>"))
    }

    @Test("of many points that failed, some are named")
    func many() throws {
        var sweep = try sweep(points: 9)
        for point in sweep.lab.variants.indices { sweep.lab.variants[point].cells[0].exitCode = 99 }
        #expect(SweepText.failing(sweep)?.hasSuffix("; and 3 more.") == true)
        #expect(SweepText.failing(sweep)?.hasPrefix("9 of 9 points did not pass: batch=1 (") == true)
    }
}
