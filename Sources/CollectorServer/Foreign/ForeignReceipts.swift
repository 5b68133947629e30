import CollectorModel
import Foundation
import GRDB
import Wire

package import Accounting

/// Why a file cannot be read as receipts.
package enum ForeignReceiptsError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    /// A line or row that names no event; lines count from 1.
    case badLine(path: String, line: Int, found: String)
    /// No column or table that could hold ids.
    case noColumn(path: String, found: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .badLine(let path, let line, let found): "\(path):\(line): \(found)"
        case .noColumn(let path, let found):
            "\(path): no column named bs_id, id or payload; found \(found)"
        }
    }
}

/// Reads what a foreign collector holds, for the audit of a run against it: one event, or one copy of
/// it, per row.
///
/// A row names its event by a `bs_id`, an `id` or a `payload` (the event's JSON), the first of them that can
/// be read as an id of the harness or as a natural key (32 hexadecimal digits). An id that is neither
/// stays an id that no device made, which is for the audit to say.
package enum ForeignReceipts {
    /// The columns that may name an event, the surest first.
    static let columns = ["bs_id", "id", "payload"]

    /// Reads a file: SQLite by its first bytes; CSV by the ending `.csv`, or if the first line is neither
    /// JSON nor an id; else NDJSON, whose lines are rows, events or bare ids.
    ///
    /// - Throws: ``ForeignReceiptsError``.
    package static func read(path: String) throws -> Receipts {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw ForeignReceiptsError.unreadable(path: path, reason: "\(error.localizedDescription)")
        }
        if data.starts(with: Array("SQLite format 3\0".utf8)) { return try SQLiteReceipts.read(path) }
        return try data.withUnsafeBytes { bytes in
            let isCSV = path.lowercased().hasSuffix(".csv") || looksLikeCSV(bytes)
            return isCSV
                ? try CSVReceipts.read(bytes, path: path) : try LineReceipts.read(bytes, path: path)
        }
    }

    /// Records one copy of the event that an id names.
    static func record(_ id: some Collection<UInt8>, in receipts: inout Receipts) {
        if let id = EventID(text: id) {
            _ = receipts.record(id)
        } else {
            let key = NaturalKey(text: id) ?? strangerKey(id)
            _ = receipts.recordNatural(high: key.high, low: key.low)
        }
    }

    static func record(_ key: EventKey, in receipts: inout Receipts) {
        switch key {
        case .harness(let id): _ = receipts.record(id)
        case .natural(let key): _ = receipts.recordNatural(high: key.high, low: key.low)
        }
    }

    /// Whether an id is one that this program gives.
    static func isKnownForm(_ id: some Collection<UInt8>) -> Bool {
        EventID(text: id) != nil || NaturalKey(text: id) != nil
    }

    /// A key for an id of no known form.
    private static func strangerKey(_ id: some Collection<UInt8>) -> NaturalKey {
        let hash = Array(id).withUnsafeBytes { Hash128($0) }
        return NaturalKey(high: hash.high, low: hash.low)
    }

    private static func looksLikeCSV(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes.prefix { $0 != 0x0A }.filter { $0 > 0x20 }
        guard let first = line.first, first != UInt8(ascii: "{") else { return false }
        let header = String(decoding: line, as: UTF8.self).lowercased().replacingOccurrences(
            of: "\"", with: "")
        return header.split(separator: ",").contains { columns.contains(String($0)) }
    }
}

/// One row's candidates, of any source.
struct ReceiptRow {
    /// The texts of ``ForeignReceipts/columns``; `nil` where the source has none.
    var values: [[UInt8]?] = Array(repeating: nil, count: ForeignReceipts.columns.count)

    /// Records the row's event.
    ///
    /// - Returns: `false` if nothing in the row names one.
    func record(in receipts: inout Receipts, reader: EventKeyReader) -> Bool {
        for id in values.dropLast() {
            if let id, ForeignReceipts.isKnownForm(id) {
                ForeignReceipts.record(id, in: &receipts)
                return true
            }
        }
        if let payload = values.last ?? nil, let key = payload.withUnsafeBytes({ reader.key(of: $0) }) {
            ForeignReceipts.record(key, in: &receipts)
            return true
        }
        guard let id = values.dropLast().lazy.compactMap({ $0 }).first(where: { !$0.isEmpty }) else {
            return false
        }
        ForeignReceipts.record(id, in: &receipts)
        return true
    }
}

/// Rows from a database.
enum SQLiteReceipts {
    static func read(_ path: String) throws -> Receipts {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            return try DatabaseQueue(path: path, configuration: configuration).read { db in
                try read(db, path: path)
            }
        } catch let error as DatabaseError {
            throw ForeignReceiptsError.unreadable(path: path, reason: error.message ?? "\(error.resultCode)")
        }
    }

    /// Whether one of a table's first rows names an event.
    private static func namesEvents(
        _ db: Database, table: String, columns: [(Int, String)]
    ) throws -> Bool {
        let reader = EventKeyReader()
        let list = columns.map { "CAST(\($0.1.quotedDatabaseIdentifier) AS TEXT)" }.joined(separator: ", ")
        let rows = try Row.fetchAll(
            db, sql: "SELECT \(list) FROM \(table.quotedDatabaseIdentifier) LIMIT 20")
        return rows.contains { row in
            columns.enumerated().contains { index, column in
                guard let text: String = row[index] else { return false }
                let bytes = Array(text.utf8)
                return column.0 == ForeignReceipts.columns.count - 1
                    ? bytes.withUnsafeBytes { reader.key(of: $0) } != nil : ForeignReceipts.isKnownForm(bytes)
            }
        }
    }

    private static func read(_ db: Database, path: String) throws -> Receipts {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
        var best: (table: String, columns: [(Int, String)])?
        for table in tables {
            let names = try db.columns(in: table).map(\.name)
            let usable = ForeignReceipts.columns.enumerated().compactMap { place, column in
                names.first { $0.lowercased() == column }.map { (place, $0) }
            }
            guard let surest = usable.first?.0 else { continue }
            // `events` is the table to read; among others the one with the surest column, of those
            // whose rows name events: an autoincremented `id` does not.
            guard try table == "events" || namesEvents(db, table: table, columns: usable) else { continue }
            let isBetter = best.map { surest < ($0.columns.first?.0 ?? .max) } ?? true
            if table == "events" || (best?.table != "events" && isBetter) { best = (table, usable) }
        }
        guard let best else {
            throw ForeignReceiptsError.noColumn(
                path: path, found: "the tables \(tables.joined(separator: ", "))")
        }
        let list = best.columns.map { "CAST(\($0.1.quotedDatabaseIdentifier) AS TEXT)" }.joined(
            separator: ", ")
        let sql = "SELECT \(list) FROM \(best.table.quotedDatabaseIdentifier)"
        var receipts = Receipts()
        let reader = EventKeyReader()
        let rows = try Row.fetchCursor(db, sql: sql)
        var line = 0
        while let row = try rows.next() {
            line += 1
            var values = ReceiptRow()
            for (index, column) in best.columns.enumerated() {
                let text: String? = row[index]
                values.values[column.0] = text.map { Array($0.utf8) }
            }
            guard values.record(in: &receipts, reader: reader) else {
                throw ForeignReceiptsError.badLine(
                    path: path, line: line, found: "a row of \(best.table) without an id")
            }
        }
        return receipts
    }
}
