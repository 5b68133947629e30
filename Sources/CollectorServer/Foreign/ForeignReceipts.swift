import Accounting
package import CollectorModel
import Foundation
import Timebase
import Wire

/// Why a file cannot be read as receipts.
package enum ForeignReceiptsError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    /// A line or row that names no event; lines count from 1.
    case badLine(path: String, line: Int, found: String)
    /// No column or table that could hold ids.
    case noColumn(path: String, found: String)
    /// Tables with such columns, none of whose first rows names an event.
    case noEvent(path: String, found: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .badLine(let path, let line, let found): "\(path):\(line): \(found)"
        case .noColumn(let path, let found):
            "\(path): no column named bs_id, id or payload; found \(found)"
        case .noEvent(let path, let found):
            "\(path): none of the first \(ForeignReceipts.rowsLookedAt) rows of \(found) names an event: a bs_id or id is "
                + "<device>-<sequence>, a payload the event's JSON; is the column empty, or the store of another kind?"
        }
    }
}

/// Reads what a foreign collector holds, for the audit of a run against it: one event, or one copy of
/// it, per row.
///
/// A row names its event by a `bs_id`, an `id` or a `payload` (the event's JSON), the first of them that can
/// be read as an id of the harness or as a natural key (32 hexadecimal digits). An id that is neither
/// stays an id that no device made, which is for the audit to say. A store's own primary key may look like a natural key:
/// an id of the harness in the payload counts more than 32 hexadecimal digits beside it. When it was received
/// (`received_at`) or captured (`captured_at`, else the event's own time in its payload) tells whether it is of the
/// run that is audited.
///
/// Files are mapped and read from front to back, so memory does not grow with them; packed ones (`.gz`) are
/// unpacked whole, up to ``unpackedLimit``.
package enum ForeignReceipts {
    /// The columns that may name an event, the surest first.
    static let columns = ["bs_id", "id", "payload"]
    /// The columns that may tell the run, the surest first.
    static let timeColumns = ["received_at", "captured_at"]
    /// What tells the runs where no column does.
    static let payloadTime = "payload time"
    /// By so many of its first rows a table is known for one with events.
    static let rowsLookedAt = 20
    /// The most bytes that a packed file may unpack to.
    package static let unpackedLimit = 1 << 30

    /// Reads a file: SQLite by its first bytes; CSV by the ending `.csv`, or if the first line is neither
    /// JSON nor an id; else NDJSON, whose lines are rows, events or bare ids.
    ///
    /// If all rows that say when they were received were received outside of the run, but say when they
    /// were captured too, that decides: a store that is loaded later stamps rows with the time of loading.
    ///
    /// - Parameters:
    ///   - window: The run's times; without them every row is taken as the run's.
    ///   - plan: What is known of the clients whose events are in payloads.
    /// - Throws: ``ForeignReceiptsError``.
    package static func read(
        path: String, window: ReceiptsWindow? = nil, plan: CollectorPlan = CollectorPlan()
    ) throws -> ForeignReading {
        let reading = try read(path: path, sink: ReceiptsSink(window: window, plan: plan))
        guard var window, window.captured != nil, reading.receipts.unique == 0, reading.ofOtherRuns > 0,
            reading.timeColumn == timeColumns[0]
        else { return reading }
        window.received = []
        let byCapture = try read(
            path: path, sink: ReceiptsSink(window: window, plan: plan, ignoresReceived: true))
        return byCapture.receipts.unique > 0 && byCapture.timeColumn != nil ? byCapture : reading
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

    /// Notes that the event of an id was acknowledged and is not kept.
    static func note(_ id: some Collection<UInt8>, _ reason: NotKept, in receipts: inout Receipts) {
        switch (reason, EventID(text: id), NaturalKey(text: id)) {
        case (.swallowed, let id?, _): receipts.noteSwallowed(id)
        case (.swallowed, nil, let key?): receipts.noteSwallowed(key)
        case (.dryRun, let id?, _): receipts.noteDryRun(id)
        case (.dryRun, nil, let key?): receipts.noteDryRun(key)
        case (_, nil, nil): break
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

    static func looksLikeCSV(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
    /// The texts of ``ForeignReceipts/timeColumns``, likewise.
    var times: [[UInt8]?] = Array(repeating: nil, count: ForeignReceipts.timeColumns.count)

    /// What is wrong with the payload of a row that names no event: JSON that was cut, as by a column that is too short.
    var payloadProblem: String? {
        guard let payload = values.last ?? nil, payload.first == UInt8(ascii: "{") else { return nil }
        return ReceiptRow.cutJSON(payload).map { "a payload that \($0)" }
    }

    /// How an object of JSON that cannot be read ends; `nil` for one that can.
    static func cutJSON(_ text: some Collection<UInt8>) -> String? {
        guard (try? JSONReader.readStrictly(Array(text))) == nil else { return nil }
        let end = String(decoding: text.suffix(40), as: UTF8.self).drop { $0 == "\u{FFFD}" }
        return "is no whole JSON: its \(text.count) bytes end with \(end)"
    }
}

/// Takes rows in, and leaves out those of other runs.
struct ReceiptsSink {
    private(set) var reading = ForeignReading()
    /// What is wrong with the time of the latest row, of those that were not taken.
    private(set) var timeProblem: String?
    private let window: ReceiptsWindow?
    private let ignoresReceived: Bool
    private let reader: EventKeyReader

    init(window: ReceiptsWindow?, plan: CollectorPlan = CollectorPlan(), ignoresReceived: Bool = false) {
        self.window = window
        reader = EventKeyReader(plan: plan)
        self.ignoresReceived = ignoresReceived
    }

    /// Whether a payload names an event.
    func names(_ payload: [UInt8]) -> Bool { payload.withUnsafeBytes { reader.key(of: $0) } != nil }

    /// Records the event of a bare id, which says no time.
    mutating func take(id: some Collection<UInt8>) {
        if window != nil { reading.undated += 1 }
        ForeignReceipts.record(id, in: &reading.receipts)
    }

    /// Records a row's event.
    ///
    /// - Returns: `false` if nothing in the row names one, and for a row with a ``timeProblem``.
    mutating func take(_ row: ReceiptRow) -> Bool {
        let isOfRun = isOfRun(row)
        guard timeProblem == nil else { return false }
        guard let isOfRun else { return record(row, in: &reading.receipts) }
        guard !isOfRun else { return record(row, in: &reading.receipts) }
        // It has to name an event all the same: a file that cannot be read is not to be audited by.
        var others = Receipts()
        guard record(row, in: &others) else { return false }
        reading.ofOtherRuns += 1
        return true
    }

    /// Notes an event that was acknowledged and is not kept, if it is of the run.
    mutating func take(notKept id: some Collection<UInt8>, _ reason: NotKept, receivedAt: [UInt8]) {
        if let window, !ignoresReceived,
            window.holds(received: ReceiptTime.instant(receivedAt), captured: nil) == false
        {
            return
        }
        ForeignReceipts.note(id, reason, in: &reading.receipts)
    }

    private mutating func isOfRun(_ row: ReceiptRow) -> Bool? {
        guard let window else { return nil }
        let received = ignoresReceived ? nil : row.times[0].flatMap { ReceiptTime.instant($0) }
        let stamped = row.times[1].flatMap { ReceiptTime.instant($0) }
        let captured = stamped ?? (received == nil ? capturedAt(row) : nil)
        if !ignoresReceived, received == nil {
            timeProblem = ReceiptTime.problem(row.times, captured: stamped)
        }
        guard let isOfRun = window.holds(received: received, captured: captured) else {
            reading.undated += 1
            return nil
        }
        let order = ForeignReceipts.timeColumns + [ForeignReceipts.payloadTime]
        let rank = received != nil ? 0 : stamped != nil ? 1 : 2
        // Of several columns that told rows apart, the surest is named.
        let known = reading.timeColumn.flatMap { order.firstIndex(of: $0) } ?? order.count
        reading.timeColumn = order[min(known, rank)]
        return isOfRun
    }

    /// When the event in the row's payload was captured.
    private func capturedAt(_ row: ReceiptRow) -> Instant? {
        guard let payload = row.values.last ?? nil,
            let milliseconds = payload.withUnsafeBytes({ reader.capturedAt(of: $0) }),
            (0...9_223_372_036_854).contains(milliseconds)
        else { return nil }
        return Instant(milliseconds: milliseconds)
    }

    private func record(_ row: ReceiptRow, in receipts: inout Receipts) -> Bool {
        let ids = row.values.dropLast().lazy.compactMap { $0 }
        let known = ids.first { ForeignReceipts.isKnownForm($0) }
        let isHarness = known.map { EventID(text: $0) != nil } ?? false
        if !isHarness, let key = payloadKey(row), known == nil || key.device != nil {
            ForeignReceipts.record(key, in: &receipts)
            return true
        }
        guard let id = known ?? ids.first(where: { !$0.isEmpty }) else { return false }
        ForeignReceipts.record(id, in: &receipts)
        return true
    }

    private func payloadKey(_ row: ReceiptRow) -> EventKey? {
        (row.values.last ?? nil).flatMap { payload in payload.withUnsafeBytes { reader.key(of: $0) } }
    }
}
