import Wire

/// Reads curl commands as browsers and proxies copy them, one after the other.
enum CurlReader {
    /// Options with a value that says nothing of the request itself.
    private static let skipped: Set<String> = [
        "-o", "--output", "-m", "--max-time", "--connect-timeout", "--retry", "-x", "--proxy", "--cacert",
        "-w", "--write-out", "--resolve", "-c", "--cookie-jar", "-E", "--cert", "--key", "-C",
        "--continue-at",
        "-D", "--dump-header", "-P", "--ftp-port", "-Q", "--quote", "-r", "--range", "-t", "--telnet-option",
        "-U", "--proxy-user", "-y", "--speed-time", "-Y", "--speed-limit", "-z", "--time-cond", "--capath",
        "--cert-type", "--key-type", "--pass", "--ciphers", "--connect-to", "--interface", "--limit-rate",
        "--max-redirs", "--noproxy", "--proto", "--proto-default", "--retry-delay", "--retry-max-time",
        "--socks5", "--socks5-hostname", "--stderr", "--tls-max", "--trace", "--trace-ascii", "--unix-socket",
    ]

    /// The letters of options that have a value.
    private static let lettersWithValues = Set("AbcCdDeEFHKmoPQrtTuUwxXyYz".utf8)

    static func read(_ bytes: [UInt8]) throws(CaptureProblem) -> [CapturedRequest] {
        var requests: [CapturedRequest] = []
        for command in try ShellWords.commands(bytes) { requests.append(try request(command)) }
        return requests
    }

    /// What the options of one command come to.
    private struct Parts {
        var method: String?
        var url: String?
        var headers: [CapturedRequest.Field] = []
        var data: [[UInt8]] = []
        var dataIsQuery = false
    }

