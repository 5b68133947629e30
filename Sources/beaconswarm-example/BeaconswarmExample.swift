import Beaconswarm

/// A program of one's own around Beaconswarm: it puts an encryption, an interceptor and a database of its own into the
/// GrowingIO SDKs of a scenario, plays it in virtual time, and reads the report.
///
///     beaconswarm-example scenarios/systems/growing-custom-sdk.json /tmp/example-run
///
/// It imports nothing but the library's public interface, so it can be copied into another package as it stands.
@main
struct BeaconswarmExample {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let scenario = arguments.first, arguments.count <= 2 else {
            Console.error("usage: beaconswarm-example SCENARIO.json [FOLDER]")
            exit(with: .usage)
        }
        do {
            let result = try await play(scenario, into: arguments.dropFirst().first)
            Console.output(summary(of: result))
            exit(with: result.status)
        } catch let failure as CommandFailure {
            Console.error("error: \(failure.message)")
            exit(with: failure.code)
        } catch {
            Console.error("error: \(error)")
            exit(with: .internalError)
        }
    }

    private static func play(_ scenario: String, into folder: String?) async throws -> RunResult {
        var services = SDKServices()
        services.encryption = KeyedEncryption(key: Array("example".utf8))
        services.interceptors = [StageInterceptor(stage: "beta", keptShare: 0.5)]
        services.database = { _ in BoundedDatabase(limit: 40) }

        var source = ScenarioSource(path: scenario)
        source.devices = 20
        source.register(services)

        var options = RunOptions(source: source)
        options.out = folder
        options.quiet = true
        return try await Beaconswarm.play(options, in: .virtual)
    }

    private static func summary(of result: RunResult) -> String {
        let events = result.report.events
        let unreadable = result.report.audit?["undecodable"] ?? 0
        return """
            verdict: \(result.report.verdict)
            captured: \(events.captured)
            delivered: \(events.delivered)
            intercepted: \(events.suppressed["intercepted"] ?? 0)
            evicted by the database: \(events.evicted["storage_limit"] ?? 0)
            not readable by the collector: \(unreadable)
            report: \(result.folder)/report.html

            """
    }
}
