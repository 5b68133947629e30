/// The clients that a collector knows by description, and whose requests are whose.
struct DescribedClients {
    /// Those of the plan, and then the public products.
    let all: [UploadDescription]

    init(_ plan: CollectorPlan) {
        all = plan.descriptions + UploadDescription.products.filter { !plan.descriptions.contains($0) }
    }

    /// What a request is by its method and path.
    func purpose(of request: borrowing CollectedRequest) -> RequestPurpose? {
        let path = DescribedClients.components(request.path)
        let method = request.method
        for client in all {
            if client.uploads.contains(where: { $0.method == method && $0.fit(path) != nil }) {
                return .upload
            }
            if client.configs.contains(where: { $0.pattern.method == method && $0.pattern.fit(path) != nil })
            {
                return .config
            }
        }
        return nil
    }

    /// The configuration that changes nothing for whoever asks there.
    func neutralConfig(for request: CollectedRequest) -> [UInt8] {
        let path = DescribedClients.components(request.path)
        let configs = all.flatMap(\.configs).filter { $0.pattern.method == request.method }
        let config =
            configs.first { $0.pattern.fit(path) == .whole } ?? configs.first { $0.pattern.fit(path) != nil }
        return config?.neutral ?? Array("{}".utf8)
    }

    /// The clients that may have sent an upload, the likeliest first: those whose own path it is, those whose path lies
    /// below it; for a path that only a target knows, all.
    func candidates(for request: CollectedRequest) -> [Int] {
        let path = DescribedClients.components(request.path)
        var fits: [(number: Int, fit: RequestPattern.Fit)] = []
        for (number, client) in all.enumerated() {
            let fit = client.uploads.filter { $0.method == request.method }.compactMap { $0.fit(path) }.max()
            if let fit { fits.append((number, fit)) }
        }
        guard !fits.isEmpty else { return Array(all.indices) }
        // The plan's own come first among equals, as in the list.
        return fits.filter { $0.fit == .whole }.map(\.number) + fits.filter { $0.fit == .below }.map(\.number)
    }

    private static func components(_ path: String) -> [Substring] { path.split(separator: "/") }
}
