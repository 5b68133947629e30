package import Timebase

/// Why a live run could not begin.
package enum LiveEngineError: Error, Equatable, CustomStringConvertible {
    /// A target's scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// A target's host has no address.
    case unresolvedHost(String)
    /// A file of `target.tls` cannot be used; `key` is its key there.
    case credentials(key: String, file: String, fault: CredentialFault)

    /// The run was not set up at the instant at which it was to begin, by so much; nothing was sent.
    case late(by: Interval)

    package var description: String {
        switch self {
        case .unsupportedScheme(let scheme):
            "targets must begin with http:// or https://; this build cannot speak \(scheme)://"
        case .unresolvedHost(let host): "the host \(host) has no address"
        case .late(let lateness): "set up \(lateness.text) after the instant at which it was to begin"
        case .credentials(let key, let file, let fault): "target.tls.\(key): \(file): \(fault)"
        }
    }
}

/// What is wrong with a file that is to hold certificates or a key.
package enum CredentialFault: Hashable, Sendable, CustomStringConvertible {
    /// With what the system says of it.
    case unreadable(String)
    case noCertificate
    case noKey
    case encryptedKey
    case notAPair

    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .noCertificate: "no certificate in PEM"
        case .noKey: "no private key in PEM"
        case .encryptedKey: "the key is encrypted; give one without a passphrase"
        case .notAPair: "the key and the certificate do not belong together"
        }
    }
}
