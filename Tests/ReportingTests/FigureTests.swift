import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

@Suite("Figures")
struct FigureTests {
    @Test("a cause of loss that exists and did not occur is 0; one that does not exist names those that do")
    func causes() throws {
        var cell = LabReport.Cell(seed: 1)
        cell.events.captured = 10
        cell.events.evicted = [Report.NamedCount("storage_limit", 2)]
        #expect(try Figure.parse("events_lost.evicted.storage_limit").value(in: cell) == 0.2)
        for unused in ["evicted.expired", "rejected.413", "rejected.retries_exhausted", "lost.killed"] {
            #expect(try Figure.parse("events_lost.\(unused)").value(in: cell) == 0)
        }
        do throws(ThresholdError) {
            _ = try Figure.parse("events_lost.evicted.storage_limt")
            Issue.record("accepted")
        } catch {
            #expect(error.found == "storage_limt" && error.nearest == ["storage_limit"])
            #expect(error.allowed.contains("storage_limit, expired"))
        }
    }

    @Test("an unknown metric is told the causes of loss and the metrics of entries too")
    func unknownMetric() {
        do throws(ThresholdError) {
            _ = try Figure.parse("time_to_recovr{entry:0}.med")
            Issue.record("accepted")
        } catch {
            #expect(error.nearest == ["time_to_recover"])
            #expect(error.allowed.contains("events_lost.FATE.CAUSE"))
            #expect(error.allowed.contains("herd_peak{entry:NAME}"))
        }
    }

    @Test("copies are those of the whole fleet, as where a scenario's thresholds name them")
    func copies() throws {
        for tag in ["{population:ios}", "{ population : \"ios\" }"] {
            do throws(ThresholdError) {
                _ = try Figure.parse("events_duplicated" + tag)
                Issue.record("accepted")
            } catch {
                #expect(
                    error.allowed
                        == "events_duplicated of the whole fleet: copies are not told apart by population")
            }
        }
        #expect(try Figure.parse("events_duplicated").unit == .events)
    }

    @Test("how many samples a distribution has is neither good nor bad, and a number of what they are")
    func counts() throws {
        for (name, unit) in [
            ("event_freshness", .events), ("time_to_recover{entry:0}", .events),
            ("event_attempts{entry:0}", .events), ("batch_size", .requests), ("http_req_duration", .requests),
        ] as [(String, MetricCatalogue.Unit)] {
            let figure = try Figure.parse(name + ".count")
            #expect(figure.unit == unit && figure.direction == .neutral, "\(name)")
        }
        #expect(try Figure.parse("event_freshness.avg").direction == .higherIsWorse)
        let uploads = try Figure.parse("http_reqs.count")
        #expect(uploads.unit == .requests && uploads.direction == .higherIsWorse)
    }

    @Test("rates of counters are told by the second; shares and totals are not")
    func perSecond() throws {
        for (name, told, apart) in [
            ("data_sent.rate", "4.61 kB/s", "+4.61 kB/s"), ("data_sent.count", "4.61 kB", "+4.61 kB"),
            ("http_reqs{population:ios}.rate", "4,610/s", "+4,610/s"), ("http_reqs", "4,610", "+4,610"),
        ] {
            let figure = try Figure.parse(name)
            #expect(ComparisonText.value(4610, figure) == told)
            #expect(ComparisonText.signed(4610, figure) == apart)
        }
        #expect(ComparisonText.value(0.25, try Figure.parse("http_req_failed.rate")) == "25.0 %")
    }

    @Test("a measure of the fleet takes no tag, and is not told to be unknown")
    func taggedMeasure() throws {
        for tag in ["{population:a}", "{entry:0}"] {
            do throws(ThresholdError) {
                _ = try Figure.parse("events_not_kept" + tag)
                Issue.record("accepted")
            } catch {
                #expect(error.allowed == "events_not_kept without a tag: it is a figure of the whole fleet")
            }
        }
    }

    @Test("the name of a single population means the fleet, of a run and of a file of several")
    func onlyPopulation() throws {
        var stream = RandomStream(key: 3)
        var report = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [1],
            variants: [
                LabReport.Variant(
                    name: "base", cells: [SyntheticLab.cell(1, loss: 0.01, stream: &stream)])
            ])
        report.resolved = try JSONReader.readStrictly(Array(#"{"populations": [{"name": "ios"}]}"#.utf8))
        let read = try LabJSON.read(LabJSON.write(report))
        let cell = try #require(read.variants.first?.cells.first)
        let figure = try Figure.parse("events_lost{population:ios}")
        #expect(figure.missingTag(in: FigureTags(of: [cell])) == nil)
        let ofFleet = try Figure.parse("events_lost").value(in: cell)
        #expect(ofFleet != nil && figure.value(in: cell) == ofFleet)
        let other = try Figure.parse("events_lost{population:android}")
        #expect(other.value(in: cell) == nil)
        #expect(other.missingTag(in: FigureTags(of: [cell]))?.allowed == "the name of a population: ios")
        #expect(LabJSON.write(read) == LabJSON.write(report))
    }
}
