import SDKDescription
import World

extension AnswerTable.Failure {
    /// A failure as an SDK tells it from others.
    init(_ failure: RequestFailure) {
        self =
            switch failure {
            case .offline: .offline
            case .dns: .dns
            case .refused: .refused
            case .tls: .tls
            case .timedOut: .timeout
            case .closed, .truncated, .malformed: .broken
            case .reset, .streamReset, .streamRefused, .processDied, .noSocket, .unanswered: .reset
            }
    }
}
