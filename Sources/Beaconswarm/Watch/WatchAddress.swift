/// Where a page is served, as `--ui` says it.
struct WatchAddress: Hashable, Sendable {
    var host: String
    /// 0 for any free port.
    var port: Int

    /// - Parameter text: `HOST:PORT`, or `:PORT` and `PORT` for this machine alone; an IPv6 address in brackets.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String) throws(CommandFailure) {
        let separator = text.lastIndex(of: ":")
        let host = separator.map { String(text[..<$0]) } ?? ""
        let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits), !host.contains("/"), host != "[]" else {
            throw CommandFailure(
                .usage,
                "--ui \(text): expected HOST:PORT, such as \(RunOptions.defaultWatchAddress); port 0 takes a free one"
            )
        }
        try WatchAddress.check(port: port, of: "--ui \(text)")
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = host.isEmpty ? "127.0.0.1" : isBracketed ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }

    /// Refuses what no port to listen on can be.
    ///
    /// - Parameter option: With its value.
    /// - Throws: ``CommandFailure`` with code 64.
    static func check(port: Int, of option: String) throws(CommandFailure) {
        guard !(0...65_535).contains(port) else { return }
        throw CommandFailure(
            .usage, "\(option): expected a port from 1 to 65535, or 0, which takes a free one")
    }

    /// Whether other machines cannot reach it.
    var isLoopback: Bool { TargetHost(host).isLoopback }

    /// As it stands in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}
