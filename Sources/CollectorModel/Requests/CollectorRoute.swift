import Wire

/// Where a request goes.
enum CollectorRoute: Equatable {
    case upload(CollectorSystem)
    case config
    case notFound

    /// Chooses the route by method and path.
    ///
    /// The path of an upload is whatever the client's server URL has, so the last component decides
    /// (`sa`, or `debug` for the debug modes); `aliases` are further paths, whole. The configuration
    /// lies beside the upload path (sa-sdk-ios v1.10.17: the URL's last component is replaced by
    /// `config/iOS.conf`), whatever leads to it.
    init(_ request: CollectedRequest, systems: [CollectorSystem], aliases: [String]) {
        let path = request.path
        let upload = path.hasSuffix("/sa") || path.hasSuffix("/debug") || aliases.contains(path)
        let config = path.hasSuffix("/config/iOS.conf") || path.hasSuffix("/config/Android.conf")
        switch request.method {
        case _ where !systems.contains(.sensors): self = .notFound
        case .post where upload: self = .upload(.sensors)
        case .get where config: self = .config
        default: self = .notFound
        }
    }
}

/// Reads one field of a query string.
///
/// - Returns: the first value of the name, with `+` and `%XX` decoded; `nil` if the name is absent or its
///   value has a malformed escape.
func queryValue(_ name: StaticString, in query: String) -> String? {
    guard !query.isEmpty else { return nil }
    return WireBuffer(query).withUnsafeBytes { bytes in
        var form = FormDecoder(bytes)
        while let field = try? form.next() {
            guard field.isNamed(name) else { continue }
            var value = WireBuffer()
            guard (try? field.appendValue(to: &value)) != nil else { return nil }
            return value.text
        }
        return nil
    }
}
