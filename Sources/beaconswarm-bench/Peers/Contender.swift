import Foundation

/// A program that loads the web server from this process's core: the own engine in a process of its
/// own, or a rival. All are measured alike, from the outside.
struct Contender {
    /// What one round gave.
    struct Round {
        var perSecond: Double
        /// Milliseconds of CPU time, in user and kernel mode, per 1000 requests.
        var cpuPerThousand: Double
        var peakBytes: Int
    }

    var name: String
    /// What it is not installed as, and how to get it.
    var missing: String?
    /// The command for so many connections (or users) and seconds.
    var command: (_ connections: Int, _ seconds: Int) -> (path: String, arguments: [String])?
    /// Requests per second, read from what it printed.
    var rate: (_ output: String) -> Double?

    /// Runs it once.
    ///
    /// - Returns: `nil` if it is missing, failed, or printed nothing that can be read.
    func run(connections: Int, seconds: Int) -> Round? {
        guard let (path, arguments) = command(connections, seconds),
            let performance = Programs.run(path, arguments), let rate = rate(performance.output), rate > 0
        else { return nil }
        return Round(
            perSecond: rate, cpuPerThousand: performance.cpuSeconds * 1e6 / (rate * Double(seconds)),
            peakBytes: performance.peakBytes)
    }
}

extension Contender {
    /// The number behind a label at the beginning of a line.
    static func number(after label: String, in output: String) -> Double? {
        let line = output.split(separator: "\n").first { $0.hasPrefix(label) }
        let rest = line?.dropFirst(label.count).drop(while: \.isWhitespace)
        return rest.flatMap { Double($0.prefix { $0.isNumber || $0 == "." || $0 == "e" || $0 == "+" }) }
    }

    /// The own transport: prepared requests over the live engine's connections.
    ///
    /// - Parameter streams: Requests at once on each connection of HTTP/2; `nil` for HTTP/1.1.
    static func own(_ server: WebServer, body: String, streams: Int? = nil) -> Contender {
        let port = streams == nil ? server.port : server.streamPort
        let more = streams.map { ["\($0)"] } ?? []
        return own(port: port, body: body, more: more)
    }

    private static func own(port: Int, body: String, more: [String]) -> Contender {
        Contender(
            name: "beaconswarm",
            command: { connections, seconds in
                Bundle.main.executablePath.map {
                    ($0, ["client", "\(port)", "\(connections)", "\(seconds)", body] + more)
                }
            }, rate: { number(after: "rate", in: $0) })
    }

    /// wrk with one thread.
    static func wrk(_ server: WebServer, body: String) -> Contender {
        let program = Programs.find("wrk")
        let script = server.write(
            """
            wrk.method = "POST"
            local file = io.open("\(body)", "rb")
            wrk.body = file:read("*a")
            file:close()
            """, as: "post.lua")
        return Contender(
            name: "wrk",
            missing: program == nil ? "wrk is not installed (apt-get install wrk)" : nil,
            command: { connections, seconds in
                guard let program, let script else { return nil }
                return (
                    program,
                    ["-t", "1", "-c", "\(connections)", "-d", "\(seconds)s", "-s", script, server.url]
                )
            }, rate: { number(after: "Requests/sec:", in: $0) })
    }

    /// h2load with one thread.
    ///
    /// - Parameter streams: Requests at once on each connection of HTTP/2; `nil` for HTTP/1.1.
    static func h2load(_ server: WebServer, body: String, streams: Int? = nil) -> Contender {
        let version = streams.map { ["-m\($0)"] } ?? ["--h1"]
        let url = streams == nil ? server.url : server.streamURL
        let program = Programs.find("h2load")
        return Contender(
            name: "h2load",
            missing: program == nil ? "h2load is not installed (apt-get install nghttp2-client)" : nil,
            command: { connections, seconds in
                guard let program else { return nil }
                return (
                    program,
                    version + ["-t1", "-c\(connections)", "-D\(seconds)", "-d", body, url]
                )
            },
            rate: { output in
                let parts = output.split(separator: "\n").first { $0.hasPrefix("finished in") }?
                    .split(separator: ",")
                return parts.flatMap { $0.count > 1 ? Double($0[1].split(separator: " ")[0]) : nil }
            })
    }

    /// Locust in one process, its users posting a prepared body or building each batch of 50 events anew
    /// from the same event, in Python.
    ///
    /// - Parameter mode: `prepared` or `build`.
    static func locust(_ server: WebServer, mode: String, input: String) -> Contender {
        let program = Programs.find("locust")
        let script = ProcessInfo.processInfo.environment["BENCH_LOCUSTFILE"]
        return Contender(
            name: "Locust, FastHttpUser",
            missing: program == nil || script == nil
                ? "Locust is not installed; run through make bench" : nil,
            command: { users, seconds in
                guard let program, let script else { return nil }
                return (
                    program,
                    [
                        "-f", script, "--headless", "-u", "\(users)", "-r", "\(users)", "-t", "\(seconds)s",
                        "--host", "http://127.0.0.1:\(server.port)", "--only-summary", "--body", input,
                        "--mode", mode,
                    ]
                )
            }, rate: { number(after: "steady rate", in: $0) })
    }
}

/// All programs that are measured beside the own one.
enum Peers {
    /// What each says of its version, by name.
    static func versions(_ server: WebServer) -> [String: String] {
        var versions: [String: String] = [:]
        versions["nginx"] = server.version
        for (name, arguments) in [("wrk", ["-v"]), ("h2load", ["--version"]), ("locust", ["--version"])] {
            if let program = Programs.find(name) { versions[name] = Programs.firstLine(program, arguments) }
        }
        return versions
    }
}
