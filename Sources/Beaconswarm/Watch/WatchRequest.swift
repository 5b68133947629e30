import NIOHTTP1

/// What somebody asks of a page's server: a decision on the head of the request alone.
enum WatchRequest: Hashable {
    case page
    case script
    /// News from the version after one that was seen, as its own id tells it.
    case stream(since: String?)
    case metrics
    /// The end of what goes on, gracefully or at once.
    case end(atOnce: Bool)
    case refused(HTTPResponseStatus, String)

    /// - Parameter token: What all but the script, which is no secret, is shown for: `?token=` or
    ///   `Authorization: Bearer`.
    init(_ head: HTTPRequestHead, token: WatchToken) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        let isReading = head.method == .GET || head.method == .HEAD
        if path == "/watch.js", isReading {
            self = .script
            return
        }
        let fields = WatchRequest.fields(parts.count > 1 ? parts[1] : "")
        let bearer = head.headers["Authorization"].first { $0.lowercased().hasPrefix("bearer ") }
        guard token.admits(fields["token"]) || token.admits(bearer.map { String($0.dropFirst(7)) }) else {
            self = .refused(
                .forbidden, "the token is missing or wrong: the program printed the whole address")
            return
        }
        switch path {
        case "/" where isReading: self = .page
        case "/events" where head.method == .GET:
            self = .stream(since: head.headers["Last-Event-ID"].first ?? fields["since"])
        case "/metrics" where isReading: self = .metrics
        case "/drain" where head.method == .POST: self = .end(atOnce: false)
        case "/stop" where head.method == .POST: self = .end(atOnce: true)
        case "/", "/events", "/metrics", "/watch.js":
            self = .refused(.methodNotAllowed, "\(path) takes GET")
        case "/drain", "/stop": self = .refused(.methodNotAllowed, "\(path) takes POST")
        default: self = .refused(.notFound, "there is /, /metrics, /events, /drain and /stop")
        }
    }

    /// The fields of a query; none of those that are asked for needs any escaping.
    private static func fields(_ query: Substring) -> [String: String] {
        var fields: [String: String] = [:]
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }
}
