package import Timebase

extension PopulationPlan {
    /// Where the SDK was told to send to, taken apart, and how devices connect to it.
    package struct Target: Hashable, Sendable {
        /// `http` or `https`.
        package var scheme: String
        /// Host as written in the URL (IPv6 without brackets).
        package var host: String
        package var port: Int
        /// Path with its query, beginning with `/`; what the SDK's own server URL says.
        package var pathAndQuery: String
        /// The account or project that the app gave the SDK, and its key, for systems that have them; empty
        /// for none.
        package var accountID = ""
        package var apiKey = ""
        /// Headers that the scenario adds to each request.
        package var headers: [Header] = []
        package var connections = Connections.perDevice
        package var tls = TLSRules()
        package var http = HTTPVersions.automatic
        /// How long a looked-up address is used; zero looks it up for each connection. k6's default.
        package var addressLifetime = Target.addressLifetime

        package static let addressLifetime = Interval.minutes(5)

        package init(scheme: String, host: String, port: Int, pathAndQuery: String) {
            self.scheme = scheme
            self.host = host
            self.port = port
            self.pathAndQuery = pathAndQuery
        }

        /// Whether connections are encrypted.
        package var isSecure: Bool { scheme == "https" }

        /// Scheme, host and port, which is always told.
        package var origin: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

        /// The whole URL.
        package var url: String { origin + pathAndQuery }

        /// The lines of a request: the system's own, then those that the scenario adds. One of these takes the place of
        /// the system's of the same name, since servers read a name twice as they please.
        package func headerLines(after own: String) -> String {
            guard !headers.isEmpty else { return own }
            let names = Set(headers.map { $0.name.lowercased() })
            var lines = ""
            for line in own.split(separator: "\r\n" as Character)
            where !names.contains(line.prefix { $0 != ":" }.lowercased()) {
                lines += "\(line)\r\n"
            }
            for header in headers { lines += "\(header.name): \(header.value)\r\n" }
            return lines
        }

        /// A line of a head that the scenario adds to every request.
        package struct Header: Hashable, Sendable {
            package var name: String
            package var value: String
            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// Which requests share a connection. Live runs only.
        package enum Connections: Hashable, Sendable {
            /// Each device keeps connections of its own, as phones do.
            case perDevice
            /// All devices of the population share so many, 1 or more, as behind a gateway.
            case pooled(Int)
            /// Each request has a new one, which is closed after the answer.
            case perRequest
        }

        /// Which HTTP connections speak. Live runs only.
        package enum HTTPVersions: Hashable, Sendable {
            /// What the server picks in the TLS handshake (ALPN), HTTP/2 if it can; HTTP/1.1 without TLS.
            case automatic
            /// HTTP/1.1, and nothing else is offered.
            case one
            /// HTTP/2, and nothing else is offered; without TLS it is spoken from the first byte.
            case two
        }

        /// What `https` needs to know. Files are PEM; by default the system's authorities are trusted
        /// and the certificate must bear the URL's host.
        package struct TLSRules: Hashable, Sendable {
            /// A file of the authorities that are trusted in place of the system's.
            package var authorityFile: String?
            /// The client's certificate with its intermediates, and its key; a key file left out is the
            /// certificate's.
            package var certificateFile: String?
            package var keyFile: String?
            /// The name to ask for and to verify, where it is not the URL's host.
            package var serverName: String?
            /// Takes any certificate.
            package var isInsecure = false

            package init() {}
        }
    }
}
