package import Snapshots
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
    /// The device's number in the run; of live runs, nobody tells it.
    package var device: UInt32 = 0
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

extension UnexpectedAnswer: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(UInt64(status))
        writer.write(UInt64(failure?.rawValue ?? .max))
        writer.write(headers)
        writer.write(body)
        writer.write(population)
        writer.write(UInt64(device))
        writer.write(at)
        writer.write(isConfig)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        status = try reader.integer()
        failure = RequestFailure(rawValue: try reader.integer())
        headers = try reader.text()
        body = try reader.raw()
        population = try reader.int()
        device = try reader.integer()
        at = try reader.value()
        isConfig = try reader.bool()
    }
}
