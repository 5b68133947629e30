import CDeviceDisk
import DeviceSDK
import Foundation
import SensorsSDK
import TestSupport
import Timebase
import Wire

@testable import DeviceStorage

/// A folder that goes with the test.
final class TemporaryFolder {
    let path: String

    init() {
        path = TestFolder.newPath("beaconswarm-test")
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "device-0.sqlite") -> String { "\(path)/\(name)" }
}

/// Reads a file with a connection of its own, past everything that the store does.
struct Inspector {
    let path: String

    /// The rows of a query as texts; `nil` if SQLite refuses the file.
    func rows(_ sql: String) -> [[String]]? {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return nil }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
                    })
            default: return nil
            }
        }
    }

    func count() -> Int? { rows("SELECT count(*) FROM dataCache")?.first?.first.flatMap { Int($0) } }
}

extension EventRecord {
    /// Every third row is instant.
    static func test(_ sequence: UInt32) -> EventRecord {
        var record = EventRecord(
            capturedAt: Instant(milliseconds: Int64(sequence)), sequence: sequence, epoch: 0, template: 0)
        record.isInstant = sequence % 3 == 0
        return record
    }
}

/// What a test writes as the JSON of an event.
func content(_ sequence: UInt32, length: Int = 0) -> WireBuffer {
    WireBuffer("{\"event\":\"e\(sequence)\",\"pad\":\"\(String(repeating: "x", count: length))\"}")
}

extension SensorsStore {
    /// The sequences of the rows that come first from an end, and their contents as texts.
    func oldest(
        _ limit: Int, from end: StoreEnd = .oldest, of kind: SensorsRowKind = .all, idleOnly: Bool = true
    ) -> (sequences: [UInt32], texts: [String]) {
        var batch: ContiguousArray<EventRecord> = []
        var contents = SensorsContents()
        copy(limit, from: end, of: kind, idleOnly: idleOnly, into: &batch, contents: &contents)
        return (batch.map(\.sequence), contents.events.map { String(decoding: $0, as: UTF8.self) })
    }
}

extension SQLiteStore {
    func add(_ sequence: UInt32, length: Int = 0) -> Bool {
        append(.test(sequence), content: content(sequence, length: length))
    }
}

extension SensorsMemoryStore {
    mutating func add(_ sequence: UInt32) -> Bool { append(.test(sequence), content: WireBuffer()) }
}
