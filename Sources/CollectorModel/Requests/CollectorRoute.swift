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
    ///
    /// - Parameter systems: Those that the collector is to serve; what another one takes is not found.
    init(
        _ request: borrowing CollectedRequest, collected: CollectedSystems, systems: [CollectorSystem],
        uploadPaths: [UploadPath]
    ) {
        let path = request.path
        if let known = uploadPaths.first(where: { $0.path == path && systems.contains($0.system) }),
            // Only what is described has other methods.
            request.method == .post || known.system == .declared && request.method != .other
        {
            self = .upload(known.system)
            return
        }
        guard let (system, purpose) = collected.purpose(of: request), systems.contains(system) else {
            self = .notFound
            return
        }
        self = purpose == .upload ? .upload(system) : .config(system)
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
}

extension CollectorPlan {
    /// Those of some paths by which a collector with this plan would not know the system.
    package func unknown(among paths: [UploadPath]) -> [UploadPath] {
        let collected = CollectedSystems(self)
        return paths.filter { path in
            let found = collected.purpose(of: CollectedRequest(method: .post, path: path.path))
            return found?.system != path.system || found?.purpose != .upload
        }
    }

    /// Takes in those of some paths that it would not know.
    package mutating func learn(_ paths: [UploadPath]) {
        for path in unknown(among: paths) where !uploadPaths.contains(path) { uploadPaths.append(path) }
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
