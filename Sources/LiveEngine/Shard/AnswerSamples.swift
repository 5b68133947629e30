import Measurement

/// What a shard keeps of the first answers that their systems do not take as success.
struct AnswerSamples {
    private(set) var kept: [UnexpectedAnswer] = []
    /// Answers of 2xx of which the systems are still to say whether they are success.
    private var undecided: [RequestKey: UnexpectedAnswer] = [:]

    /// Whether there is room for more.
    var wantsMore: Bool { kept.count < UnexpectedAnswer.limit }

    /// Keeps an answer, if there is room.
    mutating func keep(_ answer: @autoclosure () -> UnexpectedAnswer) {
        if wantsMore { kept.append(answer()) }
    }

    /// Keeps an answer until its request ends.
    mutating func setAside(_ answer: UnexpectedAnswer, of request: RequestKey) {
        undecided[request] = answer
    }

    /// Forgets what was set aside of a request that its device will not learn the answer of.
    mutating func forget(_ request: RequestKey) {
        if !undecided.isEmpty { undecided.removeValue(forKey: request) }
    }

    /// The request's system has said whether what was set aside is success.
    mutating func decide(_ request: RequestKey, isAcknowledged: Bool) {
        guard !undecided.isEmpty, let answer = undecided.removeValue(forKey: request), !isAcknowledged
        else { return }
        keep(answer)
    }
}
