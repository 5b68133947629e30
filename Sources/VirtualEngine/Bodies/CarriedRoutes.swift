package import CollectorModel
package import DeviceSDK

extension CollectedRequest {
    /// A request as its device wrote it.
    package init(_ head: RequestHead, body: UnsafeRawBufferPointer = .init(start: nil, count: 0)) {
        let parts = head.path.split(separator: "?", maxSplits: 1)
        let headers = CollectedHeaders(lines: head.headerLines)
        self.init(
            method: CollectedRequest.Method(head.method), path: String(parts.first ?? "/"),
            query: parts.count > 1 ? String(parts[1]) : "",
            dryRun: headers[.dryRun] == "true", headers: headers, body: body)
    }
}

extension CollectedRequest.Method {
    fileprivate init(_ method: RequestHead.Method) {
        switch method {
        case .get: self = .get
        case .post: self = .post
        case .put: self = .put
        }
    }
}

/// Where the uploads of each population go: a head is looked at once.
struct CarriedRoutes {
    private struct Known {
        var head: RequestHead
        var route: CarriedRoute?
    }

    /// By population; a few each.
    private var known: [[Known]] = []

    /// The route of a head; `nil` if no system takes it as an upload.
    mutating func route(
        of head: RequestHead, population: Int, at collector: borrowing CollectorModel
    ) -> CarriedRoute? {
        while known.count <= population { known.append([]) }
        for index in known[population].indices
        where known[population][index].head.path == head.path
            && known[population][index].head.headerLines == head.headerLines
        {
            return known[population][index].route
        }
        let route =
            head.method.hasBody ? collector.route(of: CollectedRequest(head), population: population) : nil
        known[population].append(Known(head: head, route: route))
        return route
    }
}
