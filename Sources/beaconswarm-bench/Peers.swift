import Foundation

/// The web server and the load tool that the transport is measured against.
///
/// They come from the distribution's packages; `.ci/bench` installs them where it may.
final class Peers {
    let wrk: String?
    let nginx: String?
    private var server: Process?
    private let folder: String
    let port: Int
    /// Cores for servers and for clients, in `taskset`'s words.
    static let serverCore = "1"

    /// - Parameter port: Where nginx is to listen.
    init(port: Int) {
        self.port = port
        wrk = Programs.find("wrk")
        nginx = Programs.find("nginx")
        folder = NSTemporaryDirectory() + "beaconswarm-bench-\(ProcessInfo.processInfo.processIdentifier)"
    }

    var versions: [String: String] {
        var versions: [String: String] = [:]
        if let wrk { versions["wrk"] = Programs.firstLine(wrk, ["-v"]) }
        if let nginx { versions["nginx"] = Programs.firstLine(nginx, ["-v"]) }
        return versions
    }

    /// Starts a server that reads each body and answers 200 at once.
    ///
    /// - Returns: `false` if there is none.
    func startServer() async -> Bool {
        guard let nginx, server == nil else { return server != nil }
        let configuration = """
            daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid \(folder)/pid;
            error_log stderr crit;
            events { worker_connections 16384; use epoll; multi_accept on; }
            http {
              access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
              client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
              fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi;
              scgi_temp_path \(folder)/scgi;
              client_body_buffer_size 64k; client_max_body_size 8m;
              server { listen 127.0.0.1:\(port) backlog=16384; location / { return 200 "ok"; } }
            }
            """
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/nginx.conf"
        guard (try? configuration.write(toFile: file, atomically: true, encoding: .utf8)) != nil else {
            return false
        }
        server = Self.launch(on: Self.serverCore, nginx, ["-p", folder, "-c", file])
        try? await Task.sleep(for: .milliseconds(500))
        return server?.isRunning ?? false
    }

    func stopServer() {
        server?.terminate()
        server?.waitUntilExit()
        server = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// CPU time of the server so far, in seconds.
    var serverSeconds: Double {
        server.map { Programs.cpuSeconds(of: $0.processIdentifier) } ?? 0
    }

    /// Starts a program on one core.
    static func launch(on core: String, _ path: String, _ arguments: [String]) -> Process? {
        let process = Process()
        let hasCores = ProcessInfo.processInfo.processorCount > 1
        let taskset = hasCores ? Programs.find("taskset") : nil
        process.executableURL = URL(fileURLWithPath: taskset ?? path)
        process.arguments = (taskset == nil ? [] : ["-c", core, path]) + arguments
        guard (try? process.run()) != nil else { return nil }
        return process
    }

    /// Requests per second of wrk with one thread, on this process's core; `nil` if it fails.
    func measureWrk(connections: Int, seconds: Double, body: [UInt8]) -> Double? {
        guard let wrk else { return nil }
        let script = folder + "/post.lua"
        let data = folder + "/post.body"
        guard FileManager.default.createFile(atPath: data, contents: Data(body)) else { return nil }
        let text = """
            wrk.method = "POST"
            local file = io.open("\(data)", "rb")
            wrk.body = file:read("*a")
            file:close()
            """
        guard (try? text.write(toFile: script, atomically: true, encoding: .utf8)) != nil else { return nil }
        let output = Programs.output(
            wrk,
            [
                "-t", "1", "-c", "\(connections)", "-d", "\(max(1, Int(seconds)))s", "-s", script,
                "http://127.0.0.1:\(port)/sa?project=default",
            ])
        let line = output?.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }
}
