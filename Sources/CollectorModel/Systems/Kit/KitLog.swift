import Accounting
import Wire

/// Walks the rows of one day's log: a line of the device's, then a line per row; none ends the file.
struct KitLog {
    let name: String
    /// The device's line, if the log has one; `nil` if it begins with a row, as after a failed creation.
    private(set) var device: KitDeviceLine?

    private let content: UnsafeRawBufferPointer
    private var position = 0
    private var number = 0

    init(name: String, content: UnsafeRawBufferPointer) {
        self.name = name
        self.content = content
        guard let first = nextLine(), let device = KitDeviceLine(first.bytes), KitRow(first.bytes) == nil
        else {
            position = 0
            number = 0
            return
        }
        self.device = device
    }

    /// The next line that is not empty, with its number from 1; the device's line counts too.
    mutating func next() -> (bytes: UnsafeRawBufferPointer, number: Int)? {
        while let line = nextLine() {
            if !line.bytes.isEmpty { return line }
        }
        return nil
    }

    private mutating func nextLine() -> (bytes: UnsafeRawBufferPointer, number: Int)? {
        guard position < content.count else { return nil }
        let end = content[position...].firstIndex(of: 0x0A) ?? content.count
        defer { position = end + 1 }
        number += 1
        return (UnsafeRawBufferPointer(rebasing: content[position..<end]), number)
    }
}

/// The first line of a log: deviceName, deviceModel, systemName, systemVersion, uuid, appVersion, appBuild.
struct KitDeviceLine {
    /// The longest that is taken, in bytes: it is repeated with every row.
    static let byteLimit = 1024

    private static let names: [StaticString] = [
        "deviceName", "deviceModel", "systemName", "systemVersion", "uuid", "appVersion", "appBuild",
    ]

    private let fields: [UnsafeRawBufferPointer]

    /// Reads a line; `nil` if it is none. The device's name is its owner's and may hold commas: the other
    /// fields are counted from the right.
    init?(_ line: UnsafeRawBufferPointer) {
        guard line.count <= KitDeviceLine.byteLimit, line.isUTF8 else { return nil }
        var fields: [UnsafeRawBufferPointer] = []
        var end = line.count
        while fields.count < KitDeviceLine.names.count - 1 {
            guard let comma = line[..<end].lastIndex(of: UInt8(ascii: ",")) else { return nil }
            fields.append(UnsafeRawBufferPointer(rebasing: line[(comma + 1)..<end]))
            end = comma
        }
        fields.append(UnsafeRawBufferPointer(rebasing: line[..<end]))
        self.fields = fields.reversed()
    }

    /// Appends an object of the fields.
    func append(to output: inout WireBuffer) {
        output.append(UInt8(ascii: "{"))
        for (name, field) in zip(KitDeviceLine.names, fields) {
            output.appendMember(name)
            output.appendJSONString(utf8: field)
        }
        output.append(UInt8(ascii: "}"))
    }
}

/// One row: `TypeCode,epochSeconds,content,remark`.
///
/// Nothing in it is escaped. The content of a control's row is
/// `class|targetClass|selector|tag|{{x, y}, {w, h}}|info`, so it has commas of its own and may have more
/// separators in the info: the first two fields count from the left and the last from the right.
struct KitRow {
    /// The longest row, in bytes.
    static let byteLimit = 64 << 10
    /// From here on a row is a control's.
    static let firstControlCode: Int64 = 100

    let code: Int64
    let seconds: Int64
    let content: UnsafeRawBufferPointer
    let remark: UnsafeRawBufferPointer
    /// The parts of a control's content; the sixth is the whole rest. Empty for other rows.
    let parts: [UnsafeRawBufferPointer]

    private static let partNames: [StaticString] = [
        "class", "targetClass", "selector", "tag", "frame", "info",
    ]

