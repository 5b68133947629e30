import DeviceSDK
package import NIOCore
import Wire
import World

/// An HTTP/2 connection with requests on it and no network, for those who want to see what a server's bytes do to it.
package final class HTTP2Probe {
    /// What became of streams and connection, in the order in which it was told.
    package private(set) var log: [String] = []
    /// What became of streams alone, in that order.
    package var ends: [String] { log.filter { $0.contains(", status ") } }
    /// What was told of the connection and of requests under way, in that order, but for the server's limits, of which a read
    /// tells the last.
    package var notices: [String] { log.filter { !$0.contains(", status ") && !$0.hasPrefix("limit ") } }
    /// What the server was last heard to allow; `nil` before it says something.
    package var limit: String? { log.last { $0.hasPrefix("limit ") } }
    /// All that the client said.
    package private(set) var said: [UInt8] = []
    package private(set) var isOpen = true
    /// Bytes of each request that came and are no part of its answer, in the order of the ends. Reads decide over them,
    /// so they are not in ``log``.
    private(set) var bytesBehind: [Int] = []

    private let connection: Connection
    private let owner = ProbeOwner()
    private let endpoint: Endpoint
    private let path: String
    /// Whether requests that wait are sent as soon as they may be. Reads decide over when that is.
    package var sendsMore = true
    /// Sizes of the bodies of requests that wait for a stream.
    package private(set) var waiting: [Int]
    /// Requests that are under way.
    package var openCount: Int { session.streams.count }
    private(set) lazy var session = HTTP2Session(for: self)

    /// Begins, and opens as many requests as are allowed.
    ///
    /// - Parameters:
    ///   - bodies: The sizes of the requests' bodies, in bytes.
    ///   - path: Of all of them.
    ///   - loop: Not used for anything that takes time.
    package init(bodies: [Int], path: String = "/p", on loop: any EventLoop) throws {
        let target = PopulationPlan.Target(scheme: "http", host: "127.0.0.1", port: 80, pathAndQuery: "/")
        endpoint = try Endpoint(target)
        connection = Connection(
            owner: owner, loop: loop, transport: SocketTransport(), buffers: BufferPool())
        waiting = bodies
        self.path = path
        session.begin()
        open()
    }

    /// Takes in what a server says, in reads of the given sizes, again and again; in one read if there are none.
    package func read(_ input: [UInt8], readSizes: [Int] = []) {
        var position = 0
        var number = 0
        while position < input.count, isOpen {
            let size = readSizes.isEmpty ? input.count : readSizes[number % readSizes.count]
            let end = min(input.count, position + size)
            read(input[position..<end])
            position = end
            number += 1
        }
    }

    private func read(_ bytes: ArraySlice<UInt8>) {
        do throws(HTTP2ConnectionError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(HTTP2ConnectionError) in
                try session.consume(UnsafeRawBufferPointer(buffer), at: 1)
            }
        } catch {
            isOpen = false
            log.append("connection: \(error.code.name), \(error.reason)")
            session.endAll { _ in .malformed }
        }
        takeSaid()
    }

    private func open() {
        while sendsMore, isOpen, session.hasRoom, let size = waiting.first {
            waiting.removeFirst()
            var body = WireBuffer(capacity: size)
            body.append(contentsOf: [UInt8](repeating: 0x61, count: size))
            let head = RequestHead(
                method: size == 0 ? .get : .post, path: path, headerLines: "User-Agent: Probe\r\n")
            session.send(
                head, body: body, to: endpoint, on: HTTP2Stream(on: connection),
                wants: AnswerWants(body: true, sample: true, date: true))
        }
        takeSaid()
    }

    private func takeSaid() {
        said += Array(session.outgoing.readableBytesView)
        session.outgoing.clear()
    }

    private func note(_ stream: HTTP2Stream, _ text: String) {
        let parser = stream.parser
        bytesBehind.append(stream.bytesBehind)
        let body = String(decoding: parser.body.prefix(40), as: UTF8.self)
        let words = stream.garbage.isEmpty ? "" : ", \(String(decoding: stream.garbage, as: UTF8.self))"
        log.append(
            "\(text), status \(parser.status), \(parser.received) bytes, body \(body.debugDescription)\(words)"
        )
        open()
    }
}

extension HTTP2Probe: HTTP2SessionUser {
    func answered(_ stream: HTTP2Stream) {
        note(stream, "answered")
    }

    func failed(_ stream: HTTP2Stream, _ failure: RequestFailure) {
        note(stream, failure.name)
    }

    func sent(_ stream: HTTP2Stream) { log.append("sent \(stream.id)") }

    func limitChanged() {
        log.append("limit \(session.isLeaving ? "leaving" : String(session.peer.streams))")
        open()
    }
}

/// Nobody: a probe's connection stands for itself.
final class ProbeOwner: ConnectionOwner {
    func opened(_ connection: Connection) {}
    func answered(_ carrier: Carrier) {}
    func ended(_ carrier: Carrier, failure: RequestFailure?) {}
    func limitChanged(_ connection: Connection) {}
}
