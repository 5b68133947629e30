import Accounting
import DeviceSDK
import Foundation
import LiveSimulation
import NIOCore
import NIOSSL
import Scenario
import TestSupport
import Testing
import Timebase

@Suite("TLS and names under a clock of the run's own")
struct SimulatedTLSTests {
    /// A world whose collector has a name and a certificate.
    private func world(_ certificates: TestCertificates, trusts authority: String) throws -> SimulatedWorld {
        try certificates.issue("server", names: "DNS:collector.example")
        var server = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.path("server.pem"))
                .map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: certificates.path("server.key"), format: .pem)))
        server.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: server)
        var world = SimulatedWorld(shards: 2)
        world.target = ScenarioDocument.embeddedTarget(host: "collector.example", port: 443)
        world.target.scheme = "https"
        world.target.tls.authorityFile = certificates.path("\(authority).pem")
        world.decorate = {
            try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
        world.conditions.latency = .microseconds(10) ... .milliseconds(2)
        world.conditions.segment = 1...900
        return world
    }

    @Test("comes to the books of virtual time", arguments: ConformanceSuite.onSockets)
    func books(scenario: ConformanceScenario) throws {
        let certificates = try TestCertificates()
        let world = try world(certificates, trusts: "ca")
        let problems = try ConformanceSuite.simulatedDisagreement(scenario, world)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test("fails every request where the certificate is not trusted, and keeps the books")
    func distrust() throws {
        let certificates = try TestCertificates()
        let world = try world(certificates, trusts: "other-ca")
        let scenario = ConformanceSuite.onSockets[0]
        let outcome = try world.play(try Worlds.load(scenario.json, name: scenario.name))
        #expect(outcome.problems.isEmpty && outcome.audit.received == 0)
        #expect(outcome.failedUploads == outcome.uploads && outcome.uploads.contains { $0 > 0 })
    }

    @Test("keeps its books where connections break in the middle of a handshake")
    func broken() throws {
        let certificates = try TestCertificates()
        for seed in 1...5 as ClosedRange<UInt64> {
            var world = try world(certificates, trusts: "ca")
            world.seed = seed
            world.conditions.reset = 0.2
            world.conditions.ended = 0.2
            world.conditions.stalled = 0.1
            for scenario in ConformanceSuite.onSockets.prefix(3) {
                let problems = try world.play(try Worlds.load(scenario.json, name: scenario.name)).problems
                #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
            }
        }
    }
}
