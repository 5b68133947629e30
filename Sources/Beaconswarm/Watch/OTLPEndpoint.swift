import Foundation

/// Where figures are pushed to, as `--otlp` says it.
struct OTLPEndpoint: Hashable, Sendable {
    let host: String
    let port: Int
    let isSecure: Bool
    /// With its query.
    let path: String
    /// What every request bears: `OTEL_EXPORTER_OTLP_HEADERS`, as OpenTelemetry's own exporters read it.
    var headers: [Header] = []

    struct Header: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// The path of metrics in OTLP/HTTP.
    private static let metricsPath = "/v1/metrics"

    /// - Parameter text: A URL; one that does not end in `/v1/metrics` is a base, to which that is added.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String, environment: [String: String]) throws(CommandFailure) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty, url.user == nil,
            url.fragment == nil, (1...65_535).contains(url.port ?? 1)
        else {
            throw CommandFailure(
                .usage, "--otlp \(text): expected a URL such as http://127.0.0.1:4318, http or https")
        }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // 4318 is what OTLP/HTTP has; https is mostly behind a gateway.
        port = url.port ?? (isSecure ? 443 : 4318)
        var path = url.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        if !path.hasSuffix(OTLPEndpoint.metricsPath) { path += OTLPEndpoint.metricsPath }
        self.path = path + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
        headers = try OTLPEndpoint.headers(environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? "")
    }

    /// `name=value,name=value`, percent-encoded.
    private static func headers(_ text: String) throws(CommandFailure) -> [Header] {
        var headers: [Header] = []
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces).removingPercentEncoding ?? ""
            }
            guard parts.count == 2, !parts[0].isEmpty,
                !parts.joined().unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else {
                throw CommandFailure(
                    .usage, "OTEL_EXPORTER_OTLP_HEADERS: expected name=value, separated by commas")
            }
            headers.append(Header(name: parts[0], value: parts[1]))
        }
        return headers
    }

    /// What a message may say of it: neither path nor query, which may hold a key.
    var text: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// As the header `Host` has it.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
