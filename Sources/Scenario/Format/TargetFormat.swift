import DeviceSDK
import Timebase
import Wire

/// The collector's address, and how devices connect to it, as decoded.
struct TargetDraft: Sendable {
    var url: Located<String>?
    var urls: [Located<String>] = []
    var connections: Located<PopulationPlan.Target.Connections>?
    /// `nil` for those of all populations; an empty one takes them away.
    var headers: [Named<String>]?
    var accountID: Located<String>?
    var apiKey: Located<String>?
    var path: String?
    var tls: TLSDraft?
    var dns: DNSDraft?
    var http: Located<PopulationPlan.Target.HTTPVersions>?

    static let format: ObjectDescription<TargetDraft> = ObjectDescription(
        "A collector's address, and how devices connect to it.", start: TargetDraft.init,
        [
            Field(
                "url", \.url, TargetDraft.url,
                "The SDK's server URL with its query, http or https; an origin alone where populations run "
                    + "several systems, each of which has a path of its own."),
            Field(
                "urls", \.urls, .list(of: TargetDraft.url, count: 1...10_000),
                "Instead of \"url\": several addresses with the same path and query, which devices use in turn "
                    + "by their number."
            ),
            Field("connections", \.connections, TargetDraft.connectionsForm.located, connectionsDoc),
            Field(
                "headers", \.headers,
                Form<[Named<String>]>.map(of: .text(limit: 4000, mayBeEmpty: true), count: 0...100),
                "Headers added to each request. A population's take the place of all shared ones; an empty object of them "
                    + "takes those away."),
            Field(
                "path", \.path, TargetDraft.path,
                "Path and query in place of the URL's, or of the system's own; for a population whose own URL has a path, that "
                    + "goes before a shared one."),
            Field(
                "accountId", \.accountID, Form<String>.text(limit: 200).located,
                "The account or project that the app gave the SDK: GrowingIO's in the path, the embedded "
                    + "collector's project for Sensors."),
            Field(
                "apiKey", \.apiKey, Form<String>.text(limit: 1000).located,
                "The key that the app gave the SDK: TrackingSDK's X-API-Key, the codeless SDK's appKey."),
            Field("tls", \.tls, .object(TLSDraft.format), "For https: whom to trust, and who the client is."),
            Field("http", \.http, versionsForm.located, versionsDoc),
            Field("dns", \.dns, .object(DNSDraft.format), "Looking up the host's name in live runs."),
        ])

    private static let url = Form<String>.text(limit: 4000).located

    private static let path: Form<String> = Form<String>.matching(
        pattern: ##"^/[!"$-~]*$"##,
        what: "a path that begins with \"/\", of up to 2000 visible ASCII characters, without a fragment (#)"
    ) { text in
        let isSound = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        return isSound && text.hasPrefix("/") && text.utf8.count <= 2000 ? text : nil
    } encode: {
        .text($0)
    }

    private static let connectionsDoc =
        "Live runs: a connection of its own for every device (\"perDevice\", the default), so many for all of "
        + "the population's devices ({\"pooled\": 50}), or a new one for each request (\"perRequest\")."

    private static let versionsDoc =
        "Live runs: what connections speak. \"auto\" (the default) is what the server picks in the TLS handshake "
        + "(ALPN), HTTP/2 if it can, and HTTP/1.1 without TLS; \"1.1\" offers nothing else, and so does \"2\", which "
        + "begins with HTTP/2 where there is no TLS."

    private static let versionsForm = Form<PopulationPlan.Target.HTTPVersions>.name(
        [("auto", .automatic), ("1.1", .one), ("2", .two)], what: "a version of HTTP")

    private static let connectionsForm = Form<PopulationPlan.Target.Connections>.either(
        [
            (
                .string,
                .name(
                    [("perDevice", .perDevice), ("perRequest", .perRequest)],
                    what: "{\"pooled\": 50}, so many connections for all devices, or a way to connect")
            ),
            (.object, Form<PoolDraft>.object(PoolDraft.format).map { pool, _, _ in pool.connections }),
        ], allowed: "\"perDevice\", \"perRequest\" or {\"pooled\": 50}")
}

/// Shared connections as decoded.
struct PoolDraft: Sendable {
    var size: Int?

    var connections: PopulationPlan.Target.Connections? { size.map { .pooled($0) } }

    static let format: ObjectDescription<PoolDraft> = ObjectDescription(
        "Connections that all devices of a population share.", start: PoolDraft.init,
        [Field("pooled", \.size, .integer(1...1_000_000), required: true, "How many; requests wait in line.")]
    )
}

/// What TLS needs as decoded.
struct TLSDraft: Sendable {
    var authorities: Located<String>?
    var certificate: Located<String>?
    var key: Located<String>?
    var serverName: Located<String>?
    var insecure: Located<Bool>?

    /// Where files are named, by their keys.
    var filePlaces: [String: Place] {
        ["ca": authorities, "certificate": certificate, "key": key].compactMapValues(\.?.place)
    }

    static let format: ObjectDescription<TLSDraft> = ObjectDescription(
        "Files are PEM; relative paths begin at the scenario's folder.", start: TLSDraft.init,
        [
            Field(
                "ca", \.authorities, path,
                "Authorities that are trusted in place of the system's."),
            Field("certificate", \.certificate, path, "The client's certificate with its intermediates."),
            Field("key", \.key, path, "The client's key, if it is not in the certificate's file."),
            Field(
                "serverName", \.serverName, Form<String>.text(limit: 253).located,
                "The name to ask for and to verify, where it is not the URL's host."),
            Field(
                "insecure", \.insecure, Form<Bool>.boolean.located,
                "Takes any certificate, whoever it is from and for."),
        ])

    private static let path = Form<String>.text(limit: 4000).located
}

/// How names are looked up as decoded.
struct DNSDraft: Sendable {
    var ttl = PopulationPlan.Target.addressLifetime

    static let format: ObjectDescription<DNSDraft> = ObjectDescription(
        "Looking up a host's name.", start: DNSDraft.init,
        [
            Field(
                "ttl", \.ttl, .duration(),
                "How long an address is used; \"0s\" looks it up for each new connection.")
        ])
}
