import Accounting
import DeviceSDK
import Foundation
import Reporting
import Scenario
import Synchronization
import Testing
import Timebase

@testable import Beaconswarm

/// An encryption that turns bytes round and moves them by the factor: not its own inverse.
private struct Turning: EncryptionService {
    var codec = "turn-1"
    /// Whether the collector's side can read what the devices' side writes.
    var isReadable = true

    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body.reversed().map { $0 &+ factor } }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? {
        isReadable ? body.reversed().map { $0 &- factor } : nil
    }
}

private struct OtherEncryption: EncryptionService {
    var codec = "turn-1"
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] { body }
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { body }
}

/// Drops one type, marks another, and moves all requests elsewhere if it is told to.
private struct Watcher: EventInterceptor {
    var dropped = "PAGE"
    var template: String?

    func eventDidBuild(_ event: inout EventFields) -> InterceptorVerdict {
        if event.event.type == "CUSTOM" { event["attributes.mark"] = .text("own \(event.names.count > 5)") }
        return event.event.type == dropped ? .drop : .keep
    }
    func requestTemplate(for channel: UploadChannel) -> String? { template }
}

/// A database that does as it is told, and counts what it was asked.
private struct Scripted: EventDatabase {
    enum Habit: Sendable { case sound, bounded(Int), forgetful, refusing, undeletable }
    let habit: Habit
    var events: [StoredEvent] = []

    var ids: [UInt32] { events.map(\.id) }
    mutating func close() { if case .forgetful = habit { events = [] } }
    mutating func insert(_ new: [StoredEvent]) -> InsertOutcome {
        if case .refusing = habit { return .failed }
        events += new
        guard case .bounded(let limit) = habit, events.count > limit else { return .written() }
        let evicted = events.prefix(events.count - limit).map(\.id)
        events.removeFirst(evicted.count)
        return .written(evicting: evicted)
    }
    mutating func delete(_ ids: [UInt32]) -> Bool {
        if case .undeletable = habit { return false }
        events.removeAll { ids.contains($0.id) }
        return true
    }
}

/// Plays a small scenario in virtual time with services registered.
private struct Bench {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    static func scenario(
        version: String = "3.2.1", sdk: String = "{}", timeline: String = "[]", others: String = ""
    ) -> String {
        """
        {"name": "services", "seed": 4, "duration": "20m", "drain": "30s", "populations": [
          {"name": "own", "devices": 6, "system": "growing", "version": "\(version)", "sdk": \(sdk), "persona": "power"}
          \(others)], "timeline": \(timeline)}
        """
    }

    func source(_ text: String) throws -> ScenarioSource {
        let path = scratch.file("scenario-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return ScenarioSource(path: path)
    }

    func play(
        _ text: String = scenario(), for population: String? = nil, _ services: SDKServices? = nil
    ) async throws -> RunResult {
        var source = try source(text)
        if let services { source.register(services, for: population) }
        var options = RunOptions(source: source)
        options.quiet = true
        options.out = scratch.file(UUID().uuidString)
        return try await Beaconswarm.play(options, in: .virtual)
    }

    func failure(_ text: String, for population: String? = nil, _ services: SDKServices) throws
        -> CommandFailure?
    {
        var source = try source(text)
        source.register(services, for: population)
        do {
            _ = try LoadedScenario(source)
            return nil
        } catch { return error }
    }
}

private func database(_ habit: Scripted.Habit) -> SDKServices {
    var services = SDKServices()
    services.database = { _ in Scripted(habit: habit) }
    return services
}

@Suite("Services registered by code", .serialized)
struct ServicesTests {
    @Test("the collector reads what an own encryption writes, by its codec")
    func encryption() async throws {
        let bench = try Bench()
        var services = SDKServices()
        services.encryption = Turning()
        let result = try await bench.play(Bench.scenario(), for: "own", services)
        #expect(result.status == .success)
        #expect(result.report.audit?["undecodable"] == 0)
        #expect(result.report.audit?["confirmed"] == result.report.events.delivered)
        #expect(result.report.events.delivered > 100)

        services.encryption = Turning(isReadable: false)
        let broken = try await bench.play(Bench.scenario(), for: "own", services)
        #expect(broken.report.events.delivered == 0 && (broken.report.audit?["undecodable"] ?? 0) > 0)
    }

