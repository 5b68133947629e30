import Foundation
import NIOPosix

/// A blocking client that says exactly the bytes that a test gives it.
final class RawClient: Sendable {
    struct Response: Equatable, Sendable {
        var status: Int
        var headers: [String: String]
        var body: String
    }

    enum Failure: Error, Equatable {
        case refused
        /// The server reset the connection.
        case reset
        /// The server closed the connection in an orderly way before a response was whole.
        case closed
        case timeout
        case malformed(String)
    }

    private let socket: CInt

    private init(socket: CInt) { self.socket = socket }

    deinit { close(socket) }

    static func connect(port: Int) async throws -> RawClient {
        try await NIOThreadPool.singleton.runIfActive {
            let socket = Foundation.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var timeout = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else {
                Foundation.close(socket)
                throw Failure.refused
            }
            return RawClient(socket: socket)
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Foundation.send(self.socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard sent > 0 else { throw Failure.reset }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Says that nothing more comes.
    func endSending() async throws {
        try await NIOThreadPool.singleton.runIfActive {
            guard shutdown(self.socket, CInt(SHUT_WR)) == 0 else { throw Failure.reset }
        }
    }

    /// Reads one response; one to HEAD has no body, whatever its length says.
    func receive(hasBody: Bool = true) async throws -> Response {
        try await NIOThreadPool.singleton.runIfActive {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head.append(try self.byte()) }
            let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count >= 2, let status = Int(words[1]) else {
                throw Failure.malformed(String(decoding: head, as: UTF8.self))
            }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let halves = line.split(separator: ":", maxSplits: 1)
                headers[halves[0].lowercased()] = halves.last?.trimmingCharacters(in: .whitespaces)
            }
            let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
            let body = try (0..<length).map { _ in try self.byte() }
            return Response(status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
        }
    }

    func exchange(_ bytes: [UInt8]) async throws -> Response {
        try await send(bytes)
        return try await receive()
    }

    private func byte() throws -> UInt8 {
        var byte: UInt8 = 0
        switch recv(socket, &byte, 1, 0) {
        case 1: return byte
        case 0: throw Failure.closed
        default: throw errno == EAGAIN ? Failure.timeout : Failure.reset
        }
    }
}
