import CZstd
import Testing
import Timebase

@testable import Wire

@Suite("Zstandard")
struct ZstdTests {
    /// By libzstd's own decompressor.
    private func unpack(_ packed: WireBuffer, limit: Int) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: limit)
        let size = packed.withUnsafeBytes { ZSTD_decompress(&content, limit, $0.baseAddress, $0.count) }
        return ZSTD_isError(size) == 0 ? Array(content.prefix(size)) : nil
    }

    @Test("A frame, or a stream of chunks, unpacks to what went in", arguments: 0..<20)
    func roundTrip(seed: Int) {
        var stream = RandomStream(key: UInt64(seed))
        let encoder = ZstdEncoder(level: 1 + Int(stream.below(6)), hasChecksum: true)
        let content = (0..<stream.below(60_000)).map { _ in UInt8(stream.below(20)) }
        var whole = WireBuffer("")
        content.withUnsafeBytes { encoder.compress($0, into: &whole) }
        #expect(unpack(whole, limit: 1 << 16) == content)
        var chunks = WireBuffer()
        var at = 0
        while at < content.count {
            let end = min(content.count, at + Int(stream.below(20_000)))
            content[at..<end].withUnsafeBytes { encoder.stream($0, isLast: false, into: &chunks) }
            at = end
        }
        encoder.stream(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, into: &chunks)
        #expect(unpack(chunks, limit: 1 << 16) == content)
        #expect(content.count < 1000 || chunks.count < content.count)
        var again = WireBuffer()
        content.withUnsafeBytes { encoder.compress($0, into: &again) }
        #expect(again == whole)
    }
}
