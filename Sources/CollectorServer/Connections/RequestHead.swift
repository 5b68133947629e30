import NIOHTTP1

extension HTTPRequestHead {
    /// Whether its client speaks HTTP/1.1, and not a version before.
    var isModern: Bool { (version.major, version.minor) >= (1, 1) }

    /// Whether its client waits for leave to send the body; in HTTP/1.0 nobody does (RFC 9110, section 10.1.1).
    var expectsContinue: Bool {
        isModern && headers.first(name: "expect")?.lowercased() == "100-continue"
    }

    /// The status that refuses the request for what its head says; `nil` for one whose body may come.
    func refusal(bodyBytes limit: Int) -> HTTPResponseStatus? {
        // RFC 9112, section 3.2.
        let hosts = headers["host"].count
        guard hosts == 1 || (hosts == 0 && !isModern) else { return .badRequest }
        // RFC 9112, section 6.1: a body in a coding that nobody takes off would be taken for what it holds.
        let codings = headers[canonicalForm: "transfer-encoding"]
        guard codings.isEmpty || (codings.count == 1 && codings[0].lowercased() == "chunked") else {
            return .notImplemented
        }
        let length = headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        return length <= limit ? nil : .payloadTooLarge
    }
}
