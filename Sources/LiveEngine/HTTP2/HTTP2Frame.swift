import NIOCore

/// The head of a frame (RFC 9113, 4.1).
struct HTTP2FrameHead: Hashable {
    static let size = 9
    /// The most bytes of a frame that either side takes unless it says otherwise (RFC 9113, 6.5.2).
    static let usualLimit = 16_384

    var length: Int
    var type: UInt8
    var flags: UInt8 = 0
    /// 0 for the connection itself.
    var stream: UInt32 = 0

    /// The kinds of frames (RFC 9113, 6).
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
        case continuation
    }

    /// `nil` for a kind that is not known, whose frames mean nothing (RFC 9113, 4.1).
    var kind: Kind? { Kind(rawValue: type) }

    /// Whether its frame is longer than we said we take.
    var isTooLong: Bool { length > HTTP2FrameHead.usualLimit }

    /// Whether it is no head at all, but the beginning of an answer in HTTP/1.x: `HTTP/`.
    var isOlderHTTP: Bool { length == 0x48_5454 && type == 0x50 && flags == 0x2F }

    /// What such a head means, for people.
    static let olderHTTP = "the server answers in HTTP/1.1"

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    static let acknowledges: UInt8 = 0x1
    static let endsStream: UInt8 = 0x1
    static let endsHeaders: UInt8 = 0x4
    static let isPadded: UInt8 = 0x8
    static let hasPriority: UInt8 = 0x20
}

extension HTTP2FrameHead {
    init(kind: Kind, length: Int, flags: UInt8 = 0, stream: UInt32 = 0) {
        self.init(length: length, type: kind.rawValue, flags: flags, stream: stream)
    }

    /// Reads a head; the reserved bit counts for nothing.
    ///
    /// - Precondition: there are ``size`` bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        type = bytes[3]
        flags = bytes[4]
        stream = bytes.bigEndian(at: 5) & 0x7FFF_FFFF
    }

    func write(into output: inout ByteBuffer) {
        output.writeInteger(UInt8(truncatingIfNeeded: length >> 16))
        output.writeInteger(UInt16(truncatingIfNeeded: length))
        output.writeInteger(type)
        output.writeInteger(flags)
        output.writeInteger(stream)
    }
}

extension UnsafeRawBufferPointer {
    /// Four bytes as a number, the highest first.
    func bigEndian(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}

/// What an error is called (RFC 9113, 7).
enum HTTP2ErrorCode: UInt32, CaseIterable {
    case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed
    case frameSizeError, refusedStream, cancel, compressionError, connectError, enhanceYourCalm
    case inadequateSecurity, http11Required

    /// As the RFC writes it.
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        }
    }

    /// The name of a code, known or not.
    static func name(of code: UInt32) -> String { HTTP2ErrorCode(rawValue: code)?.name ?? "error \(code)" }
}

/// The peer broke a rule that the whole connection rests on (RFC 9113, 5.4.1).
struct HTTP2ConnectionError: Error, Equatable {
    var code: HTTP2ErrorCode
    var reason: String
}

/// The settings that concern a client (RFC 9113, 6.5.2).
enum HTTP2Setting: UInt16 {
    case headerTableSize = 1
    case enablePush = 2
    case maxConcurrentStreams = 3
    case initialWindowSize = 4
    case maxFrameSize = 5

    /// The largest window (RFC 9113, 6.9.1).
    static let windowLimit = 0x7FFF_FFFF
    /// The window that both sides begin with.
    static let usualWindow = 65_535

    func write(_ value: UInt32, into output: inout ByteBuffer) {
        output.writeInteger(rawValue)
        output.writeInteger(value)
    }
}
