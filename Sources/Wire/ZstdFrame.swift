import CZstd

/// Whole frames of Zstandard that hold their size, as ``ZstdEncoder/compress(_:into:)`` makes them.
package enum ZstdFrame {
    /// What a frame holds.
    ///
    /// - Parameter limit: The most bytes that it may hold.
    /// - Returns: `nil` for what is no frame, one that was cut or changed, or one that holds more.
    package static func content(of frame: [UInt8], limit: Int) -> [UInt8]? {
        let size = ZSTD_getFrameContentSize(frame, frame.count)
        // The two greatest numbers stand for an unknown size and for an error.
        guard size <= UInt64(limit) else { return nil }
        let count = Int(size)
        let content = [UInt8](unsafeUninitializedCapacity: count) { memory, written in
            let result = ZSTD_decompress(memory.baseAddress, count, frame, frame.count)
            written = ZSTD_isError(result) == 0 ? result : 0
        }
        return content.count == count ? content : nil
    }
}
