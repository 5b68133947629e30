import Foundation
import NIOSSL

/// Where a target tells its own metrics, as `--scrape` says it.
struct ScrapeEndpoint: Hashable, Sendable {
    let http: HTTPEndpoint

    /// - Parameter text: A URL; one without a path means `/metrics`.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String) throws(CommandFailure) {
        let path = { (path: String) in path.isEmpty || path == "/" ? "/metrics" : path }
        guard let http = HTTPEndpoint(text, port: 80, path: path) else {
            let problem = HTTPEndpoint.problem(text, example: "http://127.0.0.1:9100/metrics")
            throw CommandFailure(.usage, "--scrape \(problem)")
        }
        self.http = http
    }

    /// What a connection to it needs for TLS; `nil` without TLS.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where the system has no certificates.
    func tls() throws(CommandFailure) -> NIOSSLContext? { try http.tls(for: "--scrape") }

    /// What a message may say of it: no query, which may hold a key.
    var text: String { http.origin + http.pathAlone }
}

extension RunOptions {
    /// Where the target tells its own metrics; `nil` if nobody asked.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for what is no URL, for names without one, and for names that no metric
    ///   can have.
    func scrapeEndpoint() throws(CommandFailure) -> ScrapeEndpoint? {
        guard let scrape else {
            if scrapeOnly != nil { throw CommandFailure(.usage, "--scrape-only needs --scrape URL") }
            return nil
        }
        if let scrapeOnly, scrapedNames.isEmpty {
            throw CommandFailure(
                .usage,
                "--scrape-only: found \"\(scrapeOnly)\", allowed is names of metrics, separated by commas")
        }
        if let name = scrapedNames.first(where: { $0.dropLast().contains("*") }) {
            throw CommandFailure(
                .usage, "--scrape-only: found \(name), allowed is a name, whole or with * at its end")
        }
        return try ScrapeEndpoint(scrape)
    }

    /// The names that were asked for; empty for all.
    var scrapedNames: [String] {
        (scrapeOnly ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
