import Files
import Wire

/// How a text file is packed.
package enum TextPacking: String, Hashable, Sendable, CaseIterable {
    case none
    /// `.gz`: a member for each block of the text, which readers of gzip put together (RFC 1952, section 2.2).
    case gzip
    /// `.zst`: one frame with a checksum.
    case zstd

    /// What a file's name ends in.
    var suffix: String {
        switch self {
        case .none: ""
        case .gzip: ".gz"
        case .zstd: ".zst"
        }
    }

    /// Packs what goes to a sink.
    package func sink(into sink: any ByteSink) -> any ByteSink {
        switch self {
        case .none: sink
        case .gzip: GzipSink(into: sink)
        case .zstd: ZstdSink(into: sink)
        }
    }
}

/// Packs each write as a gzip member of its own.
private final class GzipSink: ByteSink {
    private let sink: any ByteSink
    private let encoder = GzipEncoder(level: 6)
    private var packed = WireBuffer()

    init(into sink: any ByteSink) { self.sink = sink }

    var size: Int { sink.size }
    var isPacking: Bool { true }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        packed.removeAll()
        encoder.compress(bytes, into: &packed)
        try packed.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
    }

    func finish() throws(FileFailure) {
        // A file of no member is no gzip file.
        if sink.size == 0 { try write(UnsafeRawBufferPointer(start: nil, count: 0)) }
        try sink.finish()
    }
}

/// Packs everything into one frame.
private final class ZstdSink: ByteSink {
    private let sink: any ByteSink
    private let encoder = ZstdEncoder(level: 3, hasChecksum: true)
    private var packed = WireBuffer()

    init(into sink: any ByteSink) { self.sink = sink }

    var size: Int { sink.size }
    var isPacking: Bool { true }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) { try write(bytes, isLast: false) }

    func finish() throws(FileFailure) {
        try write(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
        try sink.finish()
    }

    private func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(FileFailure) {
        packed.removeAll()
        encoder.stream(bytes, isLast: isLast, into: &packed)
        try packed.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
    }
}
