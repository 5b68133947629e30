/// Which answers keep the rows of a request for another try; all others that are no success drop them. A
/// transport failure keeps them under every rule.
package enum KeepRule: Hashable, Sendable {
    /// Every status but 2xx.
    case notSuccess
    /// These statuses and all of 5xx.
    case serverErrors(and: Set<UInt16>)
    /// Exactly these statuses.
    case listed(Set<UInt16>)

    /// Whether an answer with this status keeps the rows.
    package func keeps(_ status: UInt16) -> Bool {
        switch self {
        case .notSuccess: !(200...299).contains(status)
        case .serverErrors(let others): (500...599).contains(status) || others.contains(status)
        case .listed(let statuses): statuses.contains(status)
        }
    }
}
