import Datasets
import Files
import Wire

/// The events' own JSON, one a line, in the order of arrival.
///
/// A line is what the collector reads, byte for byte; of a copy, the member `bs_copy` comes first, which counts from 1.
final class RawLines {
    /// The file of a dataset.
    static let fileName = "raw.ndjson"
    /// The member that marks a copy.
    static let copyMark = "bs_copy"

    private let sink: any ByteSink
    private var buffer = WireBuffer()

    init(into sink: any ByteSink) { self.sink = sink }

    func write(_ row: ArrivalRow) throws(FileFailure) {
        var payload = row.payload
        if row.head.copy > 0, payload.first == UInt8(ascii: "{") {
            buffer.append("{\"\(RawLines.copyMark)\":")
            buffer.appendDecimal(Int64(row.head.copy))
            payload = UnsafeRawBufferPointer(rebasing: payload.dropFirst())
            if payload.first != UInt8(ascii: "}") { buffer.append(UInt8(ascii: ",")) }
        }
        buffer.append(contentsOf: payload)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= ArrivalFeed.blockBytes { try flush() }
    }

    func flush() throws(FileFailure) {
        try buffer.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
        buffer.removeAll()
    }

    func finish() throws(FileFailure) {
        try flush()
        try sink.finish()
    }
}
