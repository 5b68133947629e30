import Foundation
import NIOHTTP1
import Scenario

/// Where figures are pushed to, as `--otlp` says it, and OpenTelemetry's own variables.
struct OTLPEndpoint: Sendable {
    let http: HTTPEndpoint
    /// What every request bears: `OTEL_EXPORTER_OTLP_HEADERS`, as OpenTelemetry's own exporters read it.
    let headers: HTTPHeaders
    /// A PEM file of certificates to trust in place of the system's: `OTEL_EXPORTER_OTLP_CERTIFICATE`.
    let authorities: String?

    /// The path of metrics in OTLP/HTTP.
    private static let metricsPath = "/v1/metrics"
    static let authoritiesName = "OTEL_EXPORTER_OTLP_CERTIFICATE"

    /// - Parameter text: A URL; one that does not end in `/v1/metrics` is a base, to which that is added.
    /// - Throws: ``CommandFailure`` with code 64 for anything else.
    init(_ text: String, environment: [String: String]) throws(CommandFailure) {
        // 4318 is what OTLP/HTTP has; https is mostly behind a gateway.
        guard let http = HTTPEndpoint(text, port: 4318, path: OTLPEndpoint.path) else {
            let problem = HTTPEndpoint.problem(text, example: "http://127.0.0.1:4318")
            throw CommandFailure(.usage, "--otlp \(problem)")
        }
        self.http = http
        headers = try OTLPEndpoint.headers(environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? "")
        authorities = environment[OTLPEndpoint.authoritiesName].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func path(_ base: String) -> String {
        var path = base
        while path.hasSuffix("/") { path.removeLast() }
        return path.hasSuffix(metricsPath) ? path : path + metricsPath
    }

    private static let headersName = "OTEL_EXPORTER_OTLP_HEADERS"

    /// `name=value,name=value`, percent-encoded.
    private static func headers(_ text: String) throws(CommandFailure) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (index, pair) in text.split(separator: ",").enumerated() {
            let parts = pair.split(separator: "=", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else {
                throw CommandFailure(.usage, "\(headersName): expected name=value, separated by commas")
            }
            let name = parts[0].removingPercentEncoding ?? parts[0]
            guard HeaderRules.isName(name) else {
                // It may be a key: somebody wrote ":" for "=", or a comma in a value.
                throw CommandFailure(
                    .usage,
                    "\(headersName): what header \(index + 1) has before its = is no header's name (RFC 9110); expected "
                        + "name=value, separated by commas")
            }
            // Values are keys, which no message tells.
            guard let value = parts[1].removingPercentEncoding,
                !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else {
                throw CommandFailure(
                    .usage,
                    "\(headersName): the value of \(name): expected text of one line, percent-encoded (% as %25)"
                )
            }
            headers.add(name: name, value: value)
        }
        return headers
    }
}
