import DeviceSDK
import NIOCore
import Wire

// MARK: - What a client says

extension HTTP2Session {
    /// Writes a request, as far as the windows let its body go.
    ///
    /// - Precondition: ``hasRoom``.
    func send(
        _ head: RequestHead, body: WireBuffer, to endpoint: Endpoint, on stream: HTTP2Stream,
        wants: AnswerWants
    ) {
        enter(stream, wants: wants)
        let hasBody = head.method.hasBody && !body.isEmpty
        let begun = outgoing.writerIndex
        writeHeaders(head, bodyCount: body.count, to: endpoint, stream: stream.id, endsStream: !hasBody)
        stream.sentBytes = outgoing.writerIndex - begun
        guard hasBody else { return }
        body.withUnsafeBytes { bytes in
            let count = writeData(bytes, on: stream)
            if count < bytes.count {
                stream.unsent.writeBytes(bytes[count...])
                wait(stream)
            }
        }
    }

    /// Writes a part of a request and breaks it off.
    func send(
        _ head: RequestHead, half body: WireBuffer, to endpoint: Endpoint, on stream: HTTP2Stream
    ) {
        enter(stream, wants: AnswerWants())
        let begun = outgoing.writerIndex
        writeHeaders(head, bodyCount: body.count, to: endpoint, stream: stream.id, endsStream: false)
        body.withUnsafeBytes { bytes in
            _ = writeData(bytes, on: stream, limit: bytes.count / 2)
        }
        stream.sentBytes = outgoing.writerIndex - begun
        cancel(stream)
    }

    /// Tells the peer that nobody waits for an answer any more.
    func cancel(_ stream: HTTP2Stream) {
        guard stream.id != 0 else { return }
        writeReset(stream.id, .cancel)
        forget(stream)
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        HTTP2FrameHead(kind: .resetStream, length: 4, stream: stream).write(into: &outgoing)
        outgoing.writeInteger(code.rawValue)
    }

    func writeWindowUpdate(_ size: Int, stream: UInt32) {
        HTTP2FrameHead(kind: .windowUpdate, length: 4, stream: stream).write(into: &outgoing)
        outgoing.writeInteger(UInt32(size))
    }

    /// Says that the connection ends here. The peer opens no streams, so the last of them is 0.
    func writeGoAway(_ code: HTTP2ErrorCode) {
        HTTP2FrameHead(kind: .goAway, length: 8).write(into: &outgoing)
        outgoing.writeInteger(UInt32(0))
        outgoing.writeInteger(code.rawValue)
    }
}

// MARK: - Heads

extension HTTP2Session {
    private func writeHeaders(
        _ head: RequestHead, bodyCount: Int, to endpoint: Endpoint, stream: UInt32, endsStream: Bool
    ) {
        let begun = outgoing.writerIndex
        let flags = HTTP2FrameHead.endsHeaders | (endsStream ? HTTP2FrameHead.endsStream : 0)
        HTTP2FrameHead(kind: .headers, length: 0, flags: flags, stream: stream).write(into: &outgoing)
        encoder.begin(into: &outgoing)
        writeFields(head, bodyCount: bodyCount, to: endpoint)
        let length = outgoing.writerIndex - begun - HTTP2FrameHead.size
        if length <= peer.frame {
            outgoing.setInteger(UInt8(truncatingIfNeeded: length >> 16), at: begun)
            outgoing.setInteger(UInt16(truncatingIfNeeded: length), at: begun + 1)
        } else {
            split(from: begun, flags: flags, stream: stream)
        }
    }

    /// `:method`, `:scheme`, `:path`, `:authority`: in this order in Apple's clients; then the SDK's own.
    private func writeFields(_ head: RequestHead, bodyCount: Int, to endpoint: Endpoint) {
        switch head.method {
        case .get: encoder.write(known: 2, into: &outgoing)
        case .post: encoder.write(known: 3, into: &outgoing)
        case .put:
            var method = head.method.rawValue
            method.withUTF8 { encoder.write(passing: UnsafeRawBufferPointer($0), name: 2, into: &outgoing) }
        }
        encoder.write(known: endpoint.tls == nil ? 6 : 7, into: &outgoing)
        var path = head.path
        path.withUTF8 { encoder.write(passing: UnsafeRawBufferPointer($0), name: 4, into: &outgoing) }
        endpoint.withAuthority { encoder.write($0, $1, into: &outgoing) }
        var lines = head.headerLines
        lines.withUTF8 { writeLines(UnsafeRawBufferPointer($0)) }
        if head.method.hasBody { writeLength(bodyCount) }
    }

