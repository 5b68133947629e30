import Accounting
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Timebase
import Wire

@testable import CollectorModel
@testable import CollectorServer

/// Requests as bytes.
enum Requests {
    static func event(_ device: Int, _ sequence: Int) -> String {
        """
        {"type":"track","event":"Buy","distinct_id":"u","time":1700000000000,"_track_id":1,\
        "properties":{"bs_id":"\(device)-\(sequence)","note":"Käse"}}
        """
    }

    static func form(_ events: [String]) -> [UInt8] {
        var packed = WireBuffer()
        let json = Array("[\(events.joined(separator: ","))]".utf8)
        json.withUnsafeBytes { GzipEncoder(level: 1).compress($0, into: &packed) }
        var text = WireBuffer()
        packed.withUnsafeBytes { Base64.encode($0, into: &text) }
        var form = WireBuffer("gzip=1&crc=\(JavaHash.hash(text))&data_list=")
        text.withUnsafeBytes { PercentEncoding.sensorsModern.encode($0, into: &form) }
        return form.bytes
    }

    static func upload(
        _ events: [String], path: String = "/sa?project=default", version: String = "1.1",
        headers: String = ""
    ) -> [UInt8] {
        let body = form(events)
        let head = """
            POST \(path) HTTP/\(version)\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\
            Content-Length: \(body.count)\r\n\(headers)\r\n
            """
        return Array(head.utf8) + body
    }

    static func get(_ path: String) -> [UInt8] { Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8) }
}

/// Runs a test against a server of its own and stops it in the end.
func withServer<Result>(
    _ configuration: CollectorServerConfiguration = CollectorServerConfiguration(),
    _ body: (CollectorServer, Int) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    configuration.temporaryFolder = TestFolder.base
    let server = try await CollectorServer.start(
        configuration: configuration, on: MultiThreadedEventLoopGroup.singleton)
    do {
        let result = try await body(server, server.address.port ?? 0)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

func upload(_ events: [String], to port: Int) async throws -> RawClient.Response {
    try await RawClient.connect(port: port).exchange(Requests.upload(events))
}

/// Waits until a condition holds; gives up after far longer than it can take.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<4000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// A path for a file that goes when the value does, with what a store keeps beside it.
final class TemporaryFile: Sendable {
    let path = TestFolder.newPath("collector-tests")

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

    deinit {
        let suffixes = ["", "-shm"] + ((try? StoreFiles.suffixes(at: path)) ?? [])
        for suffix in suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
