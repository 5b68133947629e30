import NIOCore
import World

// MARK: - What the peer says

extension HTTP2Session {
    /// Acts on a frame; of one that is too long a part is enough.
    func take(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer, at now: UInt64
    ) throws(HTTP2ConnectionError) {
        note(head, HTTP2FrameHead.size + payload.count, at: now)
        guard !head.isTooLong else {
            if head.isOlderHTTP { throw wrong(HTTP2FrameHead.olderHTTP) }
            throw HTTP2ConnectionError(code: .frameSizeError, reason: "a frame of \(head.length) bytes")
        }
        guard hasSettings || head.kind == .settings && !head.has(HTTP2FrameHead.acknowledges) else {
            throw wrong("the first frame is not SETTINGS: no HTTP/2 on this connection")
        }
        if let openBlock, head.kind != .continuation || head.stream != openBlock.stream {
            throw wrong("a frame between the parts of a block of fields")
        }
        switch head.kind {
        case .data: try takeData(head, payload)
        case .headers: try takeHeaders(head, payload)
        case .continuation: try takeContinuation(head, payload)
        case .resetStream: try takeReset(head, payload)
        case .settings: try takeSettings(head, payload)
        case .ping: try takePing(head, payload)
        case .goAway: try takeGoAway(head, payload)
        case .windowUpdate: try takeWindowUpdate(head, payload)
        case .pushPromise: throw wrong("PUSH_PROMISE, though pushes are switched off")
        case .priority: try takePriority(head, payload)
        case nil: break
        }
    }

    /// Counts the bytes of a frame that belongs to an answer, whatever rule it breaks, or that comes behind one in the
    /// same read.
    private func note(_ head: HTTP2FrameHead, _ bytes: Int, at now: UInt64) {
        switch head.kind {
        case .data, .headers, .continuation, .resetStream: break
        default: return
        }
        if let stream = streams[head.stream] {
            // How much is there of one that is too long depends on the read alone: no part of an answer.
            if head.isTooLong { stream.bytesBehind += bytes } else { stream.noteArrival(bytes, at: now) }
        } else if let ended = ended.last(where: { $0.id == head.stream }) {
            ended.stream.bytesBehind += bytes
        }
    }

    func wrong(_ reason: String) -> HTTP2ConnectionError {
        HTTP2ConnectionError(code: .protocolError, reason: reason)
    }

    /// The open stream that a frame is for; `nil` for one that has ended, whose last frames may still be on the way.
    private func stream(
        of head: HTTP2FrameHead, _ name: StaticString
    ) throws(HTTP2ConnectionError) -> HTTP2Stream? {
        guard head.stream % 2 == 1, head.stream < nextID else {
            throw wrong("\(name) on stream \(head.stream), which was never opened")
        }
        return streams[head.stream]
    }

    /// Ends a stream whose answer breaks the rules, and leaves the connection as it is (RFC 9113, 5.4.2).
    func breakOff(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode, _ reason: String) {
        stream.garbage = Array("HTTP/2: \(reason)".utf8)
        writeReset(stream.id, code)
        end(stream, with: .malformed)
    }

    // MARK: Answers

    private func takeData(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        let stream = try stream(of: head, "DATA")
        try consume(payload.count)
        let data = try unpadded(head, payload, skipping: 0)
        guard let stream else {
            if !data.isEmpty { noteBehindAnswer(head.stream) }
            return
        }
        stream.consumed += payload.count
        guard stream.consumed <= HTTP2Session.streamWindow else {
            throw HTTP2ConnectionError(code: .flowControlError, reason: "more than a stream's window")
        }
        stream.parser.takeData(data)
        if head.has(HTTP2FrameHead.endsStream) { stream.parser.endStream() }
        if !judge(stream), stream.consumed >= HTTP2Session.streamWindow / 2 {
            writeWindowUpdate(stream.consumed, stream: stream.id)
            stream.consumed = 0
        }
    }

    /// Counts an answer behind whose END_STREAM more comes. RFC 9113 (5.1) lets a connection end for that, but it does no harm;
    /// and what comes for a stream that ended in another way may have been on its way by then. A server that is mistaken in
    /// where an answer ends goes on at once: so the last one is enough to know.
    private func noteBehindAnswer(_ stream: UInt32) {
        guard stream == lastWhole else { return }
        lastWhole = 0
        overlongAnswers += 1
    }