    /// Reads a line; `nil` if it is no row.
    init?(_ line: UnsafeRawBufferPointer) {
        let comma = UInt8(ascii: ",")
        guard line.count <= KitRow.byteLimit, line.isUTF8, let first = line.firstIndex(of: comma),
            let second = line[(first + 1)...].firstIndex(of: comma), let last = line.lastIndex(of: comma),
            last > second, let code = UnsafeRawBufferPointer(rebasing: line[..<first]).decimalInteger,
            let seconds = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<second]).decimalInteger,
            seconds.magnitude < 1 << 40
        else { return nil }
        self.code = code
        self.seconds = seconds
        content = UnsafeRawBufferPointer(rebasing: line[(second + 1)..<last])
        remark = UnsafeRawBufferPointer(rebasing: line[(last + 1)...])
        guard code >= KitRow.firstControlCode else {
            parts = []
            return
        }
        let slices = content.split(
            separator: UInt8(ascii: "|"), maxSplits: 5, omittingEmptySubsequences: false)
        guard slices.count == KitRow.partNames.count else { return nil }
        parts = slices.map { UnsafeRawBufferPointer(rebasing: $0) }
    }

    /// The harness's id at the end of a control's info: `<title>~<id>`.
    var id: EventID? {
        guard let info = parts.last, let mark = info.lastIndex(of: UInt8(ascii: "~")) else { return nil }
        return EventID(text: info[(mark + 1)...])
    }

    /// Appends the row as an object.
    func append(to output: inout WireBuffer, log: String, line: Int, device: KitDeviceLine?) {
        output.append(UInt8(ascii: "{"))
        output.appendMember("log")
        output.appendJSONString(log)
        output.appendMember("line")
        output.appendDecimal(line)
        output.appendMember("typeCode")
        output.appendDecimal(code)
        output.appendMember("epochSeconds")
        output.appendDecimal(seconds)
        output.appendMember("content")
        output.appendJSONString(utf8: content)
        for (name, part) in zip(KitRow.partNames, parts) {
            output.appendMember(name)
            output.appendJSONString(utf8: part)
        }
        output.appendMember("remark")
        output.appendJSONString(utf8: remark)
        if let id {
            output.appendMember("bs_id")
            output.appendJSONString(id.text)
        }
        if let device {
            output.appendMember("device")
            device.append(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}

/// Reads Kit's rows as JSON.
struct KitReader: CollectedKeyReader {
    private var scratch = WireBuffer()
    /// The row's type as text: the document writes numbers.
    private var type = WireBuffer()

    mutating func read(_ value: JSONValue, text: UnsafeRawBufferPointer) -> UploadElement {
        guard let key = key(of: value) else { return .undecodable(.row) }
        guard let code = value["typeCode"]?.int64 else { return .undecodable(.missingType) }
        guard let seconds = value["epochSeconds"]?.int64 else { return .undecodable(.missingTime) }
        type.removeAll()
        type.appendDecimal(code)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        // The buffer stays until the next row.
        let typeText = type.withUnsafeBytes { $0 }
        return .event(
            UploadEvent(
                key: key, type: typeText, name: value["remark"]?.bytes ?? empty,
                distinctID: value["device"]?["uuid"]?.bytes ?? empty, capturedAt: seconds * 1000,
                payload: text, value: value))
    }

    /// The key of one row's JSON: its id, else its natural key, the log's name and the line's number.
    mutating func key(of value: JSONValue) -> EventKey? {
        guard let log = value["log"]?.bytes, let line = value["line"]?.int64 else { return nil }
        if let id = value.harnessID() { return .harness(id) }
        scratch.beginKey(log)
        scratch.appendKey(line)
        return scratch.naturalKey
    }

    /// A row as the log has it tells its id alone.
    func key(ofText text: UnsafeRawBufferPointer) -> EventKey? { KitRow(text)?.id.map { .harness($0) } }

    func capturedAt(of value: JSONValue) -> Int64? {
        value["epochSeconds"]?.int64.map { $0.multipliedReportingOverflow(by: 1000).partialValue }
    }
}
