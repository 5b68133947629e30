import Scenario
import Testing
import VirtualEngine

@testable import Beaconswarm

@Suite("Forecasts by reference")
struct ForecastSizeTests {
    @Test(
        "a sample that passes its events by reference tells what one that is written does",
        arguments: ["sensors", "growing", "trackingsdk", "codeless"])
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
}
