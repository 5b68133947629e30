/// Why a live run could not begin.
package enum LiveEngineError: Error, Equatable, CustomStringConvertible {
    /// A target's scheme is not `http`.
    case unsupportedScheme(String)
    /// A target's host has no address.
    case unresolvedHost(String)

    package var description: String {
        switch self {
        case .unsupportedScheme(let scheme):
            "targets must begin with http://; this build cannot speak \(scheme)://"
        case .unresolvedHost(let host): "the host \(host) has no address"
        }
    }
}
