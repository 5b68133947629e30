extension UnsafeRawBufferPointer {
    /// Without control characters and blanks at its ends.
    package var trimmed: UnsafeRawBufferPointer { trimmed { $0 <= 0x20 } }

    /// Without the bytes at its ends that count as blank.
    package func trimmed(_ isBlank: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, isBlank(self[start]) { start += 1 }
        while end > start, isBlank(self[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
