import Accounting
import Foundation
import GRDB
import Synchronization
import Wire

@testable import CollectorModel
@testable import CollectorServer

/// The payload of a row.
func payload(_ sequence: Int) -> String {
    "{\"n\":\(sequence),\"text\":\"\(String(repeating: "数据", count: sequence))\"}"
}

/// Rows of device 7; the last has no id of the harness.
func rowBuffer(_ sequences: Range<Int>, batch: Int64) -> RowBuffer {
    var rows = RowBuffer()
    let parser = JSONParser()
    for sequence in sequences {
        let isLast = sequence == sequences.upperBound - 1
        Array(payload(sequence).utf8).withUnsafeBytes { payload in
            try? parser.withParsed(payload) { value in
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                rows.append(
                    CollectedEvent(
                        key: isLast
                            ? .natural(NaturalKey(high: 1, low: UInt64(sequence)))
                            : .harness(EventID(device: 7, sequence: UInt32(sequence))),
                        copy: sequence, system: .sensors, systemName: "sensors", distinctID: empty,
                        type: payload, name: empty, capturedAt: 4, payload: payload,
                        value: value),
                    receivedAt: 5, batch: batch)
            }
        }
    }
    return rows
}

/// Appends a frame to a log.
func appendFrame(_ rows: RowBuffer, to file: inout WireBuffer) {
    rows.bytes.withUnsafeBytes { bytes in
        let frame = LogFrame(rows: bytes, rowCount: rows.count, lastBatch: rows.lastBatch)
        frame.header.span.withUnsafeBytes { file.append(contentsOf: $0) }
        file.append(contentsOf: frame.rows)
    }
}

/// Opens a store.
func durableStore(_ path: String, _ logging: StoreLogging, _ merger: HeldExecutor) throws -> DurableStore {
    var configuration = CollectorServerConfiguration()
    configuration.storePath = path
    configuration.logging = logging
    return try DurableStore(configuration: configuration, merger: merger)
}

/// Copies what a process would find that continues a store after the end of another.
func copyStore(_ path: String, to other: String) throws {
    for suffix in try StoreFiles.suffixes(at: path) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: other + suffix)
    }
}

/// All rows of a store's table.
func content(_ path: String) throws -> [Row] {
    try DatabaseQueue(path: path).read {
        try Row.fetchAll($0, sql: "SELECT * FROM events ORDER BY rowid")
    }
}

/// Runs work when it is told to.
final class HeldExecutor: CommitExecutor {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func submit(_ next: @escaping @Sendable () -> Void) { work.withLock { $0.append(next) } }

    func shutDown() async {}

    /// The next work item; `false` if there is none.
    @discardableResult
    func runOne() -> Bool {
        guard let next = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        next()
        return true
    }
}
