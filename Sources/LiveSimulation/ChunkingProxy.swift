package import NIOCore
package import Timebase

/// A proxy in front of a server, as far as its clients see one: the body of an answer comes in chunks
/// (`Transfer-Encoding: chunked`) in the place of a length, each of a size of its own.
///
/// It reads what NIO's encoder writes: the head of an answer in one write, then its body. An answer without a length
/// goes through as it is, and so does what ends before its length: there the last chunk never comes.
package final class ChunkingProxy: ChannelOutboundHandler {
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var random: RandomStream
    private let sizes: ClosedRange<Int>
    /// Bytes of the present answer's body that are still to come.
    private var remaining = 0

    /// - Parameter sizes: Of a chunk, in bytes, 1 or more.
    package init(sizes: ClosedRange<Int>, random: RandomStream) {
        self.sizes = sizes
        self.random = random
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = unwrapOutboundIn(data)
        var output = context.channel.allocator.buffer(capacity: bytes.readableBytes + 64)
        if remaining == 0, let head = ChunkingProxy.head(of: &bytes) {
            output.writeString(head.text)
            remaining = head.length
            if remaining == 0 { output.writeString(ChunkingProxy.end) }
        }
        while remaining > 0, bytes.readableBytes > 0 {
            let size = sizes.lowerBound + Int(random.below(UInt64(sizes.count)))
            guard var chunk = bytes.readSlice(length: min(size, remaining, bytes.readableBytes)) else {
                break
            }
            remaining -= chunk.readableBytes
            output.writeString(String(chunk.readableBytes, radix: 16) + "\r\n")
            output.writeBuffer(&chunk)
            // What ends a chunk may come apart from it.
            if random.chance(0.3) {
                context.write(wrapOutboundOut(output), promise: nil)
                output = context.channel.allocator.buffer(capacity: 64)
            }
            output.writeString(remaining == 0 ? "\r\n" + ChunkingProxy.end : "\r\n")
        }
        output.writeBuffer(&bytes)
        context.write(wrapOutboundOut(output), promise: promise)
    }

    private static let end = "0\r\n\r\n"

    /// Takes the head of an answer that has a length, as it reads with chunks.
    private static func head(of bytes: inout ByteBuffer) -> (text: String, length: Int)? {
        let text = String(buffer: bytes)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        var lines = text[..<end.lowerBound].split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { $0.hasPrefix("content-length: ") }),
            let length = Int(lines[index].dropFirst("content-length: ".count))
        else { return nil }
        lines[index] = "transfer-encoding: chunked"
        bytes.moveReaderIndex(forwardBy: text[..<end.upperBound].utf8.count)
        return (lines.joined(separator: "\r\n") + "\r\n\r\n", length)
    }
}
