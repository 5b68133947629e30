import Accounting
package import Datasets
package import Files
import Wire

/// The events' own JSON, one a line: those that arrived in the order of arrival, then those that never did, by device.
///
/// A line is what the collector reads, byte for byte; of a copy, the member `bs_copy` comes first, which counts from 1. Of an
/// event that never arrived, it is what the collector would read, behind `bs_fate` and `bs_cause`.
package final class RawLines {
    /// The file of a dataset.
    package static let fileName = "raw.ndjson"
    /// The member that marks a copy.
    static let copyMark = "bs_copy"
    /// Those that mark an event that never arrived.
    static let fateMark = "bs_fate"
    static let causeMark = "bs_cause"

    private let sink: any ByteSink
    private var buffer = WireBuffer()

    package init(into sink: any ByteSink) { self.sink = sink }

    /// The bytes so far.
    var size: Int { sink.size }

    package func write(_ row: ArrivalRow) throws(FileFailure) {
        guard row.head.copy > 0 else { return try write(row.payload) { _ in } }
        try write(row.payload) { line in
            line.appendMember(named: RawLines.copyMark)
            line.appendDecimal(Int64(row.head.copy))
        }
    }

    /// Writes an event that never arrived.
    ///
    /// - Parameter payload: Its JSON, as a collector would read it.
    func write(_ payload: ArraySlice<UInt8>, _ disposition: Disposition) throws(FileFailure) {
        let line = { (line: inout WireBuffer) in
            line.appendMember(named: RawLines.fateMark)
            line.appendJSONString(disposition.fate.rawValue)
            guard let cause = disposition.cause else { return }
            line.appendMember(named: RawLines.causeMark)
            line.appendJSONString(cause)
        }
        let bytes = Array(payload)
        buffer.reserve(bytes.count)
        let failure = bytes.withUnsafeBytes { bytes -> FileFailure? in
            do throws(FileFailure) { try write(bytes, line) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Writes a line.
    ///
    /// - Parameter marks: Appends members to what begins with a brace.
    private func write(
        _ payload: UnsafeRawBufferPointer, _ marks: (inout WireBuffer) -> Void
    ) throws(FileFailure) {
        var payload = payload
        if payload.first == UInt8(ascii: "{") {
            buffer.append(UInt8(ascii: "{"))
            let begin = buffer.count
            marks(&buffer)
            payload = UnsafeRawBufferPointer(rebasing: payload.dropFirst())
            if buffer.count > begin, payload.first != UInt8(ascii: "}") { buffer.append(UInt8(ascii: ",")) }
        }
        buffer.append(contentsOf: payload)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= ArrivalFeed.blockBytes { try flush() }
    }

    package func flush() throws(FileFailure) {
        try buffer.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
        buffer.removeAll()
    }

    package func finish() throws(FileFailure) {
        try flush()
        try sink.finish()
    }
}

extension WireBuffer {
    /// Appends a member's name, behind a comma where another one is before it.
    fileprivate mutating func appendMember(named name: String) {
        appendJSONComma()
        appendJSONString(name)
        append(UInt8(ascii: ":"))
    }
}
