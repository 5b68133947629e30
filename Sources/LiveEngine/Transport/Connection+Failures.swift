import NIOCore
import NIOPosix
import NIOSSL
import World

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// What a failed connect means to the device. Unreachable hosts count as refused: the
    /// connection was not accepted.
    static func failure(of error: any Error) -> RequestFailure {
        if error is NIOSSLError || error is NIOSSLExtraError { return .tls }
        guard let code = Connection.code(of: error) else { return .refused }
        switch code {
        case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM: return .noSocket
        case ECONNRESET, EPIPE: return .reset
        case ETIMEDOUT: return .timedOut
        default: return .refused
        }
    }

    /// Ends a connection whose TLS failed, and keeps why: nothing of an answer says it.
    func endTLS(_ words: String) {
        garbage = Array("TLS: \(words)".utf8)
        session?.farewell = garbage
        end(with: .tls)
    }

    /// Ends an idle connection on which a server speaks though nobody asked: it is of no more use. A server may say so
    /// before it closes one (408), and what is no answer belongs to the one before.
    func endIdle(_ bytes: ByteBufferView) {
        isOverlong = parser.received > 0 && !bytes.starts(with: "HTTP/".utf8)
        end(with: nil)
    }

    /// Ends a connection on which no answer of HTTP came, and keeps which rule it breaks.
    func endMalformed() {
        if let breach = parser.breach { keepBreach(breach) }
        end(with: .malformed)
    }

    /// Keeps the rule that an answer breaks, and the answer's first bytes, whichever read brought them: of a secret
    /// whose beginning were left out nobody could tell any more that it is one.
    private func keepBreach(_ breach: AnswerBreach) {
        guard parser.keepsSample else { return }
        garbage = Array("HTTP/1.1: \(breach.words): ".utf8) + parser.sampleBytes
    }

    /// What an orderly close within an answer means, or at the end of one that cannot be read. Bytes that no answer begins
    /// with were none, though the end of their line, at which the parser would have told, did not come.
    func failureOfClose() -> RequestFailure {
        if parser.state == .malformed, let breach = parser.breach {
            keepBreach(breach)
            return .malformed
        }
        guard !parser.hasImpossibleStatusLine else {
            keepBreach(.statusLine)
            return .malformed
        }
        return parser.received == 0 ? .closed : .truncated
    }

    private static func code(of error: any Error) -> CInt? {
        if let error = error as? IOError { return error.errnoCode }
        if let error = error as? NIOConnectionError {
            return error.connectionErrors.lazy.compactMap { code(of: $0.error) }.first
        }
        return nil
    }
}
