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
        HTTP2FrameHead(kind: .settings, length: 0, flags: HTTP2FrameHead.acknowledges)
            .write(into: &outgoing)
        pump()
        if peer.streams != streamsBefore { user.limitChanged() }
    }

    private func set(_ setting: HTTP2Setting, to value: Int) throws(HTTP2ConnectionError) {
        switch setting {
        case .headerTableSize: encoder.setLimit(value)
        case .enablePush:
            guard value <= 1 else { throw wrong("ENABLE_PUSH of \(value)") }
        case .maxConcurrentStreams: peer.streams = value
        case .initialWindowSize:
            guard value <= HTTP2Setting.windowLimit else {
                throw HTTP2ConnectionError(code: .flowControlError, reason: "a window of \(value)")
            }
            let change = value - peer.window
            peer.window = value
            // In the order of opening, so that the same frames give the same bytes.
            for id in streams.keys.sorted() { try widen(id, by: change) }
        case .maxFrameSize:
            guard (HTTP2FrameHead.usualLimit...0xFF_FFFF).contains(value) else {
                throw wrong("frames of \(value) bytes")
            }
            peer.frame = value
        }
    }

    private func widen(_ id: UInt32, by change: Int) throws(HTTP2ConnectionError) {
        guard let stream = streams[id] else { return }
        stream.sendWindow += change
        guard stream.sendWindow <= HTTP2Setting.windowLimit else {
            throw HTTP2ConnectionError(code: .flowControlError, reason: "a window above 2^31 - 1")
        }
        windowGrew(stream)
    }

    func takePing(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw wrong("PING on stream \(head.stream)") }
        try check(payload, is: 8, "PING")
        guard !head.has(HTTP2FrameHead.acknowledges) else { return }
        HTTP2FrameHead(kind: .ping, length: 8, flags: HTTP2FrameHead.acknowledges).write(into: &outgoing)
        outgoing.writeBytes(payload)
    }

    func takeGoAway(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw wrong("GOAWAY on stream \(head.stream)") }
        guard payload.count >= 8 else {
            throw HTTP2ConnectionError(code: .frameSizeError, reason: "GOAWAY of \(payload.count) bytes")
        }
        let last = payload.bigEndian(at: 0) & 0x7FFF_FFFF
        let code = HTTP2ErrorCode.name(of: payload.bigEndian(at: 4))
        lastAnswered = min(last, lastAnswered ?? last)
        // What the peer has not looked at, and never will (RFC 9113, 6.8).
        for id in streams.keys.sorted() where id > last {
            guard let stream = streams[id] else { continue }
            stream.garbage = Array("HTTP/2: GOAWAY, \(code)".utf8)
            forget(stream)
            user.failed(stream, .streamRefused)
        }
        user.limitChanged()
    }

    func takeWindowUpdate(
        _ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2ConnectionError) {
        try check(payload, is: 4, "WINDOW_UPDATE")
        let size = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard head.stream == 0 || head.stream % 2 == 1 && head.stream < nextID else {
            throw wrong("WINDOW_UPDATE on stream \(head.stream), which was never opened")
        }
        guard size > 0 else { throw wrong("WINDOW_UPDATE of 0") }
        if head.stream == 0 {
            sendWindow += size
            guard sendWindow <= HTTP2Setting.windowLimit else {
                throw HTTP2ConnectionError(code: .flowControlError, reason: "a window above 2^31 - 1")
            }
        } else {
            try widen(head.stream, by: size)
        }
        pump()
    }
}
