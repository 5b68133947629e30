/// Cuts what the network delivers into whole frames.
///
/// It works in place, and copies only what a frame's end is still missing of.
struct HTTP2FrameReader {
    /// The beginning of a frame.
    private var partial: [UInt8] = []

    /// Takes in what arrived.
    ///
    /// - Parameter frame: Gets each whole frame in turn, and says whether to go on; the bytes are valid during the call
    ///   only.
    /// - Throws: what `frame` throws, `FRAME_SIZE_ERROR` for a frame that is longer than we said we take, and
    ///   `PROTOCOL_ERROR` for an answer in HTTP/1.x, which would be read as such a frame.
    /// - Complexity: O(bytes).
    mutating func consume(
        _ input: UnsafeRawBufferPointer,
        _ frame: (HTTP2FrameHead, UnsafeRawBufferPointer) throws(HTTP2ConnectionError) -> Bool
    ) throws(HTTP2ConnectionError) {
        var rest = input
        while !rest.isEmpty {
            if partial.isEmpty {
                guard let whole = try HTTP2FrameReader.whole(rest) else {
                    partial.append(contentsOf: rest)
                    return
                }
                guard try frame(whole.head, whole.payload) else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[(HTTP2FrameHead.size + whole.head.length)...])
            } else {
                guard try completePartial(&rest) else { return }
                // Taken out, so that the reader may be used while the frame is read.
                let bytes = partial
                partial = []
                let goesOn = try HTTP2FrameReader.hand(bytes, to: frame)
                if bytes.count <= 1024 {
                    partial = bytes
                    partial.removeAll(keepingCapacity: true)
                }
                guard goesOn else { return }
            }
        }
    }

    private static func hand(
        _ bytes: [UInt8],
        to frame: (HTTP2FrameHead, UnsafeRawBufferPointer) throws(HTTP2ConnectionError) -> Bool
    ) throws(HTTP2ConnectionError) -> Bool {
        try bytes.withUnsafeBufferPointer { (bytes) throws(HTTP2ConnectionError) -> Bool in
            guard let whole = try whole(UnsafeRawBufferPointer(bytes)) else { return true }
            return try frame(whole.head, whole.payload)
        }
    }

    /// Takes from the front of what arrived what the frame that was begun is missing.
    ///
    /// - Returns: whether it is whole now.
    private mutating func completePartial(
        _ rest: inout UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) -> Bool {
        take(HTTP2FrameHead.size, from: &rest)
        guard partial.count >= HTTP2FrameHead.size else { return false }
        let head = partial.withUnsafeBytes { HTTP2FrameHead($0) }
        try HTTP2FrameReader.check(head)
        take(HTTP2FrameHead.size + head.length, from: &rest)
        return partial.count == HTTP2FrameHead.size + head.length
    }

    /// Fills up what was begun to a number of bytes, as far as there are any.
    private mutating func take(_ count: Int, from rest: inout UnsafeRawBufferPointer) {
        let missing = min(max(0, count - partial.count), rest.count)
        partial.append(contentsOf: rest[..<missing])
        rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
    }

    /// The frame that bytes begin with; `nil` if it is not whole.
    private static func whole(
        _ bytes: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) -> (head: HTTP2FrameHead, payload: UnsafeRawBufferPointer)? {
        guard bytes.count >= HTTP2FrameHead.size else { return nil }
        let head = HTTP2FrameHead(bytes)
        try check(head)
        let end = HTTP2FrameHead.size + head.length
        guard bytes.count >= end else { return nil }
        return (head, UnsafeRawBufferPointer(rebasing: bytes[HTTP2FrameHead.size..<end]))
    }

    private static func check(_ head: HTTP2FrameHead) throws(HTTP2ConnectionError) {
        guard !head.isOlderHTTP else {
            throw HTTP2ConnectionError(code: .protocolError, reason: HTTP2FrameHead.olderHTTP)
        }
        guard head.length <= HTTP2FrameHead.usualLimit else {
            throw HTTP2ConnectionError(
                code: .frameSizeError, reason: "a frame of \(head.length) bytes")
        }
    }
}
