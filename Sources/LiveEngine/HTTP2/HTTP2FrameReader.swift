/// Cuts what the network delivers into whole frames.
///
/// It works in place, and copies only what a frame's end is still missing of.
struct HTTP2FrameReader {
    /// The beginning of a frame.
    private var partial: [UInt8] = []

    /// Takes in what arrived.
    ///
    /// - Parameter frame: Gets each whole frame in turn, and says whether to go on; the bytes are valid during the call
    ///   only. Of one that is too long (``HTTP2FrameHead/isTooLong``) it gets what came of it, and has to throw.
    /// - Throws: what `frame` throws.
    /// - Complexity: O(bytes).
    mutating func consume(
        _ input: UnsafeRawBufferPointer,
        _ frame: (HTTP2FrameHead, UnsafeRawBufferPointer) throws(HTTP2ConnectionError) -> Bool
    ) throws(HTTP2ConnectionError) {
        var rest = input
        while !rest.isEmpty {
            if partial.isEmpty {
                guard let whole = HTTP2FrameReader.whole(rest) else {
                    partial.append(contentsOf: rest)
                    return
                }
                guard try frame(whole.head, whole.payload) else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[(HTTP2FrameHead.size + whole.payload.count)...])
            } else {
                guard completePartial(&rest) else { return }
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
            guard let whole = whole(UnsafeRawBufferPointer(bytes)) else { return true }
            return try frame(whole.head, whole.payload)
        }
    }

    /// Takes from the front of what arrived what the frame that was begun is missing.
    ///
    /// - Returns: whether it is whole now, or never will be.
    private mutating func completePartial(_ rest: inout UnsafeRawBufferPointer) -> Bool {
        take(HTTP2FrameHead.size, from: &rest)
        guard partial.count >= HTTP2FrameHead.size else { return false }
        let head = partial.withUnsafeBytes { HTTP2FrameHead($0) }
        take(head.isTooLong ? .max : HTTP2FrameHead.size + head.length, from: &rest)
        return head.isTooLong || partial.count == HTTP2FrameHead.size + head.length
    }

    /// Fills up what was begun to a number of bytes, as far as there are any.
    private mutating func take(_ count: Int, from rest: inout UnsafeRawBufferPointer) {
        let missing = min(max(0, count - partial.count), rest.count)
        partial.append(contentsOf: rest[..<missing])
        rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
    }

    /// The frame that bytes begin with; `nil` if it is not whole and may become so.
    private static func whole(
        _ bytes: UnsafeRawBufferPointer
    ) -> (head: HTTP2FrameHead, payload: UnsafeRawBufferPointer)? {
        guard bytes.count >= HTTP2FrameHead.size else { return nil }
        let head = HTTP2FrameHead(bytes)
        let end = head.isTooLong ? bytes.count : HTTP2FrameHead.size + head.length
        guard bytes.count >= end else { return nil }
        return (head, UnsafeRawBufferPointer(rebasing: bytes[HTTP2FrameHead.size..<end]))
    }
}