    /// `Name: value`, CR LF, and so on.
    private func writeLines(_ lines: UnsafeRawBufferPointer) {
        var rest = lines
        while !rest.isEmpty {
            let end = ResponseParser.offset(of: 0x0A, in: rest) ?? rest.count
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, end + 1)...])
            guard let colon = ResponseParser.offset(of: 0x3A, in: line) else { continue }
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
            var value = ResponseParser.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
            if value.last == 0x0D {
                value = ResponseParser.trimmed(UnsafeRawBufferPointer(rebasing: value.dropLast()))
            }
            encoder.write(name, value, into: &outgoing)
        }
    }

    private func writeLength(_ count: Int) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var first = digits.count
            var rest = count
            repeat {
                first -= 1
                digits[first] = UInt8(0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            let text = UnsafeRawBufferPointer(rebasing: digits[first...])
            encoder.write(passing: text, name: 28, into: &outgoing)
        }
    }

    /// Writes a block that is too long for one frame as several (RFC 9113, 4.3).
    private func split(from begun: Int, flags: UInt8, stream: UInt32) {
        let block = outgoing.getBytes(
            at: begun + HTTP2FrameHead.size, length: outgoing.writerIndex - begun - HTTP2FrameHead.size)
        guard let block else { return }
        outgoing.moveWriterIndex(to: begun)
        var offset = 0
        while offset < block.count {
            let end = min(block.count, offset + peer.frame)
            var own = flags & ~HTTP2FrameHead.endsHeaders
            if end == block.count { own |= HTTP2FrameHead.endsHeaders }
            if offset > 0 { own &= ~HTTP2FrameHead.endsStream }
            HTTP2FrameHead(
                kind: offset == 0 ? .headers : .continuation, length: end - offset, flags: own, stream: stream
            ).write(into: &outgoing)
            outgoing.writeBytes(block[offset..<end])
            offset = end
        }
    }
}

// MARK: - Bodies

extension HTTP2Session {
    /// Writes as much of a body as the windows let go, the end of the stream with its last byte.
    ///
    /// - Parameter limit: The most to write; with less than all of it the stream stays open.
    /// - Returns: how many bytes.
    private func writeData(
        _ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream, limit: Int = .max
    ) -> Int {
        var offset = 0
        while offset < min(bytes.count, limit) {
            let room = min(peer.frame, sendWindow, stream.sendWindow, limit - offset)
            guard room > 0 else { break }
            let end = min(bytes.count, offset + room)
            HTTP2FrameHead(
                kind: .data, length: end - offset, flags: end == bytes.count ? HTTP2FrameHead.endsStream : 0,
                stream: stream.id
            ).write(into: &outgoing)
            outgoing.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            sendWindow -= end - offset
            stream.sendWindow -= end - offset
            stream.sentBytes += HTTP2FrameHead.size + end - offset
            offset = end
        }
        return offset
    }

    /// Puts a stream in the line of those that wait for a window.
    private func wait(_ stream: HTTP2Stream) {
        guard !stream.isInLine else { return }
        stream.isInLine = true
        line.append(stream.id)
    }

    /// Lets the bodies that wait go on, each for a frame at a time, as far as there is room.
    func pump() {
        var turns = line.count
        while turns > 0, sendWindow > 0, let id = line.popFirst() {
            turns -= 1
            guard let stream = streams[id] else { continue }
            stream.isInLine = false
            guard stream.sendWindow > 0 else { continue }
            let written = stream.unsent.withUnsafeReadableBytes {
                writeData($0, on: stream, limit: peer.frame)
            }
            stream.unsent.moveReaderIndex(forwardBy: written)
            if stream.isSent {
                stream.unsent = ByteBuffer()
                user.sent(stream)
            } else if stream.sendWindow > 0 {
                wait(stream)
                turns += 1
            }
        }
    }

    /// A stream's own window grew.
    func windowGrew(_ stream: HTTP2Stream) {
        if !stream.isSent, stream.sendWindow > 0 { wait(stream) }
    }
}
