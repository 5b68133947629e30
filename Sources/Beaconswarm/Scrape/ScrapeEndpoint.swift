import Foundation

/// Where a target tells its own metrics, as `--scrape` says it.
struct ScrapeEndpoint: Hashable, Sendable {
    let host: String
    let port: Int
    let isSecure: Bool
    /// With its query.
    let path: String

    /// - Parameter text: A URL; one without a path means `/metrics`.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String) throws(CommandFailure) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty, url.user == nil,
            url.fragment == nil, (1...65_535).contains(url.port ?? 1)
        else {
            throw CommandFailure(
                .usage,
                "--scrape \(text): expected a URL such as http://127.0.0.1:9100/metrics, http or https")
        }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? (isSecure ? 443 : 80)
        let path = url.percentEncodedPath
        self.path =
            (path.isEmpty || path == "/" ? "/metrics" : path)
            + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    }

    /// What a message may say of it: no query, which may hold a key.
    var text: String {
        "\(isSecure ? "https" : "http")://\(authority)\(path.prefix { $0 != "?" })"
    }

    /// As the header `Host` has it.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension RunOptions {
    /// Where the target tells its own metrics; `nil` if nobody asked.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for what is no URL, and for names without one.
    func scrapeEndpoint() throws(CommandFailure) -> ScrapeEndpoint? {
        guard let scrape else {
            if scrapeOnly != nil { throw CommandFailure(.usage, "--scrape-only needs --scrape URL") }
            return nil
        }
        return try ScrapeEndpoint(scrape)
    }

    /// The names that were asked for; empty for all.
    var scrapedNames: [String] {
        (scrapeOnly ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
