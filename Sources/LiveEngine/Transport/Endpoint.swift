import DeviceSDK
import NIOCore
import NIOPosix
import Wire

/// Where a population's requests go: the address, and the bytes of a request that never change.
struct Endpoint: Sendable {
    /// The resolved address.
    let address: SocketAddress
    /// ` HTTP/1.1` and the `Host` field with their line ends; all other headers come from the fleet.
    private let fixedLines: String

    /// Resolves a target's name, blocking a thread of NIO's pool meanwhile.
    ///
    /// - Throws: ``LiveEngineError`` for a scheme other than `http` and for a name that does not resolve.
    static func resolve(_ target: PopulationPlan.Target) async throws -> Endpoint {
        guard target.scheme == "http" else { throw LiveEngineError.unsupportedScheme(target.scheme) }
        let host = target.host
        let port = target.port
        do {
            let address = try await NIOThreadPool.singleton.runIfActive {
                try SocketAddress.makeAddressResolvingHost(host, port: port)
            }
            return Endpoint(address: address, target: target)
        } catch {
            throw LiveEngineError.unresolvedHost(host)
        }
    }

    init(address: SocketAddress, target: PopulationPlan.Target) {
        self.address = address
        let name = target.host.contains(":") ? "[\(target.host)]" : target.host
        var lines = " HTTP/1.1\r\nHost: \(name)"
        lines += target.port == 80 ? "\r\n" : ":\(target.port)\r\n"
        fixedLines = lines
    }

    /// Writes a whole request: one copy of each part, no formatting but the length.
    func write(_ head: RequestHead, body: WireBuffer, into buffer: inout ByteBuffer) {
        buffer.clear()
        buffer.reserveCapacity(body.count + head.headerLines.utf8.count + fixedLines.utf8.count + 256)
        buffer.writeStaticString(head.method == .post ? "POST " : "GET ")
        buffer.writeString(head.path)
        buffer.writeString(fixedLines)
        buffer.writeString(head.headerLines)
        if head.method == .post {
            buffer.writeStaticString("Content-Length: ")
            Endpoint.writeDecimal(body.count, into: &buffer)
            buffer.writeStaticString("\r\n\r\n")
        } else {
            buffer.writeStaticString("\r\n")
        }
        body.withUnsafeBytes { _ = buffer.writeBytes($0) }
    }

    private static func writeDecimal(_ value: Int, into buffer: inout ByteBuffer) {
        var divisor = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.writeInteger(UInt8(0x30 + value / divisor % 10))
            divisor /= 10
        }
    }
}