    /// Counts bytes against the connection's window, and gives them back when half of it is used up.
    private func consume(_ count: Int) throws(HTTP2ConnectionError) {
        consumed += count
        guard consumed <= HTTP2Session.connectionWindow else {
            throw HTTP2ConnectionError(code: .flowControlError, reason: "more than the connection's window")
        }
        guard consumed >= HTTP2Session.connectionWindow / 2 else { return }
        writeWindowUpdate(consumed, stream: 0)
        consumed = 0
    }

    /// Tells the user if a stream's answer is whole or broken.
    ///
    /// - Returns: whether it is.
    private func judge(_ stream: HTTP2Stream) -> Bool {
        switch stream.parser.state {
        case .complete:
            // A server may answer before it has read everything; the rest is not wanted.
            if !stream.isSent { writeReset(stream.id, .noError) }
            lastWhole = stream.id
            end(stream, with: nil)
        case .malformed: breakOff(stream, .protocolError, stream.parser.breach?.words ?? "no answer of HTTP")
        default: return false
        }
        return true
    }

    private func unpadded(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer, skipping count: Int
    ) throws(HTTP2ConnectionError) -> UnsafeRawBufferPointer {
        let isPadded = head.has(HTTP2FrameHead.isPadded)
        let start = count + (isPadded ? 1 : 0)
        guard payload.count >= start else {
            throw HTTP2ConnectionError(code: .frameSizeError, reason: "a frame without its beginning")
        }
        let end = payload.count - (isPadded ? Int(payload[0]) : 0)
        guard end >= start else { throw wrong("more padding than frame") }
        return UnsafeRawBufferPointer(rebasing: payload[start..<end])
    }

    private func takeHeaders(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        let stream = try stream(of: head, "HEADERS")
        let block = try unpadded(head, payload, skipping: head.has(HTTP2FrameHead.hasPriority) ? 5 : 0)
        if stream == nil { noteBehindAnswer(head.stream) }
        let endsStream = head.has(HTTP2FrameHead.endsStream)
        guard head.has(HTTP2FrameHead.endsHeaders) else {
            openBlock = (head.stream, endsStream, Array(block))
            return
        }
        try takeBlock(block, of: stream, endsStream: endsStream)
    }

    private func takeContinuation(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard let known = openBlock else { throw wrong("CONTINUATION of nothing") }
        let stream = streams[head.stream]
        guard known.bytes.count + payload.count <= ResponseParser.headLimit else {
            throw HTTP2ConnectionError(code: .enhanceYourCalm, reason: "too many fields")
        }
        openBlock?.bytes += payload
        guard head.has(HTTP2FrameHead.endsHeaders) else { return }
        openBlock = nil
        let bytes = known.bytes + payload
        try bytes.withUnsafeBufferPointer { (block) throws(HTTP2ConnectionError) in
            try takeBlock(UnsafeRawBufferPointer(block), of: stream, endsStream: known.endsStream)
        }
    }

    /// Reads a whole block. One of a stream that has ended is read as well: the table goes on with it.
    private func takeBlock(
        _ block: UnsafeRawBufferPointer, of stream: HTTP2Stream?, endsStream: Bool
    ) throws(HTTP2ConnectionError) {
        stream?.parser.beginBlock(endsStream: endsStream)
        do throws(HPACKDecoder.Failure) {
            try decoder.decode(block) { name, value in stream?.parser.takeField(name, value) }
        } catch {
            throw HTTP2ConnectionError(code: .compressionError, reason: error.reason)
        }
        guard let stream else { return }
        stream.parser.endBlock()
        if endsStream { stream.parser.endStream() }
        _ = judge(stream)
    }

    private func takeReset(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        let stream = try stream(of: head, "RST_STREAM")
        try check(payload, is: 4, "RST_STREAM")
        guard let stream else { return }
        let code = payload.bigEndian(at: 0)
        stream.garbage = Array("HTTP/2: RST_STREAM, \(HTTP2ErrorCode.name(of: code))".utf8)
        let isRefused = code == HTTP2ErrorCode.refusedStream.rawValue
        end(stream, with: isRefused ? .streamRefused : .streamReset)
    }
}
