import NIOCore
import NIOHTTP1
import NIOSSL
import Reporting
import Timebase

/// Pushes figures of work that goes on every ten seconds, and once more at its end. What does not get through is counted
/// and said; nobody waits for it. Lives on one event loop.
final class OTLPPusher {
    static let period = TimeAmount.seconds(10)

    private let watch: Watch
    private let endpoint: OTLPEndpoint
    private let tls: NIOSSLContext?
    private let loop: any EventLoop
    private var writer: OTLPWriter
    private var latest: Watch.Edition?
    private var pushedAt: Instant?
    /// What is on its way.
    private var current: EventLoopFuture<Void>?
    private var pushes = 0
    private var failures = 0
    private var lastProblem: String?
    /// Problems that were said.
    private var said: Set<String> = []
    /// Whether the work is over, and with it the pushes.
    private var isOver = false

    /// - Throws: ``CommandFailure`` with code 64 for a file without certificates, and where the system has none.
    init(_ watch: Watch, to endpoint: OTLPEndpoint, on loop: any EventLoop) throws(CommandFailure) {
        self.watch = watch
        self.endpoint = endpoint
        self.loop = loop
        tls = try endpoint.http.tls(
            for: "--otlp", authorities: endpoint.authorities, name: OTLPEndpoint.authoritiesName)
        writer = OTLPWriter(
            resource: [
                ("service.name", "beaconswarm"), ("service.version", Beaconswarm.version),
                ("host.name", Host.name), ("beaconswarm.scenario", watch.title),
            ], toolVersion: Beaconswarm.version, start: Host.now)
    }

    /// Pushes what is known now; nothing while the push before is still on its way.
    func push() -> EventLoopFuture<Void> {
        if let current { return current }
        if let edition = watch.edition(after: latest?.number) {
            // Another run counts from 0, from some time after the last push on.
            if let latest, let pushedAt, latest.content.report?.startedAt != edition.content.report?.startedAt
            {
                writer.start = pushedAt
            }
            latest = edition
        }
        let now = Host.now
        pushedAt = now
        var request = HTTPExchange.Request(method: .POST, headers: endpoint.headers, accepted: 200...299)
        request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        request.body = writer.body(
            of: latest?.content.report, progress: watch.standing.share, now: now)
        let bound = NIOLoopBound(self, eventLoop: loop)
        let push = HTTPExchange.send(request, to: endpoint.http, tls: tls, on: loop).problem()
            .map { bound.value.note($0) }
        current = push
        return push
    }

    /// Pushes what is known at the end, after what is still on its way.
    func finish() -> EventLoopFuture<Void> {
        isOver = true
        guard let current else { return push() }
        let bound = NIOLoopBound(self, eventLoop: loop)
        return current.flatMap { bound.value.push() }
    }

    private func note(_ problem: String?) {
        current = nil
        pushes += 1
        guard let problem else { return }
        failures += 1
        // The first of each kind is said at once, the rest at the end: a gateway may fail in two ways by turns.
        if said.insert(problem).inserted {
            let rest = isOver ? "" : "; the run goes on, and so do the pushes"
            let text = "warning: --otlp \(endpoint.http.origin): \(problem)\(rest)"
            Console.error(text)
            watch.say(text)
        }
        lastProblem = problem
    }

    /// What came of all pushes; `nil` if all got through.
    var complaint: String? {
        guard failures > 0 else { return nil }
        return
            "warning: --otlp \(endpoint.http.origin): \(failures) of \(pushes) pushes did not get through; "
            + "the last reason: \(lastProblem ?? "unknown")"
    }
}
