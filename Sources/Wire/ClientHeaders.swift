/// Headers of requests that are the client's alone, whoever adds others.
///
/// They frame a request, or agree with the next machine on how it is handed over (RFC 9110, 7.6.1 and 10.1.1): an SDK
/// has no say in that, and to HTTP/2 most of them are malformed (RFC 9113, 8.2.2).
package enum ClientHeaders {
    /// In lower case.
    package static let names: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
        "upgrade", "te", "trailer", "expect",
    ]
}