    private static func request(_ words: [ShellWords.Word]) throws(CaptureProblem) -> CapturedRequest {
        let line = words.first?.line ?? 1
        let first = words.first.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
        guard first == "curl" || first.hasSuffix("/curl") else {
            throw CaptureProblem(
                "line \(line)", found: "\"\(first.prefix(40))\"", allowed: "a curl command, or a HAR file")
        }
        var parts = Parts()
        var rest = words.dropFirst()
        while let word = rest.popFirst() { try take(word, &rest, &parts) }
        guard let url = parts.url else {
            throw CaptureProblem("line \(line)", found: "a curl command without a URL", allowed: "one URL")
        }
        let data = Array(parts.data.joined(separator: [UInt8(ascii: "&")]))
        let query =
            parts.dataIsQuery && !data.isEmpty
            ? (url.contains("?") ? "&" : "?") + String(decoding: data, as: UTF8.self) : ""
        let body = parts.dataIsQuery ? [] : data
        if !body.isEmpty, !parts.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            parts.headers.append(.init("Content-Type", "application/x-www-form-urlencoded"))
        }
        let absolute = url.contains("://") ? url : "http://" + url
        let request = CapturedRequest(
            place: "line \(line)", method: parts.method ?? (body.isEmpty ? "GET" : "POST"),
            url: absolute + query,
            headers: parts.headers, body: body)
        guard let request else {
            throw CaptureProblem(
                "line \(line)", found: "the URL \"\(url.prefix(60))\"",
                allowed: "http:// or https:// and a host")
        }
        return request
    }

    private static func take(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, _ parts: inout Parts
    ) throws(CaptureProblem) {
        var option = String(decoding: word.text, as: UTF8.self)
        guard option.hasPrefix("-"), option.count > 1 else { return try takeURL(option, word.line, &parts) }
        guard option.hasPrefix("--") else { return try takeLetters(word, &rest, &parts) }
        var attached: [UInt8]?
        if let equals = option.firstIndex(of: "=") {
            attached = Array(option[option.index(after: equals)...].utf8)
            option = String(option[..<equals])
        }
        try take(option, attached, word.line, &rest, &parts)
    }

    private static func takeURL(
        _ text: String, _ line: Int, _ parts: inout Parts
    ) throws(CaptureProblem) {
        if text.hasPrefix("^") {
            throw CaptureProblem(
                "line \(line)", found: "\"\(text.prefix(40))\", as Windows' cmd escapes what it reads",
                allowed: "commands for a Unix shell: browsers have \"Copy as cURL (bash)\" too")
        }
        guard parts.url == nil else {
            throw CaptureProblem(
                "line \(line)", found: "a second URL, \"\(text.prefix(40))\"",
                allowed: "one URL in a command")
        }
        parts.url = text
    }

    /// Letters of options in one word: the first that has a value takes what is left of the word for it, if anything is.
    private static func takeLetters(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, _ parts: inout Parts
    ) throws(CaptureProblem) {
        var letters = word.text.dropFirst()
        while let letter = letters.popFirst() {
            let hasValue = lettersWithValues.contains(letter)
            let attached = hasValue && !letters.isEmpty ? Array(letters) : nil
            try take("-\(UnicodeScalar(letter))", attached, word.line, &rest, &parts)
            if hasValue { return }
        }
    }

    /// - Parameter attached: The option's value, where it stands in the same word.
    private static func take(
        _ option: String, _ attached: [UInt8]?, _ line: Int, _ rest: inout ArraySlice<ShellWords.Word>,
        _ parts: inout Parts
    ) throws(CaptureProblem) {
        try apply(option, line: line, &parts) { () throws(CaptureProblem) -> [UInt8] in
            if let attached { return attached }
            guard let next = rest.popFirst() else {
                throw CaptureProblem(
                    "line \(line)", found: "\(option) at the end", allowed: "\(option) with a value")
            }
            return next.text
        }
    }

    private static func apply(
        _ option: String, line: Int, _ parts: inout Parts, _ value: () throws(CaptureProblem) -> [UInt8]
    ) throws(CaptureProblem) {
        func text() throws(CaptureProblem) -> String { String(decoding: try value(), as: UTF8.self) }
        switch option {
        case "-X", "--request": parts.method = try text()
        case "--url": parts.url = try text()
        case "-H", "--header":
            let line = try text()
            if let colon = line.firstIndex(of: ":") {
                parts.headers.append(
                    .init(
                        String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " })))
            }
        case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json":
            try takeData(try value(), option, line, &parts)
        case "-u", "--user":
            var packed = WireBuffer()
            try value().withUnsafeBytes { Base64.encode($0, into: &packed) }
            parts.headers.append(.init("Authorization", "Basic \(packed.text)"))
        case "--oauth2-bearer": parts.headers.append(.init("Authorization", "Bearer " + (try text())))
        case "-b", "--cookie": parts.headers.append(.init("Cookie", try text()))
        case "-A", "--user-agent": parts.headers.append(.init("User-Agent", try text()))
        case "-e", "--referer": parts.headers.append(.init("Referer", try text()))
        case "-G", "--get": parts.dataIsQuery = true
        case "-F", "--form", "-T", "--upload-file", "-K", "--config":
            throw CaptureProblem(
                "line \(line)", found: option,
                allowed: "a body in the command itself, such as --data-binary '…'")
        default: if skipped.contains(option) { _ = try value() }
        }
    }

    private static func takeData(
        _ data: [UInt8], _ option: String, _ line: Int, _ parts: inout Parts
    ) throws(CaptureProblem) {
        if data.first == UInt8(ascii: "@"), option != "--data-raw" {
            throw CaptureProblem(
                "line \(line)",
                found: "a body in the file \(String(decoding: data.prefix(60), as: UTF8.self))",
                allowed: "a body in the command itself, or a HAR file")
        }
        if option == "--json" {
            parts.headers.append(.init("Content-Type", "application/json"))
        }
        guard option == "--data-urlencode", let equals = data.firstIndex(of: UInt8(ascii: "=")) else {
            return parts.data.append(data)
        }
        var encoded = WireBuffer()
        encoded.append(contentsOf: data[...equals])
        Array(data[(equals + 1)...]).withUnsafeBytes {
            PercentEncoding.sensorsLegacy.encode($0, into: &encoded)
        }
        parts.data.append(encoded.bytes)
    }
}
