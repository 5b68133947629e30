import Foundation
import NIOSSL
import Scenario

/// Where a service beside the target listens: one that takes figures, or tells its own.
struct HTTPEndpoint: Hashable, Sendable {
    let host: String
    let port: Int
    let isSecure: Bool
    /// With its query.
    var path: String

    /// - Parameters:
    ///   - text: A URL with the scheme `http` or `https`.
    ///   - port: The port of a URL without one; 443 for `https`.
    ///   - path: What a URL's path (without a query, as it is encoded) stands for.
    /// - Returns: `nil` for what is no such URL, and for one with a user or a fragment.
    init?(_ text: String, port: Int, path: (String) -> String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty, url.user == nil,
            url.fragment == nil, (1...65_535).contains(url.port ?? 1)
        else { return nil }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = url.port ?? (isSecure ? 443 : port)
        self.path = path(url.percentEncodedPath) + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    }

    /// What is wrong with a text that is no such URL, without the user and password that it may have.
    ///
    /// - Parameter example: One that would be right.
    static func problem(_ text: String, example: String) -> String {
        let url = URLComponents(string: text)
        let expected =
            if url?.user != nil {
                "a URL without a user and password"
            } else if let port = url?.port, !(1...65_535).contains(port) {
                "a port from 1 to 65535"
            } else if url?.fragment != nil {
                "a URL without a fragment (#)"
            } else {
                "a URL such as \(example), http or https"
            }
        return "\(Redactor(secrets: []).redact(text)): expected \(expected)"
    }

    /// As the header `Host` has it.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Scheme, host and port: neither path nor query, which may hold a key.
    var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The path without its query.
    var pathAlone: Substring { path.prefix { $0 != "?" } }

    /// What a connection to it needs for TLS; `nil` without TLS.
    ///
    /// - Parameters:
    ///   - option: What names the endpoint, for messages.
    ///   - authorities: A PEM file of certificates to trust in place of the system's.
    ///   - name: What names the file, for messages; `nil` where there can be none.
    /// - Throws: ``CommandFailure`` with code 64 for a file without certificates, and where the system has none.
    func tls(
        for option: String, authorities: String? = nil, name: String? = nil
    ) throws(CommandFailure) -> NIOSSLContext? {
        guard isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorities {
            guard let found = try? NIOSSLCertificate.fromPEMFile(authorities), !found.isEmpty else {
                throw CommandFailure(
                    .usage,
                    "\(name ?? option) \(authorities): expected a PEM file of certificates, found none")
            }
            configuration.trustRoots = .certificates(found)
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            let other = name.map { ", or name a file of some in \($0)" } ?? ""
            throw CommandFailure(
                .usage,
                "\(option) \(origin): the system has no certificates to verify it by; install its package "
                    + "ca-certificates\(other)")
        }
    }
}
