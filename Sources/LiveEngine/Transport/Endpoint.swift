import DeviceSDK
import NIOCore
import Timebase
import Wire

/// Where a device's requests go: the address, and the bytes of a request that never change.
struct Endpoint: Sendable {
    enum Location: Sendable {
        case address(SocketAddress)
        /// To be looked up, and used for so long.
        case name(HostName, lifetime: Interval)
    }

    let location: Location
    /// `nil` for plain HTTP.
    let tls: TLSClient?
    let versions: PopulationPlan.Target.HTTPVersions
    /// Shared with the other endpoints of the same origin.
    let tally: TargetTally
    /// ` HTTP/1.1`, the `Host` field and the end of the connection's life, with their line ends; all
    /// other headers come from the fleet.
    private let fixedLines: String
    /// Host and port as a URL has them.
    private let authority: String

    /// Reads the target's certificates, if it has any; blocks.
    ///
    /// - Throws: ``LiveEngineError`` for a target that cannot be used.
    init(_ target: PopulationPlan.Target) throws(LiveEngineError) {
        try self.init(target, tls: target.isSecure ? TLSClient(target) : nil)
    }

    /// - Parameters:
    ///   - tls: Made for this target; `nil` for plain HTTP.
    ///   - tally: Of the target's origin; a new one by default.
    init(
        _ target: PopulationPlan.Target, tls: TLSClient?, tally: TargetTally? = nil
    ) throws(LiveEngineError) {
        guard target.scheme == "http" || target.isSecure else {
            throw .unsupportedScheme(target.scheme)
        }
        if let address = try? SocketAddress(ipAddress: target.host, port: target.port) {
            location = .address(address)
        } else {
            location = .name(
                HostName(name: target.host, port: target.port), lifetime: target.addressLifetime)
        }
        self.tls = tls
        versions = target.http
        self.tally = tally ?? TargetTally(target)
        let name = target.host.contains(":") ? "[\(target.host)]" : target.host
        let isUsualPort = target.port == (target.isSecure ? 443 : 80)
        authority = isUsualPort ? name : "\(name):\(target.port)"
        var lines = " HTTP/1.1\r\nHost: \(authority)\r\n"
        if target.connections == .perRequest { lines += "Connection: close\r\n" }
        fixedLines = lines
    }

    /// Writes a whole request: one copy of each part, no formatting but the length.
    func write(_ head: RequestHead, body: WireBuffer, into buffer: inout ByteBuffer) {
        buffer.clear()
        buffer.reserveCapacity(body.count + head.headerLines.utf8.count + fixedLines.utf8.count + 256)
        switch head.method {
        case .get: buffer.writeStaticString("GET ")
        case .post: buffer.writeStaticString("POST ")
        case .put: buffer.writeStaticString("PUT ")
        }
        buffer.writeString(head.path)
        buffer.writeString(fixedLines)
        buffer.writeString(head.headerLines)
        if head.method.hasBody {
            buffer.writeStaticString("Content-Length: ")
            Endpoint.writeDecimal(body.count, into: &buffer)
            buffer.writeStaticString("\r\n\r\n")
        } else {
            buffer.writeStaticString("\r\n")
        }
        body.withUnsafeBytes { _ = buffer.writeBytes($0) }
    }

    /// Whether connections may turn out to speak HTTP/2.
    var mayShare: Bool {
        switch versions {
        case .automatic: tls != nil
        case .one: false
        case .two: true
        }
    }

    /// Hands over the field `:authority` of HTTP/2.
    func withAuthority(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        let name: StaticString = ":authority"
        var value = authority
        value.withUTF8 {
            body(
                UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
                UnsafeRawBufferPointer($0))
        }
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
