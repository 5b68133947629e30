import DeviceSDK
import NIOCore
import NIOPosix
import Testing
import Timebase
import World

@testable import LiveEngine

@Suite("The look at a target before a run")
struct TargetCheckTests {
    /// A name with two addresses, of which nobody listens at the one that is asked first.
    private struct TwoAddresses: Resolver, Sendable {
        let loop: any EventLoop

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            answer("127.0.0.1", port)
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            answer("::1", port)
        }

        func cancelQueries() {}

        private func answer(_ address: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeCompletedFuture { try [SocketAddress(ipAddress: address, port: port)] }
        }
    }

    @Test("takes the answer of the address that listens, whatever becomes of a name's others")
    func twoAddresses() async throws {
        try await withGroup(threads: 2) { group in
            let loop = group.next()
            let settings = "\0\0\0\u{4}\0\0\0\0\0"
            let server = try await ScriptedServer.start(on: group) { ordinal, _ in
                ordinal == 0 ? [.write(settings)] : []
            }
            var target = ScriptedRun.plan(devices: 1, port: server.port).target
            target.host = "two.example"
            for http in [.automatic, .two] as [PopulationPlan.Target.HTTPVersions] {
                target.http = http
                let check = TargetCheck(
                    target: target, limit: .seconds(60), loop: loop, resolver: TwoAddresses(loop: loop))
                #expect(try await check.problem() == nil)
            }
            try await server.stop()
        }
    }
}
