import TestSupport

/// Connections that are closed count no longer: a pool that forgets one has less to give, until all its devices wait for
/// nothing. Too slow to be seen in what is delivered before a run is over, so the pools themselves are asked.
enum SlotsComeBack: Invariant {
    static let name = "slots-come-back"
    static func violations(in trial: Trial) -> [String] {
        let left = trial.outcome.slotsLeft
        return left == 0 ? [] : ["pools count \(left) connections, and all are closed"]
    }
}

/// However the network cuts and a proxy rewraps what the collector answers, it is HTTP: none of it is taken for anything
/// else. A client that gives up on such an answer sends its rows again, which all books allow for.
enum AnswersAreRead: Invariant {
    static let name = "answers-are-read"
    static func violations(in trial: Trial) -> [String] {
        let count = trial.outcome.malformedAnswers
        return count == 0 ? [] : ["\(count) answers were taken for no HTTP"]
    }
}

/// What the collector says that it holds is what another process finds in its store: no death has to come at the right
/// moment to show a promise that nothing keeps.
enum HeldIsDurable: Invariant {
    static let name = "held-is-durable"
    static func violations(in trial: Trial) -> [String] { trial.outcome.undurable }
}
