import CollectorModel
import DeviceSDK
import Timebase
import World

extension ModelledServer {
    /// Status line and headers of the collector's answers: `HTTP/1.1 200 OK`, `date: …` and `content-length: 0`.
    private static let answerHeadBytes: UInt64 = 75

    /// An answer on its way, whole or cut, at its pace.
    func answer(
        _ reply: CollectorReply, to request: OutgoingRequest, after delay: Interval, sent bytes: UInt64
    ) -> Exchange {
        var exchange = Exchange(
            outcome: .answered(
                status: reply.status, body: request.wantsBody ? reply.body : [],
                retryAfter: reply.retryAfterSeconds.map { .seconds($0) },
                contentType: request.wantsBody ? "\(reply.contentType)" : ""), delay: delay)
        if reply.endsAfter != nil { exchange.outcome = .failed(.truncated) }
        exchange.receiving = reply.bodyTime(bytes: reply.sentBytes)
        exchange.delay = delay + exchange.receiving
        exchange.bytesSent = bytes
        exchange.bytesReceived = UInt64(reply.sentBytes) + ModelledServer.answerHeadBytes
        // Of 200 without a word in its body nobody asks why.
        if reply.status != 200 || request.wantsBody {
            exchange.headers = "Content-Type: \(reply.contentType)"
            if let seconds = reply.retryAfterSeconds { exchange.headers += "\nRetry-After: \(seconds)" }
            exchange.body = Array(reply.body.prefix(2048))
        }
        return exchange
    }
}
