import Datasets
import DeviceSDK
import Wire

/// The table `events`: what its columns are, and how a row is made of an event's JSON.
struct EventTable {
    static let name = "events"

    let schema: TableSchema
    private let keepsIDs: Bool
    private let parser = JSONParser()
    /// Of each population, in the scenario's order.
    private let finders: [FieldFinder]
    private let systems: [String]
    /// The number of the first column that is a field.
    private let firstField: Int
    private let types: [ColumnType]
    private var found: [JSONValue?]
    private var touched: [Int] = []
    private var text = WireBuffer()

    /// - Parameter keepsIDs: Whether a row says what names its event: id, copy, device.
    init(_ plans: [PopulationPlan], keepsIDs: Bool) {
        self.keepsIDs = keepsIDs
        systems = plans.map(\.system.systemName)
        let head = EventTable.head(keepsIDs: keepsIDs)
        firstField = head.count
        var columns = head
        var places: [String: Int] = [:]
        let taken = Set((head.map(\.name) + ["payload"]))
        let fields = plans.map { EventField.fields(of: $0) }
        for field in fields.joined() where places[field.column] == nil && !taken.contains(field.column) {
            places[field.column] = columns.count - head.count
            columns.append(TableColumn(field.column, field.type, isNullable: true, doc: field.doc))
        }
        types = columns.dropFirst(head.count).map(\.type)
        finders = fields.map { FieldFinder($0, places: places) }
        found = Array(repeating: nil, count: types.count)
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
        find(row)
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
        let cents = amount.flatMap { found[$0]?.number }.map { Int64(($0 * 100).rounded()) }
        for (place, type) in types.enumerated() { putField(found[place], type, into: &batch) }
        batch.put(utf8: row.payload)
        batch.endRow()
        for place in touched { found[place] = nil }
        touched.removeAll(keepingCapacity: true)
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

    private mutating func find(_ row: ArrivalRow) {
        let finder = finders[Int(row.head.population)]
        guard let root = try? parser.parse(row.payload), root.kind == .object else { return }
        for (name, value) in root.members {
            switch finder.place(of: name, in: 0) {
            case .column(let place): note(value, at: place)
            case .group(let group):
                for (name, value) in value.members {
                    if case .column(let place) = finder.place(of: name, in: group) { note(value, at: place) }
                }
            case nil: break
            }
        }
    }

    private mutating func note(_ value: JSONValue, at place: Int) {
        guard found[place] == nil else { return }
        found[place] = value
        touched.append(place)
    }

    /// Puts a value into a column of a type; one that is not of the type, nor a text of it, is left to the payload.
    private mutating func putField(_ value: JSONValue?, _ type: ColumnType, into batch: inout TableBatch) {
        guard let value, !value.isNull else { return batch.putNull() }
        switch type {
        case .string:
            if let bytes = value.bytes { return batch.put(utf8: bytes) }
            text.removeAll()
            value.appendJSON(to: &text)
            text.withUnsafeBytes { batch.put(utf8: $0) }
        case .bool:
            if let truth = value.truth { batch.put(truth) } else { batch.putNull() }
        case .double:
            if let number = value.number { batch.put(number) } else { batch.putNull() }
        case .int64, .timestampMillis, .timestampMicros:
            if let number = value.integer { batch.put(number) } else { batch.putNull() }
        }
    }
}

extension JSONValue {
    /// A number, or a text of one.
    fileprivate var number: Double? { double ?? string.flatMap(Double.init) }

    fileprivate var integer: Int64? {
        int64 ?? double.flatMap { Int64(exactly: $0) } ?? string.flatMap { Int64($0) }
    }

    fileprivate var truth: Bool? {
        if let bool { return bool }
        switch string ?? int64.map(String.init) {
        case "1", "true": return true
        case "0", "false": return false
        default: return nil
        }
    }
}
