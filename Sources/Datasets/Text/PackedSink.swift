import Files
import Wire

/// How a text file is packed.
package enum TextPacking: String, Hashable, Sendable, CaseIterable {
    case none
    /// `.gz`: a member for each block of the text, which readers of gzip put together (RFC 1952, section 2.2).
    case gzip
    /// `.zst`: one frame with a checksum.
    case zstd
    /// `.sha256`: nothing of the text but its digest, as `sha256sum` writes it.
    case digest

    /// What a file's name ends in.
    var suffix: String {
        switch self {
        case .none: ""
        case .gzip: ".gz"
        case .zstd: ".zst"
        case .digest: ".sha256"
        }
    }

    /// Packs what goes to a sink.
    ///
    /// - Parameter name: The name of the text's file, without the suffix of its packing.
    package func sink(into sink: any ByteSink, named name: String) -> any ByteSink {
        switch self {
        case .none: sink
        case .gzip: GzipSink(into: sink)
        case .zstd: ZstdSink(into: sink)
        case .digest: DigestSink(into: sink, named: name)
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

/// Keeps nothing of what comes but its SHA-256, which is one line in the end: `sha256sum -c` checks by it the file of
/// that name that another run wrote.
private final class DigestSink: ByteSink {
    private let sink: any ByteSink
    private let name: String
    private var digest = SHA256.Running()

    init(into sink: any ByteSink, named name: String) {
        self.sink = sink
        self.name = name
    }

    /// The text's, so that parts end where those of the text do.
    var size: Int { digest.count }
    var isPacking: Bool { false }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) { digest.update(bytes) }

    func finish() throws(FileFailure) {
        let line = WireBuffer("\(digest.hexadecimal)  \(name)\n")
        try line.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
        try sink.finish()
    }
}
