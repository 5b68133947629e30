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

    static let sensors = #""system": "sensors", "version": "1.10.17", "#

    /// - Parameters:
    ///   - population: Members of the population, each with a comma behind it.
    ///   - persona: The members of its persona.
    ///   - timeline: Its entries.
    ///   - networks: The members of `networks`.
    init(
        _ population: String = sensors, persona: String = #""extends": "steady", "rate": "1/s""#,
        duration: String = "60s", timeline: String = "", networks: String = ""
    ) async throws {
        scratch = try Scratch()
        let text = """
            {"name": "told", "seed": 7, "duration": "\(duration)", "drain": "5s", "populations": [{
              "name": "ios", "devices": 1, \(population)
              "persona": {\(persona)}}],
             "networks": {\(networks)}, "timeline": [\(timeline)]}
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
    func played() throws -> [TraceStep] { try #require(try run.trace(of: context)) }

    func told(_ steps: [TraceStep], all: Bool = false) -> [String] {
        DeviceStory(steps, context, joins: !all).lines.map(\.text)
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
