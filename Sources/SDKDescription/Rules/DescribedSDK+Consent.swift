extension DescribedSDK {
    /// What an SDK does for a user who has not consented.
    package struct Consent: Hashable, Sendable {
        /// What holds for a user who has said nothing.
        package enum Initial: String, CaseIterable, Sendable { case given, absent }

        /// What becomes of events that are captured without consent.
        package enum Captures: String, CaseIterable, Sendable {
            /// They are suppressed (`consent`).
            case suppress
            /// They are stored.
            case store
        }

        /// What becomes of what is stored without consent.
        package enum Stored: String, CaseIterable, Sendable {
            /// It is sent all the same.
            case send
            /// It waits until consent is given.
            case hold
            /// It is lost when consent is withdrawn (`cleared_unsent`).
            case delete
        }

        package var initial = Initial.given
        package var captures = Captures.suppress
        package var stored = Stored.hold
        /// Whether the next process knows what the user has said.
        package var isPersisted = true
        /// Whether a withdrawal forgets the user, and makes a new anonymous id.
        package var forgetsUser = false

        package init() {}
    }
}
