import Wire

/// What headers and queries of captured requests become in a description.
struct CapturedHeaders {
    private(set) var kept: [(String, JSONNode)] = []
    private(set) var guesses: [Guess] = []
    /// Of these headers, what stands in the draft as it was captured; the type of the content is no person's own.
    private(set) var keptValues: [KeptValue] = []

    /// What the program sets itself, and what browsers and proxies add.
    private static let ownNames = ClientHeaders.names.union([
        "content-encoding", "accept-encoding", "origin", "referer", "priority", "dnt", "pragma",
        "cache-control", "x-forwarded-for", "x-forwarded-proto", "traceparent", "tracestate", "date",
    ])
    /// What a server may know somebody by, wherever in a name: a draft is a file that is passed on, so it doubts more
    /// than a report does (``SecretNames``).
    private static let secretNames = [
        "authorization", "cookie", "token", "api-key", "apikey", "secret", "write-key", "x-key",
    ]
    /// What an authorization begins with that is no secret: registered schemes (RFC 9110, 16.4), and those of products.
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
        "privatetoken", "scram-sha-1", "scram-sha-256", "vapid", "token", "apikey", "api-key", "key", "jwt",
        "splunk",
    ]
    private static let signatureNames = ["signature", "hmac", "x-sign", "x-sig", "digest", "checksum"]

    /// - Parameter requests: Of one route; at least one.
    init(_ requests: [CapturedRequest]) {
        // A header that the first request lacks is looked at like any other: what is left out has to be named.
        var seen: Set<String> = []
        for header in requests.flatMap(\.headers) {
            let name = header.name.lowercased()
            guard !name.hasPrefix(":"), !name.hasPrefix("sec-"), !CapturedHeaders.ownNames.contains(name),
                seen.insert(name).inserted
            else { continue }
            if requests.contains(where: { $0.headers.count { $0.name.lowercased() == name } > 1 }) {
                guesses.append(
                    Guess(
                        "/request/headers",
                        "\(header.name) comes several times, of which the others are left out: a description has "
                            + "each name once", .sure))
            }
            add(header, values: requests.compactMap { $0.header(name) }, of: requests.count)
        }
    }

    private mutating func add(_ header: CapturedRequest.Field, values: [String], of count: Int) {
        let name = header.name.lowercased()
        let path = JSONPath(["request", "headers", header.name])
        if CapturedHeaders.isSignature(name, values) {
            guesses.append(
                Guess(
                    "/request/headers",
                    "\(header.name) is left out: it looks like a signature of the request, which no description can say",
                    .likely))
        } else if CapturedHeaders.isSecret(header.name, in: .header) {
            let variable = CapturedHeaders.variable(header.name)
            // The kind of an authorization is no secret. What is none is one, whatever follows it.
            let scheme = name == "authorization" ? header.value.prefix { $0 != " " } : ""
            let isSchemed =
                scheme.count < header.value.count
                && CapturedHeaders.schemes.contains(scheme.lowercased())
            let kind = isSchemed ? CapturedText.literal("\(scheme) ") : ""
            kept.append((header.name, .text(kind + "${\(variable)}")))
            guesses.append(Guess.secret(path.pointer, "a secret", variable, .sure))
        } else if Set(values).count > 1 {
            guesses.append(
                Guess(
                    "/request/headers", "\(header.name) is left out: it differs from request to request",
                    .sure))
        } else if values.count < count {
            guesses.append(
                Guess("/request/headers", "\(header.name) is left out: only some requests have it", .sure))
        } else {
            let value = CapturedValue(.text(header.value), at: path)
            kept.append((header.name, value.node))
            guesses += value.guesses
            if name != "content-type" { keptValues += value.kept }
        }
    }

    static func isSecret(_ name: String, in place: SecretNames.Part) -> Bool {
        let plain = name.lowercased().replacing("_", with: "-")
        return SecretNames.contain(name, in: place) || secretNames.contains { plain.contains($0) }
    }

    /// A keyed hash over a request: its name says so, or a scheme of authorization does.
    private static func isSignature(_ name: String, _ values: [String]) -> Bool {
        let schemes = ["hmac", "aws4-hmac", "signature "]
        if name == "authorization" {
            return values.contains { value in schemes.contains { value.lowercased().hasPrefix($0) } }
        }
        return signatureNames.contains { name.contains($0) } && values.allSatisfy { $0.count >= 16 }
    }

    /// The name of an environment variable for a header or a key.
    static func variable(_ name: String) -> String {
        var variable = ""
        var wasLower = false
        for scalar in name.unicodeScalars {
            let isLetter =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
            if !isLetter || (wasLower && ("A"..."Z").contains(scalar)), variable.last != "_",
                !variable.isEmpty
            {
                variable += "_"
            }
            if isLetter { variable += String(scalar).uppercased() }
            wasLower = ("a"..."z").contains(scalar)
        }
        return variable.isEmpty || ("0"..."9").contains(variable.first ?? "_")
            ? "SECRET_\(variable)" : variable
    }
}
