import CollectorModel
import NIOHTTP1

extension CollectorReply {
    /// The headers of the answer.
    func headers(
        _ status: HTTPResponseStatus, staysOpen: Bool, version: HTTPVersion, date: String
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(4)
        headers.add(name: "date", value: date)
        if status.mayHaveResponseBody {
            headers.add(name: "content-length", value: String(body.count))
            if !body.isEmpty { headers.add(name: "content-type", value: contentType.description) }
        }
        if let seconds = retryAfterSeconds { headers.add(name: "retry-after", value: String(seconds)) }
        // An answer that will end early says nothing of it: it is to look like an accident.
        if !staysOpen, endsAfter == nil {
            headers.add(name: "connection", value: "close")
        } else if version == .http1_0 {
            headers.add(name: "connection", value: "keep-alive")
        }
        return headers
    }
}
