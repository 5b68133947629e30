import Accounting

/// A cause of loss as a figure names it, `events_lost.evicted.storage_limit`. A name that no event can have would be 0
/// in every run, and a gate on it would always hold: it is refused.
struct LossCause {
    var fate: Fate
    var name: String

    /// How figures are written.
    static let pattern = "events_lost.FATE.CAUSE"
    /// Fates that count as lost.
    private static let fates: [Fate] = [.evicted, .rejected, .lost]
    /// What an answer may say.
    private static let statuses: ClosedRange<UInt16> = 100...599

    /// Reads a figure's name; `nil` for a figure that is no cause of loss.
    ///
    /// - Throws: ``ThresholdError`` for a fate or a cause that does not exist.
    init?(_ text: String) throws(ThresholdError) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count > 1, parts[0] == "events_lost" else { return nil }
        guard let fate = LossCause.fates.first(where: { $0.rawValue == parts[1] }) else {
            // `events_lost.rate`, and whatever else is asked of the metric itself.
            guard parts.count == 3, !text.contains("(") else { return nil }
            let names = LossCause.fates.map(\.rawValue)
            throw ThresholdError(
                found: parts[1],
                allowed: "\(LossCause.pattern), FATE one of \(names.joined(separator: ", "))",
                nearest: NearestNames.of(parts[1], in: names))
        }
        let cause = parts.count == 3 ? parts[2] : ""
        guard LossCause.exists(cause, of: fate) else {
            throw ThresholdError(
                found: cause.isEmpty ? text : cause,
                allowed: "events_lost.\(fate.rawValue).CAUSE, CAUSE one of "
                    + LossCause.causes(of: fate).joined(separator: ", ")
                    + (fate == .rejected ? ", or the status of an answer from 100 to 599" : ""),
                nearest: NearestNames.of(cause, in: LossCause.causes(of: fate)))
        }
        self.fate = fate
        name = cause
    }

    /// Whether events may have it; another spelling of a status (`0413`) is none.
    private static func exists(_ cause: String, of fate: Fate) -> Bool {
        guard let found = Disposition(fate: fate, cause: cause), found.cause == cause else { return false }
        guard case .rejected(let status) = found, found != .retriesExhausted else { return true }
        return statuses.contains(status)
    }

    /// Those with a name of their own.
    private static func causes(of fate: Fate) -> [String] {
        switch fate {
        case .evicted: Disposition.Eviction.allCases.map(\.name)
        case .lost: Disposition.Loss.allCases.map(\.name)
        case .rejected: [Disposition.retriesExhausted.cause ?? ""]
        case .delivered, .suppressed, .pending: []
        }
    }
}
