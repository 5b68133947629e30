package import Timebase
package import World

/// An answer that no device hopes for: one that its system does not take as success, or bytes that are not a
/// whole answer.
package struct UnexpectedAnswer: Sendable, Hashable {
    /// The most that a run keeps.
    package static let limit = 20

    /// 0 where there was no status line.
    package var status: UInt16
    /// What was wrong where the answer was not whole.
    package var failure: RequestFailure?
    /// Header lines as they came, one per line, at most 2 kB.
    package var headers: String
    /// The first 2 kB of the body.
    package var body: [UInt8]
    package var population: Int
    package var at: Instant
    /// Whether it answered a fetch of a configuration, and not an upload.
    package var isConfig: Bool

    package init(
        status: UInt16, failure: RequestFailure?, headers: String, body: [UInt8], population: Int,
        at: Instant,
        isConfig: Bool = false
    ) {
        self.isConfig = isConfig
        self.status = status
        self.failure = failure
        self.headers = headers
        self.body = body
        self.population = population
        self.at = at
    }
}