    @Test("an own encryption stands before the scenario's, and says so in the head and in the sample")
    func head() throws {
        let bench = try Bench()
        var source = try bench.source(
            Bench.scenario(sdk: #"{"services": {"compression": "lz4", "encryption": "xor"}}"#))
        var services = SDKServices()
        services.encryption = Turning()
        source.register(services)
        let scenario = try LoadedScenario(source)
        let plan = try #require(
            scenario.document.plans(start: ScenarioDocument.virtualStart).populations.first)
        let request = try #require(SampledRequest(of: plan, until: plan.usersEnd))
        #expect(request.head.headerLines.contains("X-Compress-Codec: 3\r\nX-Crypt-Codec: turn-1\r\n"))
        #expect(request.text(plan).contains("\"eventType\":\"VISIT\""), "decoded")
    }

    @Test("an own interceptor drops, and changes what the collector holds")
    func interceptor() async throws {
        let bench = try Bench()
        var services = SDKServices()
        services.interceptors = [Watcher()]
        let plain = try await bench.play()
        let result = try await bench.play(Bench.scenario(), services)
        #expect(plain.report.events.suppressed["intercepted"] == 0)
        #expect((result.report.events.suppressed["intercepted"] ?? 0) > 10)
        #expect(result.report.events.captured == plain.report.events.captured)

        var source = try bench.source(Bench.scenario(sdk: #"{"upload": {"firstFlush": "5m"}}"#))
        source.register(services)
        let document = try LoadedScenario(source).document
        let plan = try #require(document.plans(start: ScenarioDocument.virtualStart).populations.first)
        var texts: [String] = []
        for device in 0..<plan.deviceCount {
            var single = plan
            single.seed = plan.seed + UInt64(device)
            texts.append(SampledRequest(of: single, until: plan.usersEnd)?.text(single) ?? "")
        }
        let events = texts.joined().split(separator: "\n").filter { $0.hasPrefix("{\"") }
        #expect(!events.contains { $0.contains("\"eventType\":\"PAGE\"") })
        #expect(events.filter { $0.contains("CUSTOM") }.allSatisfy { $0.contains("\"mark\":\"own true\"") })
    }

    @Test("requests that an own interceptor moves are taken where they go")
    func moved() async throws {
        let bench = try Bench()
        var services = SDKServices()
        services.interceptors = [Watcher(dropped: "", template: "own/%@/collect")]
        let result = try await bench.play(Bench.scenario(), services)
        #expect(result.report.events.delivered > 100)
        #expect(result.report.audit?["confirmed"] == result.report.events.delivered)
    }

    @Test("what a bounded database throws out is evicted, once each", arguments: ["3.2.1", "4.11.0"])
    func bounded(version: String) async throws {
        let bench = try Bench()
        // Nothing gets through, so that the stores fill.
        let outage = #"[{"at": "0s", "collector": {"fault": "outage"}}]"#
        let text = Bench.scenario(version: version, timeline: outage)
        let result = try await bench.play(text, database(.bounded(30)))
        let events = result.report.events
        #expect(events.balance == 0 && events.delivered == 0)
        #expect((events.evicted["storage_limit"] ?? 0) > 0)
        // Two databases on each of six devices; 3.x also has a queue in memory.
        if version == "4.11.0" { #expect((events.pending["stored"] ?? 0) <= 6 * (30 + 30 + 99)) }
        let sound = try await bench.play(text, database(.sound))
        #expect(sound.report.events.evicted["storage_limit"] == 0)
        #expect(sound.report.events == (try await bench.play(text)).report.events, "as the store in memory")
    }

    @Test("what a database no longer holds when it is opened is lost")
    func forgetful() async throws {
        let bench = try Bench()
        let text = Bench.scenario(
            version: "4.11.0", sdk: #"{"storage": {"prefill": 50}}"#,
            timeline: #"[{"at": "0s", "collector": {"fault": "outage"}}]"#)
        let result = try await bench.play(text, database(.forgetful))
        #expect(result.report.events.balance == 0)
        #expect((result.report.events.lost["storage_error"] ?? 0) >= 6 * 50)
        #expect((try await bench.play(text, database(.sound))).report.events.lost["storage_error"] == 0)
    }

    @Test("what a database does not take is lost, and what it does not delete is sent again")
    func refusing() async throws {
        let bench = try Bench()
        let text = Bench.scenario(version: "4.11.0")
        let refused = try await bench.play(text, database(.refusing))
        #expect(refused.report.events.balance == 0 && refused.report.events.delivered == 0)
        #expect((refused.report.events.lost["storage_error"] ?? 0) > 100)
        let repeated = try await bench.play(text, database(.undeletable))
        #expect(repeated.report.events.balance == 0)
        #expect((repeated.report.audit?["duplicates"] ?? 0) > 0)
    }

    @Test("each file of each device is made once, and never for a forecast")
    func makers() async throws {
        let bench = try Bench()
        let seen = SharedFiles()
        var services = SDKServices()
        services.database = { file in
            seen.note(file)
            return Scripted(habit: .sound)
        }
        let others = #", {"name": "second", "devices": 3, "system": "growing"}"#
        var source = try bench.source(Bench.scenario(others: others))
        source.register(services, for: "second")
        let scenario = try LoadedScenario(source)
        _ = Forecast(scenario.document)
        #expect(seen.files.isEmpty)
        var options = RunOptions(source: source)
        options.quiet = true
        options.out = bench.scratch.file("made")
        _ = try await Beaconswarm.play(options, in: .virtual)
        let expected = (6..<9).flatMap { device in
            DatabaseFile.Store.allCases.map { DatabaseFile(device: UInt32(device), store: $0) }
        }
        #expect(Set(seen.files) == Set(expected) && seen.files.count == expected.count)
    }

    @Test("a database service by code is in force whatever the scenario says")
    func switchedOff() async throws {
        let bench = try Bench()
        let text = Bench.scenario(version: "4.11.0", sdk: #"{"services": {"database": "none"}}"#)
        #expect(try await bench.play(text).report.events.delivered == 0)
        #expect(try await bench.play(text, database(.sound)).report.events.delivered > 100)
    }

    @Test("other populations are as without, and equal runs are equal")
    func neighbours() async throws {
        let bench = try Bench()
        let text = Bench.scenario(others: #", {"name": "other", "devices": 4, "system": "growing"}"#)
        var services = database(.bounded(5))
        services.encryption = Turning()
        services.interceptors = [Watcher()]
        let with = try await bench.play(text, for: "own", services)
        let without = try await bench.play(text)
        #expect(with.report.events(ofPopulation: "other") == without.report.events(ofPopulation: "other"))
        #expect(with.report.events(ofPopulation: "own") != without.report.events(ofPopulation: "own"))
        let again = try await bench.play(text, for: "own", services)
        #expect(again.report.report.fingerprint == with.report.report.fingerprint)
        let overrides = with.report.report.scenario.overrides
        #expect(overrides.contains("code /populations/0/sdk/services/encryption=Turning"))
        #expect(overrides.contains("code /populations/0/sdk/services/interceptors+=Watcher"))
        #expect(overrides.contains { $0.hasPrefix("code /populations/0/sdk/services/database=") })
        #expect(without.report.report.scenario.overrides.isEmpty)
    }

    @Test("the last registration that names a population counts, else the last for all")
    func order() throws {
        let bench = try Bench()
        var source = try bench.source(
            Bench.scenario(others: #", {"name": "other", "devices": 4, "system": "growing"}"#))
        for (codec, name) in [("a", "own"), ("b", nil), ("c", "own"), ("d", nil)] as [(String, String?)] {
            var services = SDKServices()
            services.encryption = Turning(codec: codec)
            source.register(services, for: name)
        }
        let populations = try LoadedScenario(source).document.populations
        #expect(populations.map { $0.growing?.encryption?.codec } == ["c", "d"])
    }

    @Test(
        "services that fit nobody, and codecs that mean nothing or two things, are refused",
        arguments: [
            (Optional("nobody"), "own-1", "", "for \"nobody\"", "own"),
            (nil, "", "", "codec \"\"", "letters"),
            (nil, "a\r\nX-Evil: 1", "", "codec", "letters"),
            (nil, String(repeating: "x", count: 65), "", "codec", "64"),
            (
                "own", "1",
                #", {"name": "xor", "devices": 1, "system": "growing", "sdk": {"services": {"encryption": "xor"}}}"#,
                "codec \"1\"", "xor"
            ),
        ])
    func refused(name: String?, codec: String, others: String, found: String, allowed: String) throws {
        var services = SDKServices()
        services.encryption = Turning(codec: codec)
        let failure = try #require(
            try Bench().failure(Bench.scenario(others: others), for: name, services))
        #expect(failure.code == .invalidScenario)
        #expect(failure.message.contains(found) && failure.message.contains(allowed), "\(failure.message)")
    }

    @Test("a codec that is registered for everybody who uses it is fine, and so is one nobody else has")
    func sharedCodec() throws {
        let xor =
            #", {"name": "xor", "devices": 1, "system": "growing", "sdk": {"services": {"encryption": "xor"}}}"#
        var services = SDKServices()
        services.encryption = Turning(codec: "1")
        #expect(try Bench().failure(Bench.scenario(others: xor), services) == nil)
        #expect(try Bench().failure(Bench.scenario(), services) == nil)
        var source = try Bench().source(Bench.scenario(others: xor))
        source.register(services, for: "own")
        var other = SDKServices()
        other.encryption = OtherEncryption(codec: "1")
        source.register(other, for: "xor")
        #expect(throws: CommandFailure.self) { try LoadedScenario(source) }
    }

    @Test("services are refused where nobody runs GrowingIO")
    func nobody() throws {
        let text = Bench.scenario().replacing("\"growing\"", with: "\"sensors\"")
            .replacing("\"3.2.1\"", with: "\"1.10.17\"")
        let failure = try #require(try Bench().failure(text, SDKServices()))
        #expect(failure.code == .invalidScenario && failure.message.contains("has none"))
    }
}

/// Files that a maker was asked for, on any thread.
private final class SharedFiles: Sendable {
    private let state = Mutex<[DatabaseFile]>([])
    var files: [DatabaseFile] { state.withLock { $0 } }
    func note(_ file: DatabaseFile) { state.withLock { $0.append(file) } }
}

@Suite("A run's report for programs")
struct RunReportTests {
    @Test("says what report.json says")
    func values() async throws {
        let bench = try Bench()
        let result = try await bench.play()
        #expect(result.status == .success && result.report.verdict == "passed")
        let json = try #require(result.report.rendered(as: "json"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: result.folder + "/report.json")) == Data(json))
        let root = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let events = try #require(root["events"] as? [String: Any])
        #expect(events["captured"] as? UInt64 == result.report.events.captured)
        #expect(events["pending"] as? [String: UInt64] == result.report.events.pending)
        let metrics = try #require(root["metrics"] as? [String: [String: Any]])
        #expect(metrics["batch_size"]?["max"] as? Double == result.report.value(of: "batch_size", "max"))
        #expect(metrics["http_reqs"]?["count"] as? Double == result.report.value(of: "http_reqs", "count"))
        #expect(result.report.value(of: "batch_size", "rate") == nil)
        #expect(result.report.value(of: "no_such_metric", "count") == nil)
        #expect(result.report.events(ofPopulation: "nobody") == nil)
        #expect(result.report.rendered(as: "pdf") == nil)
        #expect(RunReport.formats.contains("html"))
    }

    @Test("a folder without a run is wrong usage, a broken report an invalid file")
    func failures() throws {
        let scratch = try Scratch()
        #expect { try RunReport(of: scratch.path) } throws: { ($0 as? CommandFailure)?.code == .usage }
        try Data("{\"schema\":".utf8).write(to: URL(fileURLWithPath: scratch.file("report.json")))
        #expect { try RunReport(of: scratch.path) } throws: {
            ($0 as? CommandFailure)?.code == .invalidScenario
        }
    }
}
