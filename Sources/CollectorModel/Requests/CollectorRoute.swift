import Wire

/// Where a request goes.
enum CollectorRoute: Equatable {
    case upload(CollectorSystem)
    case config(CollectorSystem)
    case notFound

    /// Chooses the route by method and path.
    ///
    /// A system's own path may lie below any other, as behind a gateway; paths of the targets' own
    /// (`uploadPaths`) count whole and before all others.
    init(_ request: CollectedRequest, systems: [CollectorSystem], uploadPaths: [UploadPath]) {
        let path = request.path
        switch request.method {
        case .post:
            if let known = uploadPaths.first(where: { $0.path == path && systems.contains($0.system) }) {
                self = .upload(known.system)
            } else if let system = CollectorRoute.uploadSystem(of: path), systems.contains(system) {
                self = .upload(system)
            } else {
                self = .notFound
            }
        case .get:
            let system = CollectorRoute.configSystem(of: path)
            self = system.map { systems.contains($0) ? .config($0) : .notFound } ?? .notFound
        case .other: self = .notFound
        }
    }

    /// Whose uploads go to a path.
    ///
    /// SensorsAnalytics is asked for first: the path is whatever the client's server URL has, so the last
    /// component decides (`sa`, or `debug` for the debug modes).
    static func uploadSystem(of path: String) -> CollectorSystem? {
        if path.hasSuffix("/sa") || path.hasSuffix("/debug") { return .sensors }
        if GrowingPath(path) != nil { return .growing }
        if path.hasSuffix("/tracking/events") { return .trackingSDK }
        if path.hasSuffix("/uploadIosLogfiles.do1") { return .kit }
        if path.hasSuffix("/codeless/v1/events") { return .codeless }
        return nil
    }

    /// Whose configuration a path serves.
    ///
    /// That of SensorsAnalytics lies beside the upload path (sa-sdk-ios v1.10.17: the URL's last component is
    /// replaced by `config/iOS.conf`), whatever leads to it.
    private static func configSystem(of path: String) -> CollectorSystem? {
        if path.hasSuffix("/config/iOS.conf") || path.hasSuffix("/config/Android.conf") { return .sensors }
        return path.hasSuffix("/codeless/v1/config") ? .codeless : nil
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
