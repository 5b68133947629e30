import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import Timebase
import World

@testable import LiveEngine

/// Answers whatever comes as a web server without TLS does.
private final class Refusing: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let answer = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(promise: nil)
    }
}

@Suite("TLS against a server on the loopback", .serialized, .realClock())
struct TLSTests {
    private let certificates: TestCertificates
    private static let ok = ScriptedServer.ok

    init() throws {
        certificates = try TestCertificates()
        try certificates.issue("server")
    }

    private func server(
        _ name: String = "server", asksForCertificate: Bool = false,
        adjust: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.path("\(name).pem"))
                .map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: certificates.path("\(name).key"), format: .pem)))
        if asksForCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(certificates.path("ca.pem"))
        }
        adjust(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }

    /// What the check before a run says of a server.
    private func problem(
        _ tls: NIOSSLContext?, host: String = "localhost", authority: String? = "ca.pem",
        adjust: (inout PopulationPlan.Target.TLSRules) -> Void = { _ in }
    ) async throws -> String? {
        // The suite knows how late these loops are: a refusal that comes too late is not heard.
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ScriptedServer.start(on: group, tls: tls) { _, _ in [.write(Self.ok)] }
        var target = PopulationPlan.Target.secure(
            certificates, host: host, port: server.port, authority: authority)
        adjust(&target.tls)
        let problem = try await LiveEngine.connectProblem(target, on: group.next())
        try await server.stop()
        return problem
    }

    // MARK: Before a run

    @Test("believes a certificate of its own authority, for a name and for an address")
    func good() async throws {
        #expect(try await problem(try server()) == nil)
        #expect(try await problem(try server(), host: "127.0.0.1") == nil)
    }

    @Test("tells an unknown authority")
    func unknownAuthority() async throws {
        let other = try await problem(try server(), authority: "other-ca.pem")
        #expect(other?.contains("signed by an unknown authority") == true)
        #expect(other?.contains("other-ca.pem") == true)
        let system = try await problem(try server(), authority: nil)
        #expect(system?.contains("unknown authority, not by one that this system trusts") == true)
    }

    @Test("tells a certificate that has expired, with the day")
    func expired() async throws {
        try certificates.issue("old", days: -1)
        let text = try #require(try await problem(try server("old")))
        #expect(text.contains(/its certificate expired on \d{4}-\d\d-\d\d$/))
    }

    @Test("tells a wrong host name: the one that was expected and those of the certificate")
    func wrongName() async throws {
        try certificates.issue("elsewhere", names: "DNS:a.example,DNS:*.b.example,IP:10.1.2.3")
        #expect(
            try await problem(try server("elsewhere"))
                == "wrong host name: localhost was expected, and the certificate is for "
                + "a.example, *.b.example, 10.1.2.3")
        #expect(
            try await problem(try server("elsewhere"), host: "127.0.0.1")?
                .hasPrefix("wrong host name: 127.0.0.1 was expected") == true)
        #expect(try await problem(try server("elsewhere")) { $0.serverName = "www.b.example" } == nil)
    }

    @Test("asks for the name in the URL or the one of the rules, and for none where that is an address")
    func serverName() throws {
        func name(_ host: String, rule: String? = nil) throws -> String? {
            var target = PopulationPlan.Target(scheme: "https", host: host, port: 443, pathAndQuery: "/")
            target.tls.serverName = rule
            return try TLSClient(target).serverName
        }
        #expect(try name("collector.example") == "collector.example")
        #expect(try name("10.0.0.1") == nil)
        #expect(try name("::1") == nil)
        #expect(try name("10.0.0.1", rule: "other.example") == "other.example")
    }

    @Test("takes any certificate where that is asked for")
    func insecure() async throws {
        try certificates.issue("bad", names: "DNS:elsewhere.example", days: -1)
        #expect(try await problem(try server("bad"), authority: nil) { $0.isInsecure = true } == nil)
    }

    @Test(
        "tells a server that wants a client certificate, TLS 1.2 or 1.3",
        arguments: [TLSVersion.tlsv12, .tlsv13])
    func clientCertificate(version: TLSVersion) async throws {
        try certificates.issue("client", names: "DNS:client")
        let asking = try server(asksForCertificate: true) { $0.maximumTLSVersion = version }
        let missing = try #require(try await problem(asking))
        #expect(missing.contains("client certificate"))
        let given = try await problem(asking) {
            $0.certificateFile = certificates.path("client.pem")
            $0.keyFile = certificates.path("client.key")
        }
        #expect(given == nil)
    }

    @Test("tells a port without TLS from one with")
    func plain() async throws {
        try await withGroup(threads: 2) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [] }
            var target = PopulationPlan.Target.secure(certificates, port: server.port)
            // This server waits for the end of a request's head.
            let silent = try await LiveEngine.connectProblem(
                target, within: .milliseconds(200), on: group.next())
            #expect(silent == "no answer within 200ms")
            try await server.stop()
            let speaking = try await ServerBootstrap(group: group)
                .childChannelInitializer { child in
                    child.eventLoop.makeCompletedFuture {
                        try child.pipeline.syncOperations.addHandler(Refusing())
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            target.port = speaking.localAddress?.port ?? 0
            let problem = try await LiveEngine.connectProblem(target, on: group.next())
            #expect(problem?.hasPrefix("no TLS on that port") == true)
            try await speaking.close().get()
        }
    }

    // MARK: During a run

    private func target(_ authority: String = "ca.pem") -> PopulationPlan.Target {
        .secure(certificates, port: 0, authority: authority)
    }

    private func trend(_ name: String, _ result: LiveResult) throws -> LatencyHistogram {
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        guard case .trend(.time(let histogram)) = metrics.first(where: { $0.name == name })?.value else {
            throw LiveEngineError.unresolvedHost(name)
        }
        return histogram
    }

    @Test("sends over TLS, keeps the connection, and measures the handshake once")
    func send() async throws {
        var run = ScriptedRun { _ in
            (0..<5).flatMap { [(.zero, .upload(number: $0)), (.zero, .awaitAnswers)] }
        }
        run.targets = [target()]
        let (result, log, requests) = try await run.play(tls: try server()) { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 5))
        #expect(requests.first?.contains("\r\nHost: localhost:") == true)
        #expect(result.connectionsOpened == 1)
        #expect(result.handshakes == 1)
        #expect(try trend("http_req_tls_handshaking", result).count == 1)
        #expect(try trend("http_req_connecting", result).count == 1)
        #expect(try trend("http_req_looking_up", result).count == 1)
        let parts = try [
            "blocked", "looking_up", "connecting", "tls_handshaking", "sending", "waiting", "receiving",
        ].reduce(0) {
            let trend = try trend("http_req_\($1)", result)
            return $0 + trend.meanMilliseconds * Double(trend.count)
        }
        let whole = try trend("http_req_duration", result)
        // Each part of each request is rounded down to a microsecond.
        #expect(abs(whole.meanMilliseconds * 5 - parts) < 0.05)
    }

    @Test("sends a body that is larger than a record and a socket's buffer")
    func largeBody() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.zero, .upload(number: 1))]
        }
        run.bodySize = 1_000_000
        run.targets = [target()]
        let (result, log, requests) = try await run.play(tls: try server()) { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(requests.allSatisfy { $0.utf8.count > 1_000_000 })
        #expect(result.connectionsOpened == 1)
    }

    @Test("fails as tls where the certificate is not to be believed, and goes on")
    func refusedCertificate() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.zero, .upload(number: 1))]
        }
        run.targets = [target("other-ca.pem")]
        let (result, log, requests) = try await run.play(tls: try server()) { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes == [.failed(.tls), .failed(.tls)])
        #expect(requests.isEmpty)
        #expect(result.handshakes == 0)
        #expect(result.recorder.populations[0].answers.map(\.name) == ["tls"])
    }

    @Test("fails as tls where the server misses the client's certificate")
    func missingClientCertificate() async throws {
        var run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        run.targets = [target()]
        let (_, log, requests) = try await run.play(tls: try server(asksForCertificate: true)) { _, _ in
            [.write(Self.ok)]
        }
        #expect(log.outcomes == [.failed(.tls)])
        #expect(requests.isEmpty)
    }

    @Test("takes a close without TLS's notice as the end of nothing", arguments: [true, false])
    func cutShort(hasNotice: Bool) async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.zero, .upload(number: 1))]
        }
        run.targets = [target()]
        let (_, log, _) = try await run.play(tls: try server()) { ordinal, _ in
            // Without a length only the close tells the end.
            ordinal == 0
                ? [.write("HTTP/1.1 200 OK\r\n\r\nhalf"), .wait(20), hasNotice ? .close : .cut]
                : [.write(Self.ok)]
        }
        let whole = RequestOutcome.answered(status: 200, body: [])
        #expect(log.outcomes == [hasNotice ? whole : .failed(.truncated), whole])
    }

    @Test("bears the server's close between requests")
    func closedWhileIdle() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.milliseconds(150), .upload(number: 1))]
        }
        run.targets = [target()]
        let (result, log, _) = try await run.play(tls: try server()) { _, _ in
            [.write(Self.ok), .wait(10), .close]
        }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(result.connectionsOpened == 2)
        #expect(result.handshakes == 2)
    }

    @Test("measures the load path over TLS")
    func bench() async throws {
        try await withGroup(threads: 2) { group in
            let server = try await ScriptedServer.start(on: group, tls: try server()) { _, _ in
                [.write(Self.ok)]
            }
            let target = PopulationPlan.Target.secure(certificates, port: server.port)
            let outcome = try await TransportBench.run(
                target: target, connections: 2, seconds: 0.3, body: Array("body".utf8), on: group.next())
            #expect(outcome.failed == 0)
            #expect(outcome.succeeded > 0)
            #expect(outcome.cpuSeconds > 0)
            try await server.stop()
        }
    }
}
