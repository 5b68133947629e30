/// Where something is served, as an option says it.
struct ListenAddress: Hashable, Sendable {
    var host: String
    /// 0 for any free port.
    var port: Int

    /// An option that names such an address.
    enum Option: String {
        /// Of the page and the figures of a run; the host may be left out, for this machine alone.
        case ui = "--ui"
        /// Of a collector.
        case listen = "--listen"

        fileprivate var expected: String {
            switch self {
            case .ui: "HOST:PORT, such as \(RunOptions.defaultWatchAddress); port 0 takes a free one"
            case .listen: "HOST:PORT, such as 127.0.0.1:8106"
            }
        }
    }

    /// - Parameter text: `HOST:PORT`, an IPv6 address in brackets; for ``Option/ui`` also `:PORT` and `PORT`.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String, of option: Option) throws(CommandFailure) {
        let separator = text.lastIndex(of: ":")
        let host = separator.map { text[..<$0] } ?? ""
        let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits), let bare = ListenAddress.unbracketed(host),
            option == .ui || !bare.isEmpty
        else {
            throw CommandFailure(.usage, "\(option.rawValue) \(text): expected \(option.expected)")
        }
        guard (0...65_535).contains(port) else {
            throw CommandFailure(
                .usage,
                "\(option.rawValue) \(text): expected a port from 1 to 65535, or 0, which takes a free one")
        }
        self.host = bare.isEmpty ? "127.0.0.1" : bare
        self.port = port
    }

    /// A host without the brackets of an IPv6 address; `nil` for what is none.
    private static func unbracketed(_ host: Substring) -> String? {
        guard host.hasPrefix("[") || host.hasSuffix("]") else {
            return host.contains("/") ? nil : String(host)
        }
        guard host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 else { return nil }
        return String(host.dropFirst().dropLast())
    }

    /// Whether other machines cannot reach it.
    var isLoopback: Bool { TargetHost(host).isLoopback }

    /// As it stands in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}
