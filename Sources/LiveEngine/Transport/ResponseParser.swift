package import Timebase

/// Reads one HTTP/1.x answer after the other from whatever reads the network delivers (RFC 9112).
///
/// A state machine over raw bytes. It works in place and allocates only where a line is split over
/// two reads, or where the body is to be kept. It understands what a client needs to know: the
/// status, how long the body is, and whether the connection may be used again.
///
/// Tolerated, as RFC 9112 section 2.2 allows: a bare LF as the end of a line, and empty lines before the
/// status line. A field that goes on in the next line is read with spaces in the place of the fold, as
/// section 5.2 asks for. Not tolerated: white space in or before a field's name, differing lengths, chunks
/// without a size.
package struct ResponseParser {
    /// Where in an answer the parser is.
    package enum State: UInt8, Sendable {
        case statusLine, fields, fixedBody, bodyToClose, chunkSize, chunkData, chunkEnd, trailers
        case complete, malformed
    }

    /// The most bytes of status lines, fields and trailers together, and of a chunk's size line.
    static let headLimit = 64 * 1024
    /// The most bytes of a body that is kept.
    static let bodyLimit = 8 * 1024 * 1024
    /// The most bytes of an unexpected answer's head and of its body that are kept as a sample.
    static let sampleLimit = 2048

    package internal(set) var state = State.statusLine
    /// The status; 0 until the status line of a final answer was read.
    package internal(set) var status: UInt16 = 0
    /// Whether the connection may carry another request after this answer.
    package internal(set) var keepsAlive = true
    /// What the answer's `Retry-After` asks for.
    package internal(set) var retryAfter: RetryAfter?
    /// The value of `Content-Type`, where the body is wanted; else empty.
    package internal(set) var contentType = ""
    /// What the answer's `Date` says, where it is wanted.
    package internal(set) var date: Instant?
    /// Bytes of this answer so far, heads included.
    var received = 0
    /// The body, where ``begin(keepsBody:keepsSample:keepsDate:)`` asked for it; unpacked once the answer is complete.
    package internal(set) var body: [UInt8] = []
    /// Fields of an answer, as they came, where a sample was asked for.
    var sampleHead: [UInt8] = []
    /// The first bytes of such an answer's body.
    var sampleBody: [UInt8] = []
    /// The first bytes of such an answer as they came, unless it was whole within one read: should it turn out to be
    /// malformed, they are what there is to show.
    private(set) var sampleBytes: [UInt8] = []

    var keepsBody = false
    var keepsSample = false
    var keepsDate = false
    var isVersion10 = false
    var isChunked = false
    /// Whether there is such a field, and whether one names a coding.
    var hasTransferEncoding = false
    var hasCoding = false
    /// How the body is packed, where it is wanted.
    var packing = BodyPacking.none
    var saysClose = false
    var length: Int?
    var remaining = 0
    /// The rule that a malformed answer breaks.
    private(set) var breach: AnswerBreach?
    private var headBytes = 0
    private var partial: [UInt8] = []
    /// Whether ``partial`` is a field that the next line may go on with: its first byte will tell.
    private var holdsField = false
    /// Whether what comes next is the white space before the rest of a field.
    private var isInFold = false

    /// Makes a parser that waits for the answer to a first request.
    package init() {}

    /// Prepares for the answer to the next request.
    ///
    /// - Parameters:
    ///   - keepsBody: Whether the body is wanted, at most ``bodyLimit`` bytes, packed and unpacked; else it is counted only.
    ///   - keepsSample: Whether the answer's first bytes are wanted: whether it is one to be shown is known only
    ///     later.
    ///   - keepsDate: Whether the server's clock is wanted.
    package mutating func begin(keepsBody: Bool, keepsSample: Bool, keepsDate: Bool = false) {
        self.keepsBody = keepsBody
        self.keepsSample = keepsSample
        self.keepsDate = keepsDate
        state = .statusLine
        breach = nil
        received = 0
        headBytes = 0
        if !body.isEmpty { body = [] }
        ResponseParser.empty(&sampleHead)
        ResponseParser.empty(&sampleBody)
        ResponseParser.empty(&sampleBytes)
        if !partial.isEmpty { partial.removeAll(keepingCapacity: true) }
        (holdsField, isInFold) = (false, false)
        forgetHead()
    }

    /// Forgets what the head said so far: a new answer, or the final one after a 1xx.
    mutating func forgetHead() {
        status = 0
        keepsAlive = true
        isVersion10 = false
        isChunked = false
        hasTransferEncoding = false
        hasCoding = false
        packing = .none
        saysClose = false
        retryAfter = nil
        date = nil
        if !contentType.isEmpty { contentType = "" }
        length = nil
        remaining = 0
    }

    /// The answer breaks a rule. The first that it breaks is the one that is told.
    mutating func refuse(_ broken: AnswerBreach) {
        if breach == nil { breach = broken }
        state = .malformed
    }

    /// Whether the answer has come to an end, good or bad.
    package var isFinished: Bool { state == .complete || state == .malformed }

    /// Whether a line has begun that cannot become a status line.
    var hasImpossibleStatusLine: Bool {
        state == .statusLine && !zip(partial, "HTTP/1.".utf8).allSatisfy { $0 == $1 }
    }

    /// Takes in what arrived.
    ///
    /// - Returns: How many bytes belong to the answer; fewer than there are only when it is finished.
    /// - Complexity: O(bytes).
    package mutating func consume(_ input: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < input.count && !isFinished {
            switch state {
            case .fixedBody, .chunkData:
                let count = min(remaining, input.count - index)
                keep(UnsafeRawBufferPointer(rebasing: input[index..<index + count]))
                index += count
                remaining -= count
                if remaining == 0 && state != .malformed {
                    if state == .fixedBody { complete() } else { state = .chunkEnd }
                    #if PLANTED
                        // The line's end after a chunk, where it comes with other bytes than the chunk.
                        if Planted.has(.parserOffByOne), state == .chunkEnd, index == input.count {
                            state = .chunkSize
                        }
                    #endif
                }
            case .bodyToClose:
                keep(UnsafeRawBufferPointer(rebasing: input[index...]))
                index = input.count
            default:
                index = consumeLine(input, from: index)
            }
        }
        received += index
        if keepsSample, state != .complete {
            sampleBytes.append(contentsOf: input.prefix(ResponseParser.sampleLimit - sampleBytes.count))
        }
        return index
    }

    /// The connection was closed in order: the end of an answer whose length only that tells.
    package mutating func close() {
        if holdsField { releaseField() }
        if state == .bodyToClose { complete() }
    }

    /// Gives the body away. A connection may wait long for its next request, and there are many: none keeps a body.
    mutating func takeBody() -> [UInt8] {
        let taken = body
        body = []
        return taken
    }

    mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        if keepsBody {
            guard body.count + bytes.count <= ResponseParser.bodyLimit else { return refuse(.tooLong) }
            body.append(contentsOf: bytes)
        }
        if keepsSample {
            sampleBody.append(contentsOf: bytes.prefix(ResponseParser.sampleLimit - sampleBody.count))
        }
    }

    /// Empties a sample; the memory of a short one is used again for each answer.
    private static func empty(_ sample: inout [UInt8]) {
        if sample.capacity > 512 { sample = [] } else { sample.removeAll(keepingCapacity: true) }
    }

    /// Reads up to the end of a line, and the line if it is whole.
    private mutating func consumeLine(_ input: UnsafeRawBufferPointer, from start: Int) -> Int {
        if holdsField {
            guard ResponseParser.isBlank(input[start]) else {
                releaseField()
                return start
            }
            (holdsField, isInFold) = (false, true)
            if partial.last == 0x0D { partial.removeLast() }
        }
        let rest = UnsafeRawBufferPointer(rebasing: input[start...])
        let end = ResponseParser.offset(of: 0x0A, in: rest)
        let length = end ?? rest.count
        // The LF counts with the read that brings it, so that it is all the same how a head is cut.
        if state != .chunkSize, state != .chunkEnd { headBytes += length + (end == nil ? 0 : 1) }
        guard headBytes <= ResponseParser.headLimit, partial.count + length <= ResponseParser.headLimit else {
            refuse(.headTooLong)
            return start + length
        }
        let line = unfolded(UnsafeRawBufferPointer(rebasing: rest[..<length]))
        guard end != nil else {
            partial.append(contentsOf: line)
            return input.count
        }
        isInFold = false
        let next = start + length + 1
        if mayGoOn(line, before: next < input.count ? input[next] : nil) {
            partial.append(contentsOf: line)
            holdsField = true
        } else if partial.isEmpty {
            handle(line: line)
        } else {
            handlePartial(with: line)
        }
        return next
    }

    /// Acts on a line whose beginning came before.
    private mutating func handlePartial(with rest: UnsafeRawBufferPointer) {
        // Taken out, so that the line may be read while the parser changes.
        var whole = partial
        partial = []
        whole.append(contentsOf: rest)
        whole.withUnsafeBytes { handle(line: $0) }
        whole.removeAll(keepingCapacity: true)
        partial = whole
    }

    /// Acts on the field that is held: it ends where it ended.
    private mutating func releaseField() {
        holdsField = false
        handlePartial(with: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Whether the next line may go on with this one.
    ///
    /// - Parameter next: The first byte of the next line; `nil` if it has not come.
    private func mayGoOn(_ line: UnsafeRawBufferPointer, before next: UInt8?) -> Bool {
        guard state == .fields, next.map(ResponseParser.isBlank) ?? true else { return false }
        // Nothing follows the empty line at the end of the fields.
        let count = partial.count + line.count
        return count > 1 || count == 1 && (partial.first ?? line.first) != 0x0D
    }

    /// Puts spaces in the place of the white space before the rest of a field, and gives what follows it.
    private mutating func unfolded(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard isInFold else { return line }
        var blanks = 0
        while blanks < line.count, ResponseParser.isBlank(line[blanks]) { blanks += 1 }
        partial.append(contentsOf: repeatElement(0x20, count: blanks))
        isInFold = blanks == line.count
        return UnsafeRawBufferPointer(rebasing: line[blanks...])
    }

    /// Acts on a line without its LF.
    private mutating func handle(line raw: UnsafeRawBufferPointer) {
        var line = raw
        if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        switch state {
        case .statusLine: readStatusLine(line)
        case .fields: line.isEmpty ? endHead() : readField(line)
        case .chunkSize: readChunkSize(line)
        case .chunkEnd: if line.isEmpty { state = .chunkSize } else { refuse(.chunkEnd) }
        case .trailers: if line.isEmpty { complete() }
        default: refuse(.statusLine)
        }
    }
}
