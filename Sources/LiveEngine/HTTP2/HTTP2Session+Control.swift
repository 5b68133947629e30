import NIOCore
import World

// MARK: - What the peer says of the connection

extension HTTP2Session {
    func check(
        _ payload: UnsafeRawBufferPointer, is size: Int, _ name: StaticString
    ) throws(HTTP2ConnectionError) {
        guard payload.count == size else {
            throw HTTP2ConnectionError(code: .frameSizeError, reason: "\(name) of \(payload.count) bytes")
        }
    }

    func takeSettings(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw wrong("SETTINGS on stream \(head.stream)") }
        if head.has(HTTP2FrameHead.acknowledges) { return try check(payload, is: 0, "SETTINGS") }
        guard payload.count % 6 == 0 else {
            throw HTTP2ConnectionError(
                code: .frameSizeError, reason: "SETTINGS of \(payload.count) bytes")
        }
        let streamsBefore = peer.streams
        if !hasSettings { peer.streams = .max }
        hasSettings = true
        for offset in stride(from: 0, to: payload.count, by: 6) {
            let id = UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1])
            guard let setting = HTTP2Setting(rawValue: id) else { continue }
            try set(setting, to: Int(payload.bigEndian(at: offset + 2)))
        }
        try noteReply()
        HTTP2FrameHead(kind: .settings, length: 0, flags: HTTP2FrameHead.acknowledges)
            .write(into: &outgoing)
        pump()
        if peer.streams != streamsBefore { limitHasChanged = true }
    }

    /// Counts a reply that the peer has asked for.
    private func noteReply() throws(HTTP2ConnectionError) {
        repliesInLine += 1
        guard repliesInLine > HTTP2Session.replyLimit else { return }
        throw HTTP2ConnectionError(
            code: .enhanceYourCalm,
            reason:
                "PING and SETTINGS from a server that does not take the replies to \(HTTP2Session.replyLimit) of them"
        )
    }

    private func set(_ setting: HTTP2Setting, to value: Int) throws(HTTP2ConnectionError) {
        switch setting {
        case .headerTableSize: encoder.setLimit(value)
        case .enablePush:
            // Pushes are a server's to make, and so nothing for it to switch on.
            guard value == 0 else { throw wrong("ENABLE_PUSH of \(value)") }
        case .maxConcurrentStreams: peer.streams = value
        case .initialWindowSize:
            guard value <= HTTP2Setting.windowLimit else {
                throw HTTP2ConnectionError(code: .flowControlError, reason: "a window of \(value)")
            }
            let change = value - peer.window
            peer.window = value
            // In the order of opening, so that the same frames give the same bytes.
            for id in streams.keys.sorted() {
                guard let stream = streams[id], !widen(stream, by: change) else { continue }
                throw HTTP2Session.windowTooWide
            }
        case .maxFrameSize:
            guard (HTTP2FrameHead.usualLimit...0xFF_FFFF).contains(value) else {
                throw wrong("frames of \(value) bytes")
            }
            peer.frame = value
        }
    }

    /// - Returns: `false`, and nothing has changed, if the window would be wider than any may be.
    private func widen(_ stream: HTTP2Stream, by change: Int) -> Bool {
        guard stream.sendWindow + change <= HTTP2Setting.windowLimit else { return false }
        stream.sendWindow += change
        windowGrew(stream)
        return true
    }

    /// What RFC 9113 (6.9.1) forbids.
    private static var windowTooWide: HTTP2ConnectionError {
        HTTP2ConnectionError(code: .flowControlError, reason: "a window above 2^31 - 1")
    }

    func takePing(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw wrong("PING on stream \(head.stream)") }
        try check(payload, is: 8, "PING")
        guard !head.has(HTTP2FrameHead.acknowledges) else { return }
        try noteReply()
        HTTP2FrameHead(kind: .ping, length: 8, flags: HTTP2FrameHead.acknowledges).write(into: &outgoing)
        outgoing.writeBytes(payload)
    }

    /// What a stream waits for makes no difference here. A frame of another size is an error of its stream alone (RFC 9113, 6.3),
    /// which may be one that is not open.
    func takePriority(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream != 0 else { throw wrong("PRIORITY on stream 0") }
        guard payload.count != 5, let stream = streams[head.stream] else { return }
        breakOff(stream, .frameSizeError, "PRIORITY of \(payload.count) bytes")
    }

    func takeGoAway(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw wrong("GOAWAY on stream \(head.stream)") }
        guard payload.count >= 8 else {
            throw HTTP2ConnectionError(code: .frameSizeError, reason: "GOAWAY of \(payload.count) bytes")
        }
        let last = payload.bigEndian(at: 0) & 0x7FFF_FFFF
        noteFarewell(payload.bigEndian(at: 4), payload[8...])
        lastAnswered = min(last, lastAnswered ?? last)
        // What the peer has not looked at, and never will (RFC 9113, 6.8).
        for id in streams.keys.sorted() where id > last {
            guard let stream = streams[id] else { continue }
            stream.garbage = farewell
            end(stream, with: .streamRefused)
        }
        limitHasChanged = true
    }

    /// Keeps why the peer leaves, and what it says beside the code (RFC 9113, 6.8), such as `too_many_pings`. It may say so
    /// twice, first how it will leave in order and then what really ends the connection, or the other way round: what is
    /// kept is the first error, or else the first with words, or else the first.
    private func noteFarewell(_ code: UInt32, _ words: Slice<UnsafeRawBufferPointer>) {
        let says: Farewell =
            code != HTTP2ErrorCode.noError.rawValue ? .error : words.isEmpty ? .bare : .words
        guard says.rawValue > (farewellSays?.rawValue ?? -1) else { return }
        farewellSays = says
        farewell = Array("HTTP/2: GOAWAY, \(HTTP2ErrorCode.name(of: code))".utf8)
        guard !words.isEmpty else { return }
        farewell += Array(": ".utf8) + words.prefix(HTTP2Session.farewellLimit)
    }

    func takeWindowUpdate(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        try check(payload, is: 4, "WINDOW_UPDATE")
        let size = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard head.stream == 0 || head.stream % 2 == 1 && head.stream < nextID else {
            throw wrong("WINDOW_UPDATE on stream \(head.stream), which was never opened")
        }
        if head.stream == 0 {
            guard size > 0 else { throw wrong("WINDOW_UPDATE of 0") }
            sendWindow += size
            guard sendWindow <= HTTP2Setting.windowLimit else { throw HTTP2Session.windowTooWide }
        } else if let stream = streams[head.stream] {
            grow(stream, by: size)
        }
        pump()
    }

    /// A peer that breaks the rules of one stream's window ends that stream alone (RFC 9113, 6.9 and 6.9.1).
    private func grow(_ stream: HTTP2Stream, by size: Int) {
        if size == 0 {
            breakOff(stream, .protocolError, "WINDOW_UPDATE of 0")
        } else if !widen(stream, by: size) {
            let error = HTTP2Session.windowTooWide
            breakOff(stream, error.code, error.reason)
        }
    }
}
