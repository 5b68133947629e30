/// Why there was no whole answer to a request. Each is counted apart: counters are arrays with a place for
/// each case, in this order, and its ``name`` is written only where a person or a script reads it.
package enum RequestFailure: UInt8, CaseIterable, Sendable {
    /// No radio at the start.
    case offline
    /// The host's name has no address, or nobody could be asked for it.
    case dns
    /// The connection was not accepted.
    case refused
    /// No TLS connection came about, or it broke TLS's rules: a certificate that is not trusted among others.
    case tls
    /// The connection ended by a reset before a whole answer.
    case reset
    /// The connection was closed in order before the first byte of an answer.
    case closed
    /// The answer ended early.
    case truncated
    /// The answer was not HTTP, or its body could not be unpacked.
    case malformed
    /// The server reset the request's stream, its connection staying as it was (HTTP/2's RST_STREAM).
    case streamReset
    /// The server said that it has not looked at the request: REFUSED_STREAM, or a GOAWAY that leaves it out (HTTP/2).
    case streamRefused
    /// The SDK's limit passed.
    case timedOut
    /// The device's own process died with the request in the air.
    case processDied
    /// The generator had no descriptor or port left for it.
    case noSocket
    /// The run ended before an answer came. No device learns of it.
    case unanswered

    /// As reports name it.
    package var name: String {
        switch self {
        case .offline: "offline"
        case .dns: "dns"
        case .refused: "refused"
        case .tls: "tls"
        case .reset: "reset"
        case .closed: "closed"
        case .truncated: "truncated"
        case .malformed: "malformed"
        case .streamReset: "stream_reset"
        case .streamRefused: "stream_refused"
        case .timedOut: "timed_out"
        case .processDied: "process_died"
        case .noSocket: "no_socket"
        case .unanswered: "unanswered"
        }
    }
}
