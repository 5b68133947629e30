package import Datasets
import DeviceSDK

/// The table `events`: what its columns are, and how a row is made of what arrived.
package struct EventTable {
    package static let name = "events"
    /// Columns that count rows and uploads: what they hold is the dataset's own.
    static let counters: Set<String> = ["row_id", "batch"]

    package let schema: TableSchema
    private let keepsIDs: Bool
    /// How the fields of rows are found.
    package let fields: RowFields
    private let systems: [String]
    /// The number of the first column that is a field, and of the one behind the last.
    private let firstField: Int
    private let payloadColumn: Int
    private let types: [ColumnType]

    /// - Parameter keepsIDs: Whether a row says what names its event: id, copy, device.
    package init(_ plans: DatasetPlans, keepsIDs: Bool) {
        self.keepsIDs = keepsIDs
        systems = plans.systems
        let head = EventTable.head(keepsIDs: keepsIDs)
        firstField = head.count
        var columns = head
        var numbers: [String: Int] = [:]
        let taken = Set((head.map(\.name) + ["payload"]))
        let known = plans.populations.map { EventField.fields(of: $0, plans.propertyColumns) }
        for field in known.joined() where !taken.contains(field.column) {
            if let number = numbers[field.column] {
                // A column has the values of all fields that share it, whichever population comes first.
                let column = head.count + number
                columns[column].type = columns[column].type.widened(by: field.type)
            } else {
                numbers[field.column] = columns.count - head.count
                columns.append(TableColumn(field.column, field.type, isNullable: true, doc: field.doc))
            }
        }
        types = columns.dropFirst(head.count).map(\.type)
        fields = RowFields(finders: known.map { FieldFinder($0, numbers: numbers) }, types: types)
        payloadColumn = columns.count
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
    /// - Returns: the price in hundredths, where there is one, or ``AnswerTotals/Revenue/untold``.
    package func put(
        _ row: ArrivalRow, number: Int64, upload: Int64, amount: Int?, into batch: inout TableBatch
    ) -> Int64? {
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
        let cents = putFields(row.fields, amount: amount ?? -1, into: &batch)
        batch.skip(to: payloadColumn)
        batch.put(utf8: row.payload)
        batch.endRow()
        return cents
    }

    /// The number of the field with a column's name, if it holds numbers.
    func field(named column: String) -> Int? {
        guard let index = schema.columns.firstIndex(where: { $0.name == column }), index >= firstField,
            [.int64, .double].contains(schema.columns[index].type)
        else { return nil }
        return index - firstField
    }

    /// Rounded down.
    static func milliseconds(_ nanoseconds: Int64) -> Int64 {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? whole - 1 : whole
    }

    /// Puts the values of fields into their columns.
    ///
    /// - Returns: the one that is a price, in hundredths.
    @inline(__always)
    private func putFields(
        _ fields: UnsafeRawBufferPointer, amount: Int, into batch: inout TableBatch
    ) -> Int64? {
        var cents: Int64?
        var offset = 0
        while offset < fields.count {
            let field = fields.loadUnaligned(fromByteOffset: offset, as: FoundField.self)
            let column = firstField &+ Int(field.number)
            offset &+= FoundField.size
            if field.isText {
                let end = offset &+ Int(field.textBytes)
                batch.put(utf8: UnsafeRawBufferPointer(rebasing: fields[offset..<end]), at: column)
                offset = end
            } else {
                let word = fields.loadUnaligned(fromByteOffset: offset, as: Int64.self)
                offset &+= 8
                batch.put(word: word, at: column)
                if Int(field.number) == amount { cents = self.cents(word, Int(field.number)) }
            }
        }
        return cents
    }

    /// A price in hundredths; ``AnswerTotals/Revenue/untold`` for one that is too large.
    private func cents(_ word: Int64, _ number: Int) -> Int64 {
        let price = types[number] == .double ? Double(bitPattern: UInt64(bitPattern: word)) : Double(word)
        let cents = (price * 100 + Rounding.hundredths).rounded()
        return abs(cents) <= Rounding.mostHundredths ? Int64(cents) : AnswerTotals.Revenue.untold
    }
}
