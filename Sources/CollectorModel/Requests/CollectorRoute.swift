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
    init(_ request: borrowing CollectedRequest, systems: [CollectorSystem], uploadPaths: [UploadPath]) {
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
            let system = CollectorSystem.allCases.first { $0.definition.servesConfig(at: path) }
            self = system.map { systems.contains($0) ? .config($0) : .notFound } ?? .notFound
        case .other: self = .notFound
        }
    }

    /// Whose uploads go to a path: the first system's in the list that says so.
    static func uploadSystem(of path: String) -> CollectorSystem? {
        CollectorSystem.allCases.first { $0.definition.takesUploads(at: path) }
    }
}

/// A path of one system's uploads that only a target knows.
package struct UploadPath: Hashable, Sendable {
    /// Whole, without a query: `/ingest/events`.
    package var path: String
    /// Whose uploads go there: a body does not say it.
    package var system: CollectorSystem

    package init(path: String, system: CollectorSystem) {
        self.path = path
        self.system = system
    }

    /// Whether a collector knows the path for the system's without being told.
    package var isKnown: Bool { CollectorRoute.uploadSystem(of: path) == system }
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
