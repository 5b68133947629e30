import Datasets
import DeviceSDK

/// The table `events`: what its columns are, and how a row is made of what arrived.
struct EventTable {
    static let name = "events"

    let schema: TableSchema
    private let keepsIDs: Bool
    /// How the fields of rows are found.
    let fields: RowFields
    private let systems: [String]
    /// The number of the first column that is a field.
    private let firstField: Int
    private let types: [ColumnType]
    /// Where in a row's fields each value is; -1 for none.
    private var found: [Int]

    /// - Parameter keepsIDs: Whether a row says what names its event: id, copy, device.
    init(_ plans: [PopulationPlan], keepsIDs: Bool) {
        self.keepsIDs = keepsIDs
        systems = plans.map(\.system.systemName)
        let head = EventTable.head(keepsIDs: keepsIDs)
        firstField = head.count
        var columns = head
        var places: [String: Int] = [:]
        let taken = Set((head.map(\.name) + ["payload"]))
        let known = plans.map { EventField.fields(of: $0) }
        for field in known.joined() where places[field.column] == nil && !taken.contains(field.column) {
            places[field.column] = columns.count - head.count
            columns.append(TableColumn(field.column, field.type, isNullable: true, doc: field.doc))
        }
        types = columns.dropFirst(head.count).map(\.type)
        fields = RowFields(finders: known.map { FieldFinder($0, places: places) }, types: types)
        found = Array(repeating: -1, count: types.count)
        columns.append(TableColumn("payload", .string, doc: "the event's JSON as the collector reads it"))
        schema = TableSchema(name: EventTable.name, columns: columns, indices: [["row_id"]])
    }

    private static func head(keepsIDs: Bool) -> [TableColumn] {
        let names = [
            TableColumn("id", .string, doc: "bs_id, or the natural key (32 hexadecimal digits)"),
            TableColumn("copy", .int64, doc: "0 for the first of the event, counting up"),
            TableColumn("device", .int64, doc: "the device's number in the run"),
        ]
        return [TableColumn("row_id", .int64, doc: "counts arrivals from 1")] + (keepsIDs ? names : []) + [
            TableColumn("system", .string, doc: "the SDK, as in a scenario"),
            TableColumn("type", .string, doc: "the system's type of event"),
            TableColumn("name", .string, doc: "the event's name; empty where the type has none"),
            TableColumn("captured_at", .timestampMillis, doc: "the event's own time, by the device's clock"),
            TableColumn("received_at", .timestampMillis, doc: "when it arrived, by the collector's clock"),
            TableColumn("batch", .int64, doc: "counts the uploads that brought events from 1"),
            TableColumn(
                "attempt", .int64, isNullable: true, doc: "the upload of the event that brought it, from 1"),
        ]
    }

    /// Appends the row of an event.
    ///
    /// - Parameters:
    ///   - number: The row's, from 1.
    ///   - upload: Its upload's, from 1.
    ///   - amount: The number of a field (see ``field(named:)``) that holds a price.
    /// - Returns: the price in hundredths, where there is one.
    mutating func put(
        _ row: ArrivalRow, number: Int64, upload: Int64, amount: Int?, into batch: inout TableBatch
    ) -> Int64? {
        let fields = row.fields
        find(fields)
        let cents = amount.flatMap { self.cents($0, of: fields) }
        batch.put(number)
        if keepsIDs {
            batch.put(utf8: row.id)
            batch.put(Int64(row.head.copy))
            batch.put(Int64(row.head.device))
        }
        batch.put(systems[Int(row.head.population)])
        batch.put(utf8: row.type)
        batch.put(utf8: row.name)
        batch.put(row.head.capturedAt)
        batch.put(EventTable.milliseconds(row.head.at))
        batch.put(upload)
        if row.head.attempt > 0 { batch.put(Int64(row.head.attempt)) } else { batch.putNull() }
        putFields(fields, into: &batch)
        batch.put(utf8: row.payload)
        batch.endRow()
        return cents
    }

    /// The number of the field with a column's name, if it holds numbers.
    func field(named column: String) -> Int? {
        guard let place = schema.columns.firstIndex(where: { $0.name == column }), place >= firstField,
            [.int64, .double].contains(schema.columns[place].type)
        else { return nil }
        return place - firstField
    }

    /// Rounded down.
    static func milliseconds(_ nanoseconds: Int64) -> Int64 {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? whole - 1 : whole
    }

    /// Notes where in a row's fields each value is.
    private mutating func find(_ fields: UnsafeRawBufferPointer) {
        var offset = 0
        while offset < fields.count {
            let field = fields.loadUnaligned(fromByteOffset: offset, as: FoundField.self)
            found[Int(field.place)] = offset
            offset += FoundField.size + Int(field.textBytes)
        }
    }

    /// Puts the values of fields into their columns, and forgets where they were.
    private mutating func putFields(_ fields: UnsafeRawBufferPointer, into batch: inout TableBatch) {
        found.withUnsafeMutableBufferPointer { found in
            var absent = 0
            for place in found.indices {
                let offset = found[place]
                guard offset >= 0 else {
                    absent += 1
                    continue
                }
                if absent > 0 { batch.putNulls(absent) }
                absent = 0
                found[place] = -1
                EventTable.put(types[place], offset, of: fields, into: &batch)
            }
            if absent > 0 { batch.putNulls(absent) }
        }
    }

    @inline(__always)
    private static func put(
        _ type: ColumnType, _ offset: Int, of fields: UnsafeRawBufferPointer, into batch: inout TableBatch
    ) {
        let field = fields.loadUnaligned(fromByteOffset: offset, as: FoundField.self)
        switch type {
        case .string:
            let begin = offset + FoundField.size
            batch.put(
                utf8: UnsafeRawBufferPointer(rebasing: fields[begin..<begin + Int(field.textBytes)]))
        case .bool: batch.put(field.word != 0)
        case .double: batch.put(EventTable.double(field))
        case .int64, .timestampMillis, .timestampMicros: batch.put(field.word)
        }
    }

    private static func double(_ field: FoundField) -> Double {
        Double(bitPattern: UInt64(bitPattern: field.word))
    }

    /// A price in hundredths.
    private func cents(_ place: Int, of fields: UnsafeRawBufferPointer) -> Int64? {
        guard found[place] >= 0 else { return nil }
        let field = fields.loadUnaligned(fromByteOffset: found[place], as: FoundField.self)
        let price = types[place] == .double ? EventTable.double(field) : Double(field.word)
        return Int64((price * 100).rounded())
    }
}
