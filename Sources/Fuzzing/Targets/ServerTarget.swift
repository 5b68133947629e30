import Accounting
import CollectorModel
import CollectorServer
import Dispatch
import Glibc
import LiveEngine
import NIOCore
import NIOPosix
import Synchronization
import Timebase

/// The collector's server, from the socket to the store: whatever bytes come, each connection gets whole
/// answers and an end, and the counters add up.
///
/// Behind the input comes a request that asks for the connection's end, so that a connection which stays
/// open to its time limit is one that the input left in the middle of a request.
final class ServerTarget: FuzzTarget {
    static let name = "server"
    static let byteLimit = 4 << 10
    static let dictionary = [
        "POST /sa HTTP/1.1\r\n", "GET /stats HTTP/1.1\r\n\r\n", "GET /config/iOS.conf?v=1 HTTP/1.1\r\n\r\n",
        "POST http://x/a/sa?project=p HTTP/1.0\r\n", "HEAD /healthz HTTP/1.1\r\n\r\n",
        "PUT /debug HTTP/1.1\r\n",
        "Content-Length: 10\r\n", "Content-Length: 99999999\r\n", "Transfer-Encoding: chunked\r\n",
        "Dry-Run: true\r\n",
        "Expect: 100-continue\r\n", "Connection: close\r\n", "Connection: upgrade\r\nUpgrade: h2c\r\n",
        "Host: x\r\n",
        "\r\n\r\n", "5\r\nhello\r\n", "0\r\n\r\n", "data_list=W10%3D", "gzip=1&",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]

    private static let farewell = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    private let server: CollectorServer
    private let port: UInt16

    init() throws {
        var configuration = CollectorServerConfiguration()
        // An input that ends in the middle of a request, or leaves out the end that it announces, waits so long.
        configuration.limits.headerTimeout = .milliseconds(3)
        configuration.limits.bodyTimeout = .milliseconds(3)
        configuration.limits.idleTimeout = .milliseconds(3)
        server = try outcome { [configuration] in
            let group = MultiThreadedEventLoopGroup.singleton
            return try await CollectorServer.start(configuration: configuration, on: group)
        }
        port = UInt16(server.address.port ?? 0)
    }

    /// Takes its store away.
    deinit {
        let server = server
        try? outcome { await server.stop() }
    }

    func check(_ input: [UInt8]) throws {
        let (before, _) = server.snapshot()
        let answers = try exchange(input + Array(ServerTarget.farewell.utf8))
        let (after, receipts) = server.snapshot()
        try demand(after.requests >= before.requests, "the counter of requests went back")
        try demand(after.received == after.unique + after.duplicates, "received ≠ unique + duplicates")
        try demand(
            receipts.received == after.received && receipts.unique == after.unique,
            "the receipts hold \(receipts.received), the counters \(after.received)")
        try checkAnswers(answers, mayLackBodies: input.firstRange(of: Array("HEAD".utf8)) != nil)
    }

    /// Every answer is whole HTTP; an answer to HEAD may lack its body, and is the last but for one that refuses what
    /// came behind it.
    private func checkAnswers(_ bytes: [UInt8], mayLackBodies: Bool) throws {
        var parser = ResponseParser()
        var position = 0
        while position < bytes.count {
            parser.begin(keepsBody: false, keepsSample: false)
            if mayLackBodies, let end = ServerTarget.endOfHead(from: position, in: bytes) {
                _ = bytes[position..<end].withUnsafeBytes { parser.consume($0) }
                // Of 100, the final answer is still to come.
                try demand([.fixedBody, .statusLine].contains(parser.state), "an answer is no HTTP")
                position = end
                continue
            }
            let text = String(decoding: bytes[position...].prefix(400), as: UTF8.self)
            position += bytes.withUnsafeBytes {
                parser.consume(UnsafeRawBufferPointer(rebasing: $0[position...]))
            }
            if !parser.isFinished { parser.close() }
            try demand(parser.state != .malformed, "an answer is no HTTP: \(text)")
            // 100 asked for a body that never came.
            if parser.state == .statusLine, text.hasPrefix("HTTP/1.1 100") { continue }
            if parser.state != .complete {
                try demand(mayLackBodies && parser.state == .fixedBody, "an answer is cut: \(text)")
                try demand(position == bytes.count, "something follows an answer without its body")
            }
        }
    }

    /// Where the head of an answer ends that announces a body and has another answer in its place, or of 100, which
    /// announces another answer; `nil` for other answers. No body begins like an answer.
    private static func endOfHead(from position: Int, in bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes[position...].prefix(2000), as: UTF8.self)
        guard let empty = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<empty.upperBound]
        guard text[empty.upperBound...].hasPrefix("HTTP/1.1 ") else { return nil }
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
        guard head.hasPrefix("HTTP/1.1 100") || length.map({ $0 != "content-length: 0" }) ?? false else {
            return nil
        }
        return position + head.utf8.count
    }

    /// Sends bytes and reads until the server ends the connection.
    private func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
        let descriptor = try connect()
        defer { close(descriptor) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            // The server may end a connection before it has read everything.
            guard count > 0 else { break }
            sent += count
        }
        var answers: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { throw FuzzFinding("neither an answer nor an end within 10 s") }
            // A reset ends it too: the server closed with bytes unread.
            guard count > 0 else { return answers }
            answers += buffer[..<count]
        }
    }

    private func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw FuzzFinding("no socket: errno \(errno)") }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw FuzzFinding("the server takes no connection: errno \(errno)")
        }
        return descriptor
    }
}

/// What a task comes to, for which the caller's thread waits, which must be no thread of a task.
private func outcome<Value: Sendable>(
    of work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let box = OutcomeBox<Value>()
    // On a queue of its own: the pool of tasks may be taken by whoever waits here.
    Task(executorPreference: QueueExecutor()) {
        do {
            let value = try await work()
            box.result.withLock { $0 = .success(value) }
        } catch { box.result.withLock { $0 = .failure(error) } }
    }
    for _ in 0..<60_000 {
        if let result = box.result.withLock({ $0 }) { return try result.get() }
        usleep(1000)
    }
    throw FuzzFinding("the server does not start or end within 60 s")
}

/// Carries the outcome from the task to the thread that waits.
private final class OutcomeBox<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}

/// Runs tasks on threads that no test computes on.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "beaconswarm.fuzz.server")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
