/// Which names of headers, parameters and members speak of a credential.
///
/// A name is taken apart into words, at `_`, `-`, `.` and where the case changes, and the last word says what it is:
/// `access_key`, `X-Amz-Signature` and `refreshToken` name secrets; `token_type`, `sort_key`, `author`, `design` and
/// `keyboard` do not.
package enum SecretNames {
    /// Where a name stands: what surrounds it says how it is meant.
    package enum Part {
        /// The name of a header.
        case header
        /// A parameter of a URL or of a form: `name=value`.
        case parameter
        /// A member of an object, or any other `name: value`.
        case member
    }

    /// Words that name a secret wherever they come last.
    private static let nouns: Set<String> = [
        "token", "tokens", "secret", "secrets", "password", "passwords", "passwd", "passwort", "passphrase",
        "passcode", "pwd", "credential", "credentials", "authorization", "authentication", "cookie",
        "cookies",
        "apikey", "apitoken", "sig", "signature", "signatures", "hmac", "jwt", "bearer",
    ]
    /// Ends of words written in one: `accesstoken`, `userpassword`.
    private static let endings = [
        "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "secretkey",
        "privatekey",
        "appkey", "authkey", "accesskeyid", "signature", "credential", "credentials", "authorization",
    ]
    /// Words that name a secret only by themselves, or behind one of ``owners``.
    private static let shortNouns: Set<String> = [
        "key", "keys", "auth", "sign", "pass", "pin", "otp", "session",
    ]
    /// Whose keys and signatures are secret, of members of objects too.
    private static let owners: Set<String> = [
        "api", "app", "application", "access", "account", "admin", "auth", "aws", "azure", "client",
        "collector",
        "consumer", "decryption", "developer", "encryption", "function", "functions", "google", "hmac",
        "host",
        "ingest", "ingestion", "instrumentation", "license", "licence", "master", "merchant", "oauth",
        "partner",
        "private", "project", "publishable", "rsa", "sdk", "secret", "security", "server", "service",
        "session",
        "shared", "signing", "storage", "subscription", "tenant", "tracking", "upload", "webhook", "write",
        "x",
        "basic", "http", "proxy", "user", "request", "req",
    ]
    /// Whose keys name things: of headers and parameters all others count as secret.
    private static let things: Set<String> = [
        "cache", "surrogate", "sort", "order", "partition", "primary", "foreign", "unique", "row", "item",
        "map",
        "event", "message", "routing", "group", "object", "property", "config", "feature", "translation",
        "public",
        "idempotency", "dedup", "deduplication", "search", "shift", "ctrl", "alt", "meta", "hot", "index",
        "record",
        "product", "entity", "label", "metric", "dimension", "lookup", "join", "hash", "range", "s3", "blob",
        "file",
        "road", "car", "music", "answer", "arrow", "home", "end", "type", "name", "attribute", "tag", "param",
    ]
    /// Last words that say something of a secret that is as good as the secret.
    private static let additions: Set<String> = [
        "value", "hash", "md5", "sha", "sha1", "sha256", "sha512", "base64", "confirm", "confirmation",
        "hint", "old",
        "new", "v",
    ]
    /// Headers that are about credentials and hold none.
    private static let harmless: Set<String> = ["access-control-allow-credentials", "www-authenticate"]

    /// Whether a value is secret by its name.
    package static func contain(_ name: String, in place: Part) -> Bool {
        guard !harmless.contains(name.lowercased()) else { return false }
        var words = words(of: name)
        while words.count > 1, let last = words.last, additions.contains(last) || last.allSatisfy(\.isNumber)
        {
            words.removeLast()
        }
        guard let last = words.last else { return false }
        let joined = words.joined()
        if nouns.contains(last) || endings.contains(where: joined.hasSuffix) { return true }
        guard shortNouns.contains(last) else { return false }
        guard words.count > 1 else { return isSecret(last, in: place) }
        let owner = words[words.count - 2]
        switch last {
        // Analytics counts sessions; their names are shown with the events.
        case "session": return place == .header
        case "pass", "pin": return false
        case "key", "keys": return place == .member ? owners.contains(owner) : !things.contains(owner)
        default: return owners.contains(owner)
        }
    }

    /// Whether a short noun by itself names a secret: `key=` in a URL does, `"key":` in an event may be anything.
    private static func isSecret(_ word: String, in place: Part) -> Bool {
        switch word {
        case "session", "key", "keys", "pass", "pin": place != .member
        default: true
        }
    }

    /// The words of a name in lower case.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var previous: Character?
        func end() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                end()
                previous = nil
                continue
            }
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            let startsWord =
                character.isUppercase && (previous?.isLowercase == true || next?.isLowercase == true)
            if startsWord { end() }
            word += character.lowercased()
            previous = character
        }
        end()
        return words
    }
}
