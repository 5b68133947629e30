/// Why an event, or a whole request, could not be read. A closed set; the raw value is its name in
/// statistics.
package enum UndecodableReason: String, CaseIterable, Sendable {
    /// The body is no form, or has neither `data` nor `data_list`.
    case form
    /// The field's value is not base64.
    case base64
    /// The value is not gzip, is cut off, or has a wrong check sum of its own.
    case gzip
    /// The body is no LZ4 or Snappy block.
    case block
    /// The body is encrypted with a key that the URL should have told.
    case missingKey = "missing_key"
    /// The body, or an event in it, is no message of the schema.
    case protobuf
    /// The body is no multipart form with a part `file`.
    case multipart
    /// The part is no archive that may be read, or one of its files cannot be unpacked.
    case zip
    /// A line of a log that is no row.
    case row
    /// More than the decoder's limit of bytes or entries after inflation.
    case tooLarge = "too_large"
    /// A value of `gzip` that is none of 0, 1, 9, 13; a codec or content type of no known number or name.
    case unknownEncoding = "unknown_encoding"
    /// `gzip` 9 or 13: the events are encrypted for a key that the collector does not have.
    case encrypted
    case json
    /// A list element, or the whole, that is not an object.
    case notAnObject = "not_an_object"
    /// No list of events where the client's description has one, and no event in its place.
    case missingEvents = "missing_events"
    case missingType = "missing_type"
    case missingTime = "missing_time"
}

/// What a collector counted. Requests for ``requests``, ``configFetches``, ``notFound`` and ``wrongChecksum``,
/// events for the rest.
package struct CollectorStatistics: Sendable, Equatable {
    /// Uploads that were read; fetches and what went nowhere are counted by themselves.
    package var requests: UInt64 = 0
    /// Events in the store, every copy counted.
    package var received: UInt64 = 0
    package var unique: UInt64 = 0
    /// Copies beyond the first.
    package var duplicates: UInt64 = 0
    package var undecodable: UInt64 = 0
    package var dryRun: UInt64 = 0
    package var swallowed: UInt64 = 0
    package var wrongChecksum: UInt64 = 0
    package var configFetches: UInt64 = 0
    /// Requests for a path or a method that no route has.
    package var notFound: UInt64 = 0
    /// ``undecodable`` by reason, in the order of ``UndecodableReason``'s cases.
    package private(set) var undecodableCounts = [UInt64](
        repeating: 0, count: UndecodableReason.allCases.count)

    package init() {}

    /// The undecodable events of one reason.
    package func undecodable(_ reason: UndecodableReason) -> UInt64 {
        undecodableCounts[CollectorStatistics.index(of: reason)]
    }

    /// Counts events that could not be read.
    mutating func countUndecodable(_ reason: UndecodableReason, events: UInt64 = 1) {
        undecodable += events
        undecodableCounts[CollectorStatistics.index(of: reason)] += events
    }

    private static func index(of reason: UndecodableReason) -> Int {
        UndecodableReason.allCases.firstIndex(of: reason) ?? 0
    }
}
