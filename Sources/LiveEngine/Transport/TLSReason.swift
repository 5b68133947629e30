import DeviceSDK
import NIOCore
import NIOPosix
import NIOSSL
import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Says in words for people why a target could not be connected to.
struct TLSReason {
    let target: PopulationPlan.Target
    let tls: TLSClient?
    let limit: Interval

    /// Whether verification failed, which the certificates themselves explain best.
    func isRefusedCertificate(_ error: any Error) -> Bool {
        TLSReason.words(of: error)?.contains("CERTIFICATE_VERIFY_FAILED") ?? false
    }

    func text(_ error: any Error, certificate: NIOSSLCertificate?) -> String {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else {
                return "the name \(error.host) has no address"
            }
            return text(first.error, certificate: nil)
        }
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        if case .connectTimeout? = error as? ChannelError { return "no answer within \(limit.text)" }
        if let error = error as? NIOSSLExtraError {
            return wrongName(certificate) ?? "TLS: \(error)"
        }
        guard let words = TLSReason.words(of: error) else { return "\(error)" }
        return meaning(of: words)
    }

    /// Why a chain of certificates, the server's own first, was refused.
    func text(chain: [NIOSSLCertificate]) -> String {
        guard let own = chain.first else { return "its certificate is not trusted" }
        let now = RunClock.wall().origin
        for (index, certificate) in chain.enumerated() {
            let whose = index == 0 ? "its certificate" : "an intermediate certificate"
            let end = TLSReason.instant(certificate.notValidAfter)
            if end < now { return "\(whose) expired on \(TLSReason.date(end))" }
            let begin = TLSReason.instant(certificate.notValidBefore)
            if begin > now { return "\(whose) is not valid before \(TLSReason.date(begin))" }
        }
        if TLSReason.isForOthersThanServers(own) {
            return
                "its certificate (for \(TLSReason.names(of: own))) is not one for servers, by its extended key usage"
        }
        let trusted =
            target.tls.authorityFile.map { "not by one of \($0)" } ?? "not by one that this system trusts"
        return
            "its certificate (for \(TLSReason.names(of: own))) is signed by an unknown authority, \(trusted)"
            + (chain.count == 1 ? "; no intermediate certificate came with it" : "")
    }

    /// Whether a certificate lists what it is for, and servers are not among it (RFC 5280, 4.2.1.12).
    private static func isForOthersThanServers(_ certificate: NIOSSLCertificate) -> Bool {
        let server: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
        guard
            let usages = certificate._extensions.first(where: {
                $0.objectIdentifier.description == "2.5.29.37"
            })
        else { return false }
        return usages.data.withUnsafeBufferPointer { bytes in
            !bytes.indices.contains { bytes[$0...].starts(with: server) }
        }
    }

    /// The library takes a certificate for another name if it holds the connection's address; whoever uses the target's
    /// name does not (RFC 9110, 4.3.4).
    func wrongName(inTrusted certificate: NIOSSLCertificate?) -> String? {
        guard let certificate, let wanted = tls?.serverName, !target.tls.isInsecure else { return nil }
        let names = certificate._subjectAlternativeNames()
        // Without any, the library has looked at the subject's name.
        guard names.contains(where: { $0.nameType == .dnsName || $0.nameType == .ipAddress }) else {
            return nil
        }
        let isNamed = names.contains { name in
            name.nameType == .dnsName
                && TLSReason.covers(String(decoding: name.contents, as: UTF8.self), wanted)
        }
        return isNamed ? nil : wrongName(certificate)
    }

    /// Whether a name of a certificate, which may begin with `*.` for any one label, is that of a host.
    private static func covers(_ name: String, _ host: String) -> Bool {
        func labels(_ text: String) -> [Substring] { text.lowercased().split(separator: ".") }
        let (pattern, wanted) = (labels(name), labels(host))
        guard pattern.first == "*" else { return pattern == wanted }
        return pattern.dropFirst() == wanted.dropFirst() && wanted.count > 2
    }

    private func wrongName(_ certificate: NIOSSLCertificate?) -> String? {
        guard let certificate else { return nil }
        let wanted = tls?.serverName ?? target.host
        return "wrong host name: \(wanted) was expected, and the certificate is for "
            + TLSReason.names(of: certificate)
    }

    /// BoringSSL's own words for what went wrong, such as `WRONG_VERSION_NUMBER`.
    private static func words(of error: any Error) -> String? {
        switch error {
        case NIOSSLError.handshakeFailed(let inner): "\(inner)"
        case let error as BoringSSLError: "\(error)"
        case NIOSSLError.uncleanShutdown: "EOF"
        default: nil
        }
    }

    /// What an error is called, without the place in the library's sources that its words end with.
    static func name(of error: any Error) -> String { name(in: words(of: error) ?? "\(error)") }

    private static func name(in words: String) -> String {
        if let found = words.firstMatch(of: /OPENSSL_internal:(\w+)/) { return String(found.1) }
        // The library's words for it are the print of a list of errors.
        if words.contains("EOF during handshake") { return "the connection was closed during the handshake" }
        return words.firstRange(of: " at /").map { String(words[..<$0.lowerBound]) } ?? words
    }

    private func meaning(of words: String) -> String {
        let server =
            target.tls.certificateFile == nil
            ? "the server asks for a client certificate: see target.tls.certificate"
            : "the server does not accept the client certificate"
        let meanings: [(sign: String, text: String)] = [
            ("WRONG_VERSION_NUMBER", "no TLS on that port: what answers there speaks something else"),
            ("EOF", "the connection was closed during the TLS handshake; is there TLS on that port?"),
            ("CERTIFICATE_REQUIRED", server), ("BAD_CERTIFICATE", server), ("UNKNOWN_CA", server),
            ("CERTIFICATE_UNKNOWN", server), ("CERTIFICATE_EXPIRED", server),
            ("CERTIFICATE_REVOKED", server), ("UNSUPPORTED_CERTIFICATE", server), ("ACCESS_DENIED", server),
            (
                "HANDSHAKE_FAILURE",
                "the server refuses the handshake: no cipher in common, or no client certificate that it takes"
            ),
            ("UNRECOGNIZED_NAME", "the server knows no host of the name \(tls?.serverName ?? target.host)"),
            ("PROTOCOL_VERSION", "the server speaks neither TLS 1.2 nor 1.3"),
            ("UNSUPPORTED_PROTOCOL", "the server speaks neither TLS 1.2 nor 1.3"),
            (
                "NO_APPLICATION_PROTOCOL",
                "the server does not offer \(target.http == .two ? "HTTP/2" : "HTTP/1.1")"
            ),
        ]
        if let known = meanings.first(where: { words.contains($0.sign) }) { return known.text }
        return "TLS: \(TLSReason.name(in: words))"
    }

    /// The names that a certificate is for.
    static func names(of certificate: NIOSSLCertificate) -> String {
        let names = certificate._subjectAlternativeNames().compactMap { name -> String? in
            switch name.nameType {
            case .dnsName: String(decoding: name.contents, as: UTF8.self)
            case .ipAddress: address(Array(name.contents))
            default: nil
            }
        }
        guard names.isEmpty else { return names.joined(separator: ", ") }
        return subject(of: certificate).map { "\($0), its subject's name, and no other" } ?? "no name at all"
    }

    /// The common name of a certificate's subject, which the library tells in its description alone.
    private static func subject(of certificate: NIOSSLCertificate) -> Substring? {
        let sign = "common_name="
        return "\(certificate)".dropLast().split(separator: ";").first { $0.hasPrefix(sign) }?
            .dropFirst(sign.count)
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress
    }

    private static func instant(_ time: time_t) -> Instant { Instant(clampingSeconds: Int64(time)) }

    private static func date(_ instant: Instant) -> String {
        String(CivilTime(instant).text.prefix(while: { $0 != " " }))
    }
}
