import DeviceSDK
import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How the connections to a target are encrypted: TLS 1.2 or later, with what is offered of HTTP.
///
/// Made once for a target and shared by all loops. Every handshake is a full one: swift-nio-ssl keeps
/// no sessions and does not let BoringSSL's be reached.
struct TLSClient: Sendable {
    let context: NIOSSLContext
    /// The name that is asked for (SNI) and verified; `nil` for a target that is an address, which the
    /// certificate must hold instead. swift-nio-ssl also takes a certificate that holds the connection's address: ``TargetCheck``
    /// does not, before the run.
    let serverName: String?

    /// Reads the target's files and the system's authorities; blocks.
    ///
    /// - Throws: ``LiveEngineError/credentials(key:file:fault:)``.
    init(_ target: PopulationPlan.Target) throws(LiveEngineError) {
        let rules = target.tls
        serverName = rules.serverName ?? (TLSClient.isAddress(target.host) ? nil : target.host)
        var configuration = try TLSClient.configuration(rules)
        configuration.applicationProtocols =
            switch target.http {
            case .automatic: ["h2", "http/1.1"]
            case .one: ["http/1.1"]
            case .two: ["h2"]
            }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .credentials(
                key: rules.keyFile == nil ? "certificate" : "key",
                file: rules.keyFile ?? rules.certificateFile ?? "",
                fault: .notAPair)
        }
    }

    /// What is wrong with the target's files, each of them read, and else with the certificate and the key together;
    /// blocks.
    static func problems(_ target: PopulationPlan.Target) -> [LiveEngineError] {
        var found: [LiveEngineError] = []
        func note(_ check: () throws(LiveEngineError) -> Void) {
            do throws(LiveEngineError) { try check() } catch { found.append(error) }
        }
        if let file = target.tls.authorityFile {
            note { () throws(LiveEngineError) in _ = try certificates(in: file, key: "ca") }
        }
        guard let file = target.tls.certificateFile else { return found }
        let count = found.count
        note { () throws(LiveEngineError) in _ = try certificates(in: file, key: "certificate") }
        if let file = target.tls.keyFile {
            note { () throws(LiveEngineError) in _ = try privateKey(in: file, key: "key") }
        }
        if found.count == count {
            var client = target
            client.tls.authorityFile = nil
            note { () throws(LiveEngineError) in _ = try TLSClient(client) }
        }
        return found
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
            throw .credentials(key: key, file: file, fault: .noCertificate)
        }
        return found
    }

    private static func privateKey(in file: String, key: String) throws(LiveEngineError) -> NIOSSLPrivateKey {
        let bytes = try read(file, key: key)
        if String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED") {
            throw .credentials(key: key, file: file, fault: .encryptedKey)
        }
        guard let found = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw .credentials(key: key, file: file, fault: .noKey)
        }
        return found
    }

    private static func read(_ path: String, key: String) throws(LiveEngineError) -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            throw .credentials(key: key, file: path, fault: .unreadable(String(cString: strerror(errno))))
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else {
            throw .credentials(key: key, file: path, fault: .unreadable(String(cString: strerror(errno))))
        }
        return bytes
    }
}
