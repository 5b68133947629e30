import Accounting
import DeviceSDK
import Foundation
import GrowingSDK
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Services registered by code", .serialized)
struct ServicesTests {
    @Test("the collector reads what an own encryption writes, by its codec")
    func encryption() async throws {
        let bench = try ServicesBench()
        var services = SDKServices()
        services.encryption = Turning()
        let result = try await bench.play(ServicesBench.scenario(), for: "own", services)
        #expect(result.status == .success)
        #expect(result.report.audit?["undecodable"] == 0)
        #expect(result.report.audit?["confirmed"] == result.report.events.delivered)
        #expect(result.report.events.delivered > 100)

        services.encryption = Turning(isReadable: false)
        let broken = try await bench.play(ServicesBench.scenario(), for: "own", services)
        #expect(broken.report.events.delivered == 0 && (broken.report.audit?["undecodable"] ?? 0) > 0)
    }

    @Test("an own encryption stands before the scenario's, and says so in the head and in the sample")
    func head() throws {
        let bench = try ServicesBench()
        var source = try bench.source(
            ServicesBench.scenario(sdk: #"{"services": {"compression": "lz4", "encryption": "xor"}}"#))
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
        let bench = try ServicesBench()
        var services = SDKServices()
        services.interceptors = [Watcher()]
        let plain = try await bench.play()
        let result = try await bench.play(ServicesBench.scenario(), services)
        #expect(plain.report.events.suppressed["intercepted"] == 0)
        #expect((result.report.events.suppressed["intercepted"] ?? 0) > 10)
        #expect(result.report.events.captured == plain.report.events.captured)

        var source = try bench.source(ServicesBench.scenario(sdk: #"{"upload": {"firstFlush": "5m"}}"#))
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
        let bench = try ServicesBench()
        var services = SDKServices()
        services.interceptors = [Watcher(dropped: "", template: "own/%@/collect")]
        let result = try await bench.play(ServicesBench.scenario(), services)
        #expect(result.report.events.delivered > 100)
        #expect(result.report.audit?["confirmed"] == result.report.events.delivered)
    }

    @Test("what a bounded database throws out is evicted, once each", arguments: ["3.2.1", "4.11.0"])
    func bounded(version: String) async throws {
        let bench = try ServicesBench()
        // Nothing gets through, so that the stores fill.
        let outage = #"[{"at": "0s", "collector": {"fault": "outage"}}]"#
        let text = ServicesBench.scenario(version: version, timeline: outage)
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
        let bench = try ServicesBench()
        let text = ServicesBench.scenario(
            version: "4.11.0", sdk: #"{"storage": {"prefill": 50}}"#,
            timeline: #"[{"at": "0s", "collector": {"fault": "outage"}}]"#)
        let result = try await bench.play(text, database(.forgetful))
        #expect(result.report.events.balance == 0)
        #expect((result.report.events.lost["storage_error"] ?? 0) >= 6 * 50)
        #expect((try await bench.play(text, database(.sound))).report.events.lost["storage_error"] == 0)
    }

    @Test("what a database does not take is lost, and what it does not delete is sent again")
    func refusing() async throws {
        let bench = try ServicesBench()
        let text = ServicesBench.scenario(version: "4.11.0")
        let refused = try await bench.play(text, database(.refusing))
        #expect(refused.report.events.balance == 0 && refused.report.events.delivered == 0)
        #expect((refused.report.events.lost["storage_error"] ?? 0) > 100)
        let repeated = try await bench.play(text, database(.undeletable))
        #expect(repeated.report.events.balance == 0)
        #expect((repeated.report.audit?["duplicates"] ?? 0) > 0)
    }

    @Test("each file of each device is made once, and never for a forecast")
    func makers() async throws {
        let bench = try ServicesBench()
        let seen = SharedFiles()
        var services = SDKServices()
        services.database = { file in
            seen.note(file)
            return Scripted(habit: .sound)
        }
        let others = #", {"name": "second", "devices": 3, "system": "growing"}"#
        var source = try bench.source(ServicesBench.scenario(others: others))
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
        let bench = try ServicesBench()
        let text = ServicesBench.scenario(version: "4.11.0", sdk: #"{"services": {"database": "none"}}"#)
        #expect(try await bench.play(text).report.events.delivered == 0)
        #expect(try await bench.play(text, database(.sound)).report.events.delivered > 100)
    }

    @Test("other populations are as without, and equal runs are equal")
    func neighbours() async throws {
        let bench = try ServicesBench()
        let text = ServicesBench.scenario(others: #", {"name": "other", "devices": 4, "system": "growing"}"#)
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
        let bench = try ServicesBench()
        var source = try bench.source(
            ServicesBench.scenario(others: #", {"name": "other", "devices": 4, "system": "growing"}"#))
        for (codec, name) in [("a", "own"), ("b", nil), ("c", "own"), ("d", nil)] as [(String, String?)] {
            var services = SDKServices()
            services.encryption = Turning(codec: codec)
            source.register(services, for: name)
        }
        let populations = try LoadedScenario(source).document.populations
        #expect(populations.map { ($0.plugins as? GrowingPlugins)?.encryption?.codec } == ["c", "d"])
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
            try ServicesBench().failure(ServicesBench.scenario(others: others), for: name, services))
        #expect(failure.code == .invalidScenario)
        #expect(failure.message.contains(found) && failure.message.contains(allowed), "\(failure.message)")
    }

    @Test("a codec that is registered for everybody who uses it is fine, and so is one nobody else has")
    func sharedCodec() throws {
        let xor =
            #", {"name": "xor", "devices": 1, "system": "growing", "sdk": {"services": {"encryption": "xor"}}}"#
        var services = SDKServices()
        services.encryption = Turning(codec: "1")
        #expect(try ServicesBench().failure(ServicesBench.scenario(others: xor), services) == nil)
        #expect(try ServicesBench().failure(ServicesBench.scenario(), services) == nil)
        var source = try ServicesBench().source(ServicesBench.scenario(others: xor))
        source.register(services, for: "own")
        var other = SDKServices()
        other.encryption = OtherEncryption(codec: "1")
        source.register(other, for: "xor")
        #expect(throws: CommandFailure.self) { try LoadedScenario(source) }
    }

    @Test("two registrations with one codec are refused, unless their encryptions are seen to be the same")
    func codecsOfTwo() throws {
        let bench = try ServicesBench()
        func failure(
            _ first: any EncryptionService, _ second: any EncryptionService
        ) throws -> CommandFailure? {
            let others = #", {"name": "other", "devices": 1, "system": "growing"}"#
            var source = try bench.source(ServicesBench.scenario(others: others))
            for (service, name) in [(first, "own"), (second, "other")] {
                var services = SDKServices()
                services.encryption = service
                source.register(services, for: name)
            }
            do {
                _ = try LoadedScenario(source)
                return nil
            } catch { return error }
        }
        let refused = try #require(try failure(KeyedEncryption(key: 1), KeyedEncryption(key: 2)))
        #expect(refused.code == .invalidScenario)
        #expect(refused.message.contains("the codec \"key\"") && refused.message.contains("Equatable"))
        #expect(try failure(KeyedEncryption(key: 1), KeyedEncryption(key: 1)) == nil)
        // Whether these are the same, nobody can tell.
        #expect(try failure(Turning(), Turning())?.code == .invalidScenario)
        #expect(try failure(Turning(codec: "a"), Turning(codec: "b")) == nil)
        #expect(try failure(PlainEncryption(), PlainEncryption()) == nil)
        let object = SharedEncryption()
        #expect(try failure(object, object) == nil)
        #expect(try failure(object, SharedEncryption())?.code == .invalidScenario)
    }

    @Test("services are refused where nobody runs GrowingIO")
    func nobody() throws {
        let text = ServicesBench.scenario().replacing("\"growing\"", with: "\"sensors\"")
            .replacing("\"3.2.1\"", with: "\"1.10.17\"")
        let failure = try #require(try ServicesBench().failure(text, SDKServices()))
        #expect(failure.code == .invalidScenario && failure.message.contains("has none"))
    }
}
