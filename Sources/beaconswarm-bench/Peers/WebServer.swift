import Foundation

/// The web server that load tools are measured against: nginx, which reads each body and answers 200
/// at once. It comes from the distribution's packages; `.ci/bench` installs it where it may.
final class WebServer {
    /// The core of servers, in `taskset`'s words; clients have the first.
    static let core = "1"

    let port: Int
    private let program: String?
    private var process: Process?
    private let folder: String
    private let keepsLog: Bool

    /// - Parameters:
    ///   - port: Where it is to listen.
    ///   - keepsLog: Whether it writes a line about each request.
    init(port: Int, keepsLog: Bool = false) {
        self.port = port
        self.keepsLog = keepsLog
        program = Programs.find("nginx")
        folder =
            NSTemporaryDirectory() + "beaconswarm-bench-\(ProcessInfo.processInfo.processIdentifier)-\(port)"
    }

    /// What the server says of itself; `nil` if there is none.
    var version: String? { program.map { Programs.firstLine($0, ["-v"]) } }

    var url: String { "http://127.0.0.1:\(port)/sa?project=default" }

    /// Where it speaks HTTP/2 from the first byte.
    var streamPort: Int { port + 1 }
    var streamURL: String { "http://127.0.0.1:\(streamPort)/sa?project=default" }

    /// Starts the server.
    ///
    /// - Returns: `false` if there is none.
    func start() async -> Bool {
        guard let program, process == nil else { return process != nil }
        let configuration = """
            daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid \(folder)/pid;
            error_log stderr crit;
            events { worker_connections 16384; use epoll; multi_accept on; }
            http {
              access_log \(keepsLog ? "\(folder)/access.log" : "off"); keepalive_requests 1000000000; keepalive_timeout 600s;
              client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
              fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi;
              scgi_temp_path \(folder)/scgi;
              client_body_buffer_size 64k; client_max_body_size 8m;
              server { listen 127.0.0.1:\(port) backlog=16384; location / { return 200 "ok"; } }
              server { listen 127.0.0.1:\(streamPort) http2 backlog=16384; location / { return 200 "ok"; } }
            }
            """
        guard let file = write(configuration, as: "nginx.conf") else { return false }
        process = Self.launch(on: Self.core, program, ["-p", folder, "-c", file])
        try? await Task.sleep(for: .milliseconds(500))
        return process?.isRunning ?? false
    }

    func stop() {
        process?.terminate()
        process?.waitUntilExit()
        process = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// CPU time so far, in seconds.
    var cpuSeconds: Double { process.map { Programs.cpuSeconds(of: $0.processIdentifier) } ?? 0 }

    /// Writes a file beside the server's own; its path, or `nil` if that fails.
    func write(_ text: String, as name: String) -> String? { write(Array(text.utf8), as: name) }

    func write(_ bytes: [UInt8], as name: String) -> String? {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(name)"
        return FileManager.default.createFile(atPath: path, contents: Data(bytes)) ? path : nil
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
}
