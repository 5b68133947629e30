import DeviceSDK
import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How the connections to a target are encrypted: TLS 1.2 or later, HTTP/1.1 only.
///
/// Made once for a target and shared by all loops. Every handshake is a full one: swift-nio-ssl keeps
/// no sessions and does not let BoringSSL's be reached.
struct TLSClient: Sendable {
    let context: NIOSSLContext
    /// The name that is asked for (SNI) and verified; `nil` for a target that is an address, which the
    /// certificate must hold instead.
    let serverName: String?

    /// Reads the target's files and the system's authorities; blocks.
    ///
    /// - Throws: ``LiveEngineError/credentials(key:file:reason:)``.
    init(_ target: PopulationPlan.Target) throws(LiveEngineError) {
        try self.init(target.tls, host: target.host)
    }

    init(_ rules: PopulationPlan.Target.TLSRules, host: String) throws(LiveEngineError) {
        serverName = rules.serverName ?? (TLSClient.isAddress(host) ? nil : host)
        let configuration = try TLSClient.configuration(rules)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .credentials(
                key: rules.keyFile == nil ? "certificate" : "key",
                file: rules.keyFile ?? rules.certificateFile ?? "",
                reason: "the key and the certificate do not belong together")
        }
    }

    func makeHandler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName)
    }

    /// Whether a host is an address and no name.
    static func isAddress(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

    private static func configuration(_ rules: PopulationPlan.Target.TLSRules) throws(LiveEngineError)
        -> TLSConfiguration
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // The notice of closing is sent, and the peer's is not awaited (RFC 8446, 6.1): a descriptor
        // that is given up is free at once.
        configuration.shutdownTimeout = .nanoseconds(0)
        if rules.isInsecure { configuration.certificateVerification = .none }
        if let file = rules.authorityFile {
            configuration.trustRoots = .certificates(try certificates(in: file, key: "ca"))
        }
        if let file = rules.certificateFile {
            configuration.certificateChain = try certificates(in: file, key: "certificate")
                .map { .certificate($0) }
            let isApart = rules.keyFile != nil
            configuration.privateKey = .privateKey(
                try privateKey(in: rules.keyFile ?? file, key: isApart ? "key" : "certificate"))
        }
        return configuration
    }

    private static func certificates(in file: String, key: String) throws(LiveEngineError)
        -> [NIOSSLCertificate]
    {
        let bytes = try read(file, key: key)
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw .credentials(key: key, file: file, reason: "no certificate in PEM")
        }
        return found
    }

    private static func privateKey(in file: String, key: String) throws(LiveEngineError) -> NIOSSLPrivateKey {
        let bytes = try read(file, key: key)
        if String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED") {
            throw .credentials(
                key: key, file: file, reason: "the key is encrypted; give one without a passphrase")
        }
        guard let found = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw .credentials(key: key, file: file, reason: "no private key in PEM")
        }
        return found
    }

    private static func read(_ path: String, key: String) throws(LiveEngineError) -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            throw .credentials(key: key, file: path, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        guard ferror(file) == 0 else {
            throw .credentials(key: key, file: path, reason: String(cString: strerror(errno)))
        }
        return bytes
    }
}
