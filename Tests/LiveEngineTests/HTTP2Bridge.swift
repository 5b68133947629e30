import NIOCore

@testable import LiveEngine

/// A proxy in front of a server of HTTP/1.1, as far as its clients see one: it speaks HTTP/2 with them, and hands the
/// server one request after the other.
///
/// Answers are read as ``ResponseParser`` does, and requests as ``HPACKDecoder`` does: what those two get wrong, others
/// have to find. No request waits for another stream's window, for answers are small.
final class HTTP2Bridge: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Request {
        var stream: UInt32
        var text: [UInt8] = []
        var body: [UInt8] = []
    }

    /// Streams at once that it takes.
    private let limit: UInt32
    private var preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)[...]
    private var reader = HTTP2FrameReader()
    private var decoder = HPACKDecoder()
    private var open: [UInt32: Request] = [:]
    private var line: [Request] = []
    private var active: UInt32?
    private var parser = ResponseParser()

    init(limit: UInt32) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
        var said = ByteBuffer()
        HTTP2FrameHead(kind: .settings, length: 6).write(into: &said)
        HTTP2Setting.maxConcurrentStreams.write(limit, into: &said)
        context.writeAndFlush(wrapOutboundOut(said), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        while let wanted = preface.first, let byte = input.readInteger(as: UInt8.self) {
            precondition(byte == wanted, "no preface")
            preface = preface.dropFirst()
        }
        input.withUnsafeReadableBytes { bytes in
            try? reader.consume(bytes) { (head, payload) throws(HTTP2ConnectionError) -> Bool in
                self.take(head, payload, context)
                return true
            }
        }
        serve(context)
    }

    private func take(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer, _ context: ChannelHandlerContext
    ) {
        switch head.kind {
        case .settings where !head.has(HTTP2FrameHead.acknowledges):
            say(HTTP2FrameHead(kind: .settings, length: 0, flags: 1), [], context)
        case .headers: open[head.stream] = Request(stream: head.stream, text: Array(text(of: payload).utf8))
        case .data:
            open[head.stream]?.body += payload
            if !payload.isEmpty {
                let size = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) }
                say(HTTP2FrameHead(kind: .windowUpdate, length: 4), size, context)
                say(HTTP2FrameHead(kind: .windowUpdate, length: 4, stream: head.stream), size, context)
            }
        case .resetStream:
            open[head.stream] = nil
            line.removeAll { $0.stream == head.stream }
        default: break
        }
        let endsStream = (head.kind == .headers || head.kind == .data) && head.has(HTTP2FrameHead.endsStream)
        if endsStream, let whole = open.removeValue(forKey: head.stream) { line.append(whole) }
    }

    /// A request's head as HTTP/1.1 has it.
    private func text(of block: UnsafeRawBufferPointer) -> String {
        var pseudo: [String: String] = [:]
        var lines = ""
        try? decoder.decode(block) { name, value in
            let (name, value) = (
                String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)
            )
            if name.hasPrefix(":") { pseudo[name] = value } else { lines += "\(name): \(value)\r\n" }
        }
        return "\(pseudo[":method"] ?? "") \(pseudo[":path"] ?? "") HTTP/1.1\r\n"
            + "host: \(pseudo[":authority"] ?? "")\r\n\(lines)\r\n"
    }

    private func serve(_ context: ChannelHandlerContext) {
        guard active == nil, !line.isEmpty else { return }
        let next = line.removeFirst()
        active = next.stream
        parser.begin(keepsBody: true, keepsSample: true)
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: next.text + next.body)))
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        _ = bytes.withUnsafeReadableBytes { parser.consume($0) }
        guard parser.state == .complete, let stream = active else {
            promise?.succeed(())
            return
        }
        active = nil
        answer(stream, context)
        promise?.succeed(())
        serve(context)
    }

    /// Literals that nobody enters into a table.
    private func answer(_ stream: UInt32, _ context: ChannelHandlerContext) {
        var block: [UInt8] = [0x08, 3] + Array(String(parser.status).utf8)
        for line in String(decoding: parser.sampleHead, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            guard name != "connection", name != "transfer-encoding", value.utf8.count < 127 else { continue }
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        let body = parser.body
        let flags: UInt8 = body.isEmpty ? 5 : 4
        say(HTTP2FrameHead(kind: .headers, length: block.count, flags: flags, stream: stream), block, context)
        for start in stride(from: 0, to: body.count, by: 9000) {
            let data = body[start..<min(body.count, start + 9000)]
            let isLast = data.endIndex == body.count
            say(
                HTTP2FrameHead(kind: .data, length: data.count, flags: isLast ? 1 : 0, stream: stream),
                Array(data), context)
        }
        // The server closes after this answer: what came after it is not looked at.
        guard !parser.keepsAlive else { return }
        line = []
        let last = (0..<4).map { UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * $0)) }
        say(HTTP2FrameHead(kind: .goAway, length: 8), last + [0, 0, 0, 0], context)
    }

    private func say(_ head: HTTP2FrameHead, _ payload: [UInt8], _ context: ChannelHandlerContext) {
        var said = ByteBuffer()
        head.write(into: &said)
        said.writeBytes(payload)
        context.writeAndFlush(wrapOutboundOut(said), promise: nil)
    }
}
