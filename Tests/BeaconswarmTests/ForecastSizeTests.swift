import Accounting
import DeviceSDK
import Measurement
import Reporting
import Scenario
import Testing
import VirtualEngine

@testable import Beaconswarm

@Suite("Forecasts by reference")
struct ForecastSizeTests {
    @Test(
        "a sample that passes its events by reference tells what one that is written does",
        arguments: SimulatedSystems.all.map(\.name).filter {
            $0 != "declared" && !SimulatedSystems.sendsDailyArchives($0)
        })
    func byReference(system: String) throws {
        let bench = try ScenarioBench()
        let text = """
            {"name": "f", "seed": 5, "duration": "6h", "populations": [{"name": "p", "devices": 400, \
            "system": "\(system)", "persona": "casual", "app": "shop"}]}
            """
        let document = try LoadedScenario(try bench.source(text)).document
        let sizes = try #require(UploadSizes(of: document, for: .measure).byReference)
        #expect(sizes.written.isEmpty)
        let (written, measured) = (Forecast(document), Forecast(document, sizes: sizes))
        #expect(measured.eventsRange == written.eventsRange && measured.eventsPeak == written.eventsPeak)
        #expect(measured.requestsMean == written.requestsMean && measured.requestsMean > 0)
        #expect(measured.requestsPeak == written.requestsPeak && measured.sockets == written.sockets)
        // What a model of sizes may be off.
        #expect(abs(measured.bytesMean / written.bytesMean - 1) < 0.02)
    }

    @Test("a sample's steps bound its events, also where hardly a nanosecond lies between two")
    func bound() throws {
        let text = """
            {"name": "f", "seed": 5, "duration": "20s", "populations": [{"name": "p", "devices": 10, \
            "system": "sensors", "app": "shop", "persona": {"extends": "steady", "rate": "1000000000/s", \
            "actionGap": {"median": "1s", "sigma": 10}}}]}
            """
        let bench = try ScenarioBench()
        let document = try LoadedScenario(try bench.source(text)).document
        let plans = document.plans(start: document.simulatedStart)
        let plan = plans.populations[0]
        let sample = PopulationSample(plan, plan.forecastUsers, schedule: plans.schedule, stepLimit: 4000)
        let captured = sample.recorder.populations[0].ledger.captured
        // The bound is looked at every few hundred steps.
        #expect(captured > 2000 && captured < 5000, "\(captured) events")
        #expect(sample.parts.count == 1 && sample.totalScale > sample.scale)
    }

    @Test(
        "requests a second are the same however long the run is, of which a sample plays only the beginning")
    func long() throws {
        let text = """
            {"name": "f", "seed": 5, "duration": "1h", "populations": [{"name": "p", "devices": 200, \
            "system": "sensors", "persona": {"preset": "steady", "rate": "10/s"}}]}
            """
        let bench = try ScenarioBench()
        func forecast(_ duration: String) throws -> Forecast {
            let lasting = text.replacing("\"1h\"", with: "\"\(duration)\"")
            return Forecast(try LoadedScenario(try bench.source(lasting)).document)
        }
        let hour = try forecast("1h")
        #expect(hour.requestsMean > 40)
        for duration in ["1d", "7d", "30d", "365d"] {
            let other = try forecast(duration)
            #expect(
                abs(other.requestsMean / hour.requestsMean - 1) < 0.05, "\(duration): \(other.requestsMean)")
            #expect(other.requestsPeak >= other.requestsMean, "\(duration)")
        }
    }

    @Test("what a part offers is its share of all, and is told as its own")
    func share() throws {
        let text = """
            {"name": "f", "seed": 5, "duration": "1h", "populations": [{"name": "p", "devices": 40, \
            "system": "sensors", "persona": "casual", "app": "shop", "sdk": {"storage": {"prefill": 3}}}]}
            """
        let bench = try ScenarioBench()
        let whole = try withExtendedLifetime(bench) {
            Forecast(try LoadedScenario(bench.source(text)).document)
        }
        let part = whole.share(of: PartNumber(index: 1, count: 4))
        #expect(whole.eventsMean > 0 && whole.requestsPeak > 0 && whole.prefilled == 120)
        #expect(part.eventsMean == whole.eventsMean / 4 && part.eventsPeak == whole.eventsPeak / 4)
        #expect(part.eventsRange.lowerBound == whole.eventsRange.lowerBound / 4)
        #expect(part.eventsRange.upperBound == whole.eventsRange.upperBound / 4)
        #expect(part.requestsMean == whole.requestsMean / 4 && part.requestsPeak == whole.requestsPeak / 4)
        #expect(part.bytesMean == whole.bytesMean / 4 && part.prefilled == 30 && part.devices == 10)
        #expect(part.subject == "part 1/4 of the scenario" && whole.subject == "the scenario")
        #expect(whole.share(of: nil).eventsMean == whole.eventsMean)
    }

    @Test("what is offered seldom is not told as nothing, and what devices bring along as people count it")
    func words() throws {
        let text = """
            {"name": "f", "seed": 5, "duration": "4h", "populations": [{"name": "p", "devices": 2, \
            "system": "sensors", "persona": "casual", "app": "shop", "sdk": {"storage": {"prefill": 4000}}}]}
            """
        let bench = try ScenarioBench()
        var forecast = try withExtendedLifetime(bench) {
            Forecast(try LoadedScenario(bench.source(text)).document)
        }
        (forecast.requestsMean, forecast.requestsPeak, forecast.bytesMean) = (0.023, 12.34, 8)
        let words = forecast.text(for: .live)
        #expect(words.contains("0.023 requests/s (peak 12.3), 0.008 kB/s"), "\(words)")
        #expect(words.hasSuffix("; besides, 8,000 events from before the run"), "\(words)")
        forecast.prefilled = 1
        #expect(forecast.text().hasSuffix("; besides, 1 event from before the run"))
    }
}
