import Accounting
import DeviceSDK
import Foundation
import Scenario
import Testing
import Timebase
import World

@testable import Beaconswarm

/// A played run of one device, whose traces tests write themselves.
struct StoryBench {
    let run: ExplainedRun
    let context: DeviceContext
    let scratch: Scratch

    /// - Parameters:
    ///   - population: More members of the population, each with a comma behind it.
    ///   - timeline: Its entries.
    init(_ population: String = "", timeline: String = "") async throws {
        scratch = try Scratch()
        let text = """
            {"name": "told", "seed": 7, "duration": "60s", "drain": "5s", "populations": [{
              "name": "ios", "devices": 1, "system": "sensors", "version": "1.10.17", \(population)
              "persona": {"extends": "steady", "rate": "1/s"}}],
             "timeline": [\(timeline)]}
            """
        let path = scratch.file("scenario.json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var options = RunOptions(source: ScenarioSource(path: path))
        options.quiet = true
        options.out = scratch.file("run")
        run = try await ExplainedRun(Beaconswarm.play(options, in: .virtual).folder)
        context = DeviceContext(0, of: run)
    }

    /// What the run itself did.
    func played() throws -> [TraceStep] { try #require(try run.trace(of: 0)) }

    func told(_ steps: [TraceStep], all: Bool = false) -> [String] {
        DeviceStory(steps, context, joinsUploads: !all).lines.map(\.text)
    }

    func told(of event: UInt32, _ steps: [TraceStep]) -> [String] {
        EventStory(of: event, in: steps, context).lines.map(\.text)
    }

    func at(_ seconds: Int64) -> Instant { context.clock.start + .seconds(seconds) }

    /// Captures from a sequence on.
    func captured(_ range: Range<UInt32>, at seconds: Int64) -> TraceStep {
        TraceStep(at: at(seconds), .captured(range, stored: Int(range.upperBound)))
    }

    func asked(_ upload: UInt32, _ carried: [UInt32], at seconds: Int64) -> TraceStep {
        let request = TracedRequest(
            number: RequestNumber(kind: .upload, number: upload), plannedAt: at(seconds), network: .wifi,
            eventCount: carried.count, carried: carried)
        return TraceStep(at: at(seconds), .asked(request))
    }

    func ended(_ upload: UInt32, _ end: TracedEnd, at seconds: Int64) -> TraceStep {
        TraceStep(at: at(seconds), .ended(RequestNumber(kind: .upload, number: upload), end))
    }

    /// - Parameter from: When it was captured.
    func sealed(
        _ sequence: UInt32, _ disposition: Disposition, from: Int64 = 1, at seconds: Int64
    ) -> TraceStep {
        let event = SealedEvent(
            id: EventID(device: 0, sequence: sequence), label: 0, attempts: 0, disposition: disposition,
            capturedAt: at(from), ackedAt: disposition == .delivered ? at(seconds) : .distantFuture)
        return TraceStep(at: at(seconds), .sealed(event))
    }
}

@Suite("Stories")
struct StoryTests {
    @Test("of what happens at one instant, causes are told before effects")
    func causesFirst() async throws {
        let bench = try await StoryBench()
        let told = bench.told([
            bench.captured(0..<4, at: 1),
            bench.sealed(0, .evicted(.expired), at: 10), bench.asked(0, [1, 2, 3], at: 10),
            bench.ended(0, .failed(.refused), at: 10),
            TraceStep(at: bench.at(20), .network(nil)), bench.asked(1, [1, 2, 3], at: 20),
            bench.ended(1, .failed(.refused), at: 21),
            TraceStep(at: bench.at(30), .updated(1)), bench.asked(2, [1, 2, 3], at: 30),
            bench.ended(2, .failed(.refused), at: 30), TraceStep(at: bench.at(30), .died),
        ])
        let beginnings = [
            "session 0 began", "0-0 evicted", "upload 0 ", "the timeline put the device back", "upload 1 ",
            "the app was launched with the rules of a roll-out", "upload 2 ", "the app",
        ]
        #expect(told.count == beginnings.count)
        for (text, beginning) in zip(told, beginnings) { #expect(text.hasPrefix(beginning)) }
    }

    @Test("repeats are told of where an event is in several uploads of a sentence")
    func repeats() async throws {
        let bench = try await StoryBench()
        func uploads(_ first: [UInt32], _ second: [UInt32]) -> String {
            let told = bench.told([
                bench.captured(0..<4, at: 1), bench.asked(0, first, at: 10),
                bench.ended(0, .failed(.refused), at: 10), bench.asked(1, second, at: 20),
                bench.ended(1, .failed(.refused), at: 20),
            ])
            return told.last ?? ""
        }
        #expect(uploads([0, 1], [2]).hasPrefix("uploads 0 to 1 with 3 events were all refused"))
        #expect(
            uploads([0, 1], [1, 2]).hasPrefix("uploads 0 to 1 with 4 events (repeats counted) were all"))
    }
}
