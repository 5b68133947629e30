import Wire

/// Reads curl commands as browsers and proxies copy them, one after the other.
enum CurlReader {
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
        /// Headers of curl's own that it is told not to send, in lower case.
        var unsent: Set<String> = []
        var data = CurlData()
        /// Whether ``data`` belongs to the URL.
        var dataIsQuery = false
        /// Of `--url-query`.
        var query = CurlData()
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
        let body = parts.dataIsQuery ? [] : parts.data.bytes
        if !body.isEmpty, !parts.unsent.contains("content-type"),
            !parts.headers.contains(where: { $0.name.lowercased() == "content-type" })
        {
            let type = parts.data.isJSON ? "application/json" : "application/x-www-form-urlencoded"
            parts.headers.append(.init("Content-Type", type))
        }
        let absolute = url.contains("://") ? url : "http://" + url
        let request = CapturedRequest(
            place: "line \(line)", method: parts.method ?? (body.isEmpty ? "GET" : "POST"),
            url: absolute + query(of: parts, after: url), headers: parts.headers, body: body)
        guard let request else {
            throw CaptureProblem(
                "line \(line)", found: "the URL \"\(url.prefix(60))\"",
                allowed: "http:// or https:// and a host")
        }
        return request
    }

    /// What options add to a URL: data that belongs there stands in for what `--url-query` says.
    private static func query(of parts: Parts, after url: String) -> String {
        let hasData = parts.dataIsQuery && !parts.data.bytes.isEmpty
        let query = hasData ? parts.data.bytes : parts.query.bytes
        let sign = url.contains("?") ? "&" : "?"
        return query.isEmpty ? "" : sign + String(decoding: query, as: UTF8.self)
    }

    /// An option as it stands in a command.
    private struct Option {
        /// The long name, without dashes.
        var name: String
        var written: String
        var line: Int
        /// Its value, where that stands in the same word.
        var attached: [UInt8]?
    }

    private static func take(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, _ parts: inout Parts
    ) throws(CaptureProblem) {
        let text = String(decoding: word.text, as: UTF8.self)
        guard text.hasPrefix("-"), text.count > 1 else { return try takeURL(text, word.line, &parts) }
        guard text.hasPrefix("--") else { return try takeLetters(word, &rest, &parts) }
        let written = text.prefix { $0 != "=" }
        var option = Option(name: String(written.dropFirst(2)), written: String(written), line: word.line)
        if written.endIndex < text.endIndex {
            option.attached = Array(text[text.index(after: written.endIndex)...].utf8)
        }
        try take(option, &rest, &parts)
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

    /// Letters of options in one word: the first that has a value takes what is left of the word for it, if anything.
    private static func takeLetters(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, _ parts: inout Parts
    ) throws(CaptureProblem) {
        var letters = word.text.dropFirst()
        while let letter = letters.popFirst() {
            let name = CurlOptions.name(ofLetter: letter) ?? ""
            let hasValue = CurlOptions.hasValue(name)
            var option = Option(name: name, written: "-\(UnicodeScalar(letter))", line: word.line)
            if hasValue, !letters.isEmpty { option.attached = Array(letters) }
            try take(option, &rest, &parts)
            if hasValue { return }
        }
    }

    private static func take(
        _ option: Option, _ rest: inout ArraySlice<ShellWords.Word>, _ parts: inout Parts
    ) throws(CaptureProblem) {
        if option.name.hasPrefix("expand-") {
            throw CaptureProblem(
                "line \(option.line)", found: option.written,
                allowed: "what is sent in the command itself, without curl's variables")
        }
        guard CurlOptions.hasValue(option.name) else {
            if option.name == "get" { parts.dataIsQuery = true }
            return
        }
        guard let value = option.attached ?? rest.popFirst()?.text else {
            throw CaptureProblem(
                "line \(option.line)", found: "\(option.written) at the end",
                allowed: "\(option.written) with a value")
        }
        try apply(option, value, &parts)
    }

    /// A name without a value is a header that curl does not send; one with a semicolon is a header that is empty.
    private static func take(header: String, _ parts: inout Parts) {
        guard let colon = header.firstIndex(of: ":") else {
            if header.hasSuffix(";") { parts.headers.append(.init(String(header.dropLast()), "")) }
            return
        }
        let name = String(header[..<colon])
        let content = header[header.index(after: colon)...].drop { $0 == " " }
        if content.isEmpty {
            parts.unsent.insert(name.lowercased())
        } else {
            parts.headers.append(.init(name, String(content)))
        }
    }

    private static func apply(
        _ option: Option, _ value: [UInt8], _ parts: inout Parts
    ) throws(CaptureProblem) {
        var text: String { String(decoding: value, as: UTF8.self) }
        switch option.name {
        case "request": parts.method = text
        case "url": try takeURL(text, option.line, &parts)
        case "header": take(header: text, &parts)
        case "data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "json":
            try parts.data.add(value, option.name, line: option.line)
        case "url-query": try parts.query.add(value, option.name, line: option.line)
        case "user":
            var packed = WireBuffer()
            value.withUnsafeBytes { Base64.encode($0, into: &packed) }
            parts.headers.append(.init("Authorization", "Basic \(packed.text)"))
        case "oauth2-bearer": parts.headers.append(.init("Authorization", "Bearer " + text))
        case "cookie": parts.headers.append(.init("Cookie", text))
        case "user-agent": parts.headers.append(.init("User-Agent", text))
        case "referer": parts.headers.append(.init("Referer", text))
        case "form", "form-string", "upload-file", "config":
            throw CaptureProblem(
                "line \(option.line)", found: option.written,
                allowed: "a body in the command itself, such as --data-binary '…'")
        default: break
        }
    }
}
